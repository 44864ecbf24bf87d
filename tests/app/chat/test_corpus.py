"""A small site that the model reads as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from app.chat.answer import Answerer
from app.chat.events import DoneEvent
from app.chat.model.client import ChatModel
from app.chat.options import ChatOptions
from app.chat.site_search import SiteSearch
from app.chat.types import Turn
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Retrieval, TimeFilter
from app.search.types import IndexedPage
from tests.app.chat.pages import hit, page, retrieval
from tests.fakes.llm import FakeLlm, Reply

BUS = page("bus", title="Bus", content="Bus 7 stops at the pool every hour.")
POOL = page("pool", title="Pool", content="The pool opens at nine. Adults pay five euros.")
HISTORY = (
    Turn(role="user", content="Where is the pool?"),
    Turn(role="assistant", content="At the lake [1]."),
)
ROOM = 32_000


@dataclass
class Site(SiteSearch):
    """Retrieval that finds the pool alone, and all pages."""

    pages: Sequence[IndexedPage] = (BUS, POOL)
    asked: list[tuple[frozenset[str], int]] = field(default_factory=list)

    def retrieve(
        self,
        question: str,
        *,
        sources: frozenset[str],
        language: str | None = None,
        limit: int | None = None,
        keywords: Sequence[str] = (),
        time: TimeFilter = ANY_TIME,
        filters: Filters = (),
    ) -> Retrieval:
        return retrieval(question, hit(POOL))

    def all_pages(self, sources: frozenset[str], most: int) -> Sequence[IndexedPage]:
        self.asked.append((sources, most))
        return self.pages if len(self.pages) <= most else ()

    def answerer(self, model: ChatModel, corpus_tokens: int = 10_000) -> Answerer:
        options = ChatOptions(rephrase=False, corpus_tokens=corpus_tokens)
        return Answerer(self, model=model, options=options)


@pytest.fixture
def model(llm: FakeLlm) -> ChatModel:
    """With room for the site."""
    return ChatModel(llm.base_url, "", "fake", context_tokens=ROOM)


def ask(answers: Answerer, question: str, history: Sequence[Turn] = ()) -> DoneEvent:
    *_, last = answers.stream(question, history=history, language="en", sources=frozenset({"site"}))
    assert isinstance(last, DoneEvent)
    return last


def sent(llm: FakeLlm) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in llm.requests[-1]["messages"]]


def test_the_model_reads_every_page_and_may_cite_what_no_search_found(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("Every hour [1].",)))
    done = ask(Site().answerer(model), "How often does the bus stop?")
    assert (done.status, done.citations) == ("answered", (1,))
    assert [(source.number, source.page.ref.id) for source in done.sources] == [(1, "bus"), (2, "pool")]


def test_the_prompt_begins_alike_whatever_is_asked_and_in_every_conversation(
    llm: FakeLlm, model: ChatModel
) -> None:
    answers = Site().answerer(model)
    ask(answers, "How often does the bus stop?")
    first = sent(llm)
    ask(answers, "And when does it open?", HISTORY)
    assert first[0] == sent(llm)[0]
    assert "every hour" in first[0][1]
    assert "five euros" in first[0][1]
    assert [role for role, _ in sent(llm)] == ["system", "user", "assistant", "user"]
    assert "every hour" not in sent(llm)[-1][1]
    assert sent(llm)[-1][1].endswith("Question: And when does it open?")


@pytest.mark.parametrize("corpus_tokens", [0, 60])
def test_a_site_that_does_not_fit_is_searched(llm: FakeLlm, model: ChatModel, corpus_tokens: int) -> None:
    done = ask(Site().answerer(model, corpus_tokens), "When does the pool open?")
    assert [source.page.ref.id for source in done.sources] == ["pool"]
    assert "five euros" in sent(llm)[-1][1]


def test_a_model_without_room_for_the_site_gets_what_was_found(llm: FakeLlm) -> None:
    small = ChatModel(llm.base_url, "", "fake", context_tokens=2_000)
    long = page("long", title="Long", content="The town has many streets and squares. " * 400)
    done = ask(Site(pages=(BUS, long)).answerer(small, 200_000), "When does the pool open?")
    assert [source.page.ref.id for source in done.sources] == ["pool"]


def test_only_as_many_pages_are_read_as_could_fit(llm: FakeLlm, model: ChatModel) -> None:
    site = Site()
    ask(site.answerer(model, 4_000), "When does the pool open?")
    assert site.asked == [(frozenset({"site"}), 100)]


def test_if_the_model_fails_the_pages_that_were_found_are_quoted(llm: FakeLlm, model: ChatModel) -> None:
    llm.default = Reply(status=500)
    done = ask(Site().answerer(model), "When does the pool open?")
    assert (done.status, done.degraded) == ("extractive", ("model_unavailable",))
    assert "opens at nine" in done.answer
