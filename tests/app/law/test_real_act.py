"""What visitors read of a real act of law without a model: nothing is left out without a mark."""

from collections.abc import Iterator
from typing import Final

import pytest

from app.background.importer import Importer
from app.chat.events import DoneEvent
from app.services import Services
from app.settings.settings import load_settings
from ingest.sources.eurlex import EurlexSource
from tests.shared import LAW, needs

SOURCE: Final = "law"
ACT: Final = LAW / "32024R1689_2024-06-13_en.xhtml"

pytestmark = [pytest.mark.slow, needs(ACT)]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The AI Act, in English."""
    with Services(load_settings(data=tmp_path_factory.mktemp("act"), embedder="hashing")) as made:
        importer = Importer(store=made.store, indexer=made.indexing.indexer, show=lambda *_: None)
        assert importer.run(EurlexSource(name=SOURCE, path=str(ACT))).failures == {}
        yield made


def quoted(services: Services, question: str) -> str:
    """The answer without a model."""
    *_, done = services.chat.default.answerer.stream(question, sources=frozenset({SOURCE}))
    assert isinstance(done, DoneEvent)
    assert (done.status, done.certainty) == ("extractive", "sure")
    return done.answer


def test_of_prohibitions_asked_for_as_a_whole_each_is_named_in_order(services: Services) -> None:
    answer = quoted(services, "Which AI practices are prohibited?")
    assert "The following AI practices shall be prohibited:" in answer
    heads = [line[5] for line in answer.splitlines() if line.startswith("> - (")]
    assert "".join(heads) == "abcdefgh"
    assert "of 8 in full, [see all](" in answer


@pytest.mark.parametrize("question", ["What does Article 27 say?", "Was steht in Artikel 27?"])
def test_an_article_asked_for_by_its_number_is_quoted_from_its_first_paragraph_on(
    services: Services, question: str
) -> None:
    first = quoted(services, question).split("\n\n> **")[1]
    assert first.startswith("AI Act, Article 27: Fundamental rights impact assessment")
    assert "1.\N{NO-BREAK SPACE}Prior to deploying a high-risk AI system" in first
    assert "> - (f) the measures to be taken" in first


def test_an_act_that_is_not_there_is_said_above_what_comes_nearest(services: Services) -> None:
    *_, done = services.chat.default.answerer.stream(
        "What does the GDPR say about consent?", sources=frozenset({SOURCE})
    )
    assert isinstance(done, DoneEvent)
    assert done.certainty != "sure"
    assert done.answer.startswith("Not among the texts searched here: GDPR")
