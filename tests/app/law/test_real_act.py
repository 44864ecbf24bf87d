"""What visitors read of a real act of law without a model: nothing is left out without a mark."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import pytest

from app.background.importer import Importer
from app.chat.events import DoneEvent
from app.law.points import best_points
from app.law.provisions import with_provisions
from app.presets.collection import Presets
from app.search.query import Meaning
from app.search.retrieval import NearChunk
from app.services import Services
from app.settings.settings import load_settings
from ingest.embedders.e5 import E5Embedder
from ingest.sources.eurlex import EurlexSource
from tests.app.chat.pages import hit
from tests.fakes.real_pages import law_pages
from tests.shared import LAW, needs

SOURCE: Final = "law"
VERSION: Final = "32024R1689@2024-06-13/"
NEAR: Final = NearChunk(start=0, end=1, relevance=0.5)
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


def test_a_short_question_is_answered_in_the_language_in_which_it_names_the_article(
    services: Services,
) -> None:
    assert quoted(services, "Was sagt Artikel 27?").startswith("Auszüge aus den gefundenen Seiten")
    assert quoted(services, "What says Article 27?").startswith("Excerpts from the pages found")


def test_an_act_that_is_not_there_is_said_above_what_comes_nearest(services: Services) -> None:
    *_, done = services.chat.default.answerer.stream(
        "What does the GDPR say about consent?", sources=frozenset({SOURCE})
    )
    assert isinstance(done, DoneEvent)
    assert done.certainty != "sure"
    assert done.answer.startswith("Not among the texts searched here: GDPR")


@pytest.mark.parametrize(
    ("question", "letter"),
    [
        ("Is emotion recognition allowed at work?", "f"),
        ("May AI guess somebody's sexual orientation from photos?", "g"),
        ("Is social scoring allowed?", "c"),
        ("May an AI predict who will commit a crime?", "d"),
    ],
)
def test_of_the_prohibitions_the_one_that_a_question_is_about_comes_first(question: str, letter: str) -> None:
    units = {unit.ref.id.rpartition("/")[2]: unit for unit in law_pages() if unit.ref.id.startswith(VERSION)}
    embedder = E5Embedder()
    vector, thresholds = embedder.embed_query(question), Presets().load("eurlex").embedders["e5"]
    meaning = Meaning(vector=vector, embedder=embedder, thresholds=thresholds)
    recital = replace(hit(replace(units["rct_44"], kind="recital")), near_chunks=(NEAR,))
    article = replace(hit(replace(units["art_5"], metadata={"celex": "32024R1689"})), near_chunks=(NEAR,))
    _, found = with_provisions(
        (recital,),
        lambda recital: [article],
        partial(best_points, question=question, language="en"),
        lambda texts: [meaning.relevance(each) for each in embedder.embed_documents(texts)],
        2,
    )
    best = found.near_chunks[0]
    assert (
        units["art_5"].fields["content"].encode()[best.start :].decode().strip().startswith(f"- ({letter})")
    )
