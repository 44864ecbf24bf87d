"""Which defined terms a question uses."""

from app.law.terms import MAX_TERMS, defined_terms, used_terms

TERMS = defined_terms(
    {
        "AI system": "art_3",
        "high-risk AI system": "art_6",
        "provider": "art_3",
        "risk": "art_3",
        "---": "art_3",
    },
    "en",
)


def used(question: str) -> list[str]:
    return [term.term for term in used_terms(question, TERMS, "en")]


def test_a_term_is_used_in_any_of_its_forms() -> None:
    assert used("What must providers of AI systems do?") == ["AI system", "provider"]


def test_a_term_within_a_longer_one_is_not_used_by_itself() -> None:
    assert used("When is a high-risk AI system a risk?") == ["high-risk AI system", "risk"]
    assert used("Which high-risk AI systems are there?") == ["high-risk AI system"]


def test_the_words_of_a_term_must_stand_together() -> None:
    assert used("Which system has an AI?") == []


def test_the_longest_terms_count_where_there_are_many() -> None:
    many = defined_terms({"a b c": "art_1", "d e": "art_1", "f": "art_1", "g": "art_1"}, "en")
    found = [term.term for term in used_terms("f g d e a b c", many, "en")]
    assert found == ["a b c", "d e", "f"]
    assert len(found) == MAX_TERMS


def test_terms_are_compared_in_the_language_of_the_text() -> None:
    german = defined_terms({"Anbieter": "art_3", "KI-System": "art_3"}, "de")
    assert [term.term for term in used_terms("Was müssen Anbieter von KI-Systemen tun?", german, "de")] == [
        "KI-System",
        "Anbieter",
    ]
