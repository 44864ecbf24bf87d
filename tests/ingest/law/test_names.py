"""What people call acts."""

import pytest

from ingest.law.names import spoken_language


@pytest.mark.parametrize(
    ("question", "language"),
    [("Article 6 AI Act", "en"), ("Artikel 6 KI-Verordnung", "de"), ("article 6 AI-Gesetz", None)],
)
def test_a_name_tells_the_questions_language(question: str, language: str | None) -> None:
    assert spoken_language("32024R1689", question) == language


def test_an_act_without_a_customary_name_tells_none() -> None:
    assert spoken_language("31111R0001", "Article 1") is None


@pytest.mark.parametrize(
    ("celex", "question"), [("32014R0600", "Artikel 6 MiFIR"), ("32018L2001", "Artikel 3 RED II")]
)
def test_a_name_that_several_languages_have_tells_none(celex: str, question: str) -> None:
    assert spoken_language(celex, question) is None
