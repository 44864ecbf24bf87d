"""Questions in other words that mean the same."""

import pytest

from app.features.curation.synonyms import MOST_VARIANTS, expansion

OFFICE = ("GA", "Gewerbeamt")
POOL = ("Freibad", "Schwimmbad im Tal")


def variants(question: str, *groups: tuple[str, ...], language: str | None = "de") -> tuple[str, ...]:
    found = expansion(question, groups, language)
    return found.variants if found else ()


def test_a_question_is_asked_in_each_word() -> None:
    assert variants("Wann hat das GA offen?", OFFICE) == (
        "Wann hat das GA offen?",
        "Wann hat das Gewerbeamt offen?",
    )


@pytest.mark.parametrize("asked", ["Wann hat das Gewerbeamt offen?", "Wann hat das ga offen?"])
def test_every_word_leads_to_the_same_texts(asked: str) -> None:
    assert variants(asked, OFFICE) == variants("Wann hat das GA offen?", OFFICE)


def test_an_inflected_word_counts() -> None:
    assert variants("Öffnungszeiten des Gewerbeamts", OFFICE)[1] == "Öffnungszeiten des Gewerbeamt"


def test_a_question_without_any_of_the_words_stays() -> None:
    assert expansion("Wann hat das Rathaus offen?", [OFFICE, POOL], "de") is None
    assert expansion("Was ist GAS?", [OFFICE], "de") is None


def test_words_of_several_groups_are_combined_up_to_a_limit() -> None:
    asked = "Ist das GA am Freibad?"
    assert variants(asked, OFFICE, POOL) == (
        "Ist das GA am Freibad?",
        "Ist das GA am Schwimmbad im Tal?",
        "Ist das Gewerbeamt am Freibad?",
        "Ist das Gewerbeamt am Schwimmbad im Tal?",
    )
    many = tuple(f"wort{number}" for number in range(9))
    assert len(variants("wort3 und GA", many, OFFICE)) == MOST_VARIANTS


def test_the_longer_word_counts_where_two_overlap() -> None:
    found = expansion("Wo ist das Schwimmbad im Tal?", [("Tal", "Aue"), POOL], "de")
    assert found is not None
    assert found.explained == "Wo ist das Schwimmbad im Tal (Freibad)?"
    assert found.joined == "Wo ist das Freibad Schwimmbad im Tal?"


def test_a_function_word_is_no_abbreviation() -> None:
    group = ("IT", "computing")
    assert variants("Is it open?", group, language="en") == ()
    assert len(variants("Is IT open?", group, language="en")) == 2
