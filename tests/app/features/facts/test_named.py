"""What a question names is found in other forms."""

import pytest

from app.features.facts.named import NamedSubjects


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wann ist der nächste Schwimmkurs?", "Schwimmkurse"),
        ("Wann sind die Schwimmkurse?", "der Schwimmkurs"),
        ("Wann tagt der Bauausschuss?", "Bau- und Umweltausschuss"),
    ],
)
def test_german_forms_and_cut_compounds_are_found(question: str, text: str) -> None:
    named = NamedSubjects.of(question, "de", "de", frozenset({"nächste", "tagt"}))
    assert named.is_in(text)


def test_a_cut_compound_is_no_other_one() -> None:
    assert not NamedSubjects.of("Wann tagt der Sportausschuss?", "de", "de").is_in(
        "Bau- und Umweltausschuss tagt"
    )
