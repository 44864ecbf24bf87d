"""Before it answers, the model may ask for one more search."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from app.chat.answer import Answerer, steps
from app.chat.answer_steps import AddedStep, step_name, with_added
from app.chat.events import DeltaEvent, DoneEvent, SourcesEvent, StartEvent
from app.chat.model.client import ChatModel
from app.chat.model.prompts import PACKAGE_PROMPTS
from app.chat.options import ChatOptions
from app.chat.prompt_plan import PlanContext
from app.chat.site_search import SiteSearch
from app.chat.source_items import page_tokens
from app.features.second_search.answer_step import REPLY_TOKENS, SearchAgain
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Retrieval, RetrievalMode, TimeFilter
from app.services import Services
from tests.app.chat.pages import hit, page, retrieval
from tests.fakes.llm import FakeLlm, Reply, refusing_url

POOL = page("pool", title="Pool", content="The pool opens at nine. Adults pay five euros.")
LAKE = page("lake", title="Lake", content="The lake is deep.")
BUS = page("bus", title="Bus", content="Bus 7 stops at the pool every hour.")
QUESTION = "When does the pool open, and which bus goes there?"
WANTED = "bus to the pool"
ENOUGH = Reply(deltas=('{"enough": true}',))
ANSWER = Reply(deltas=("STATUS: answered\nAt nine [1].",))


def names(services: Services, options: ChatOptions) -> list[str]:
    """The names of an answer's steps with those of all features, in their order."""
    own = steps(options, PACKAGE_PROMPTS, date.today)
    return list(map(step_name, with_added(own, services.chat.added_steps(options))))


def missing(search: object) -> Reply:
    return Reply(deltas=(json.dumps({"enough": False, "search": search}),))


@dataclass
class Site(SiteSearch):
    """Retrieval that finds the bus only for who asks for it alone."""

    mode: RetrievalMode = "semantic"
    questions: list[str] = field(default_factory=list)

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
        self.questions.append(question)
        found = {WANTED: (hit(BUS),), "nothing": ()}.get(question, (hit(POOL), hit(LAKE, rank=2)))
        return retrieval(question, *found)


def ask(site: Site, model: ChatModel, **options: Any) -> DoneEvent:
    """The last event, all of them checked for their order."""
    chosen = ChatOptions(rephrase=False, **({"rephrase_seconds": 2.0} | options))
    again = SearchAgain(PlanContext(PACKAGE_PROMPTS, date.today), PACKAGE_PROMPTS)
    added = [AddedStep(again, after="PlanContext")]
    answers = Answerer(site, model=model, options=chosen, added=added)
    first, sources, *deltas, last = answers.stream(QUESTION, language="en", sources=frozenset({"site"}))
    assert isinstance(first, StartEvent)
    assert isinstance(sources, SourcesEvent)
    assert all(isinstance(each, DeltaEvent) for each in deltas)
    assert isinstance(last, DoneEvent)
    assert last.sources == sources.sources
    return last


def used(done: DoneEvent) -> set[str]:
    return {source.page.ref.id for source in done.sources if source.used}


def test_where_the_sources_are_enough_the_model_answers_from_them(llm: FakeLlm, model: ChatModel) -> None:
    site = Site()
    llm.script(ENOUGH, ANSWER)
    done = ask(site, model)
    assert (done.status, used(done), site.questions) == ("answered", {"pool", "lake"}, [QUESTION])
    check, answer = llm.requests
    assert check["max_tokens"] == REPLY_TOKENS
    schema = check["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"enough": {"type": "boolean"}, "search": {"type": "string"}}
    assert "response_format" not in answer
    assert "The pool opens at nine." in check["messages"][-1]["content"]
    assert QUESTION in check["messages"][-1]["content"]
    assert len(answer["messages"]) == 2


def test_what_the_model_says_is_missing_is_searched_for_once_and_read(llm: FakeLlm, model: ChatModel) -> None:
    site = Site()
    llm.script(missing(WANTED), ANSWER)
    done = ask(site, model)
    assert (done.status, used(done), site.questions) == ("answered", {"pool", "bus"}, [QUESTION, WANTED])
    assert len(llm.requests) == 2
    assert "Bus 7 stops" in llm.requests[-1]["messages"][-1]["content"]
    assert done.degraded == ()


@pytest.mark.parametrize(
    "reply",
    [
        Reply(deltas=("The sources do not say which bus goes there.",)),
        Reply(deltas=("",)),
        Reply(deltas=('{"enough": "no", "search": "bus"}',)),
        Reply(deltas=('{"search": "bus"}',)),
        Reply(deltas=("[false]",)),
        missing(""),
        missing(7),
        missing(None),
        missing("bus\nline"),
        missing("bus " * 500),
        missing("?!"),
        missing(QUESTION.upper()),
        Reply(status=503),
        Reply(deltas=('{"enough": fal',), ending="cut"),
    ],
)
def test_any_other_reply_brings_no_search_but_the_answer(
    llm: FakeLlm, model: ChatModel, reply: Reply
) -> None:
    site = Site()
    llm.script(reply)
    llm.default = ANSWER
    done = ask(site, model)
    assert (done.status, used(done), site.questions) == ("answered", {"pool", "lake"}, [QUESTION])


def test_a_reply_without_end_is_waited_for_no_longer_than_for_a_rephrased_question(
    llm: FakeLlm, model: ChatModel
) -> None:
    site = Site()
    llm.script(Reply(deltas=("missing ",), endless=True), ANSWER)
    done = ask(site, model, rephrase_seconds=0.3)
    assert (done.status, site.questions) == ("answered", [QUESTION])


def test_a_search_that_finds_nothing_takes_nothing_away(llm: FakeLlm, model: ChatModel) -> None:
    site = Site()
    llm.script(missing("nothing"), ANSWER)
    done = ask(site, model)
    assert (used(done), site.questions) == ({"pool", "lake"}, [QUESTION, "nothing"])


def test_while_the_model_is_away_the_sources_are_quoted() -> None:
    site = Site()
    done = ask(site, ChatModel(refusing_url(), "", "fake"))
    assert (done.status, done.degraded) == ("extractive", ("model_unavailable",))
    assert site.questions == [QUESTION]


@pytest.mark.parametrize("budget", [60, 75, 100, 4_000])
def test_the_budget_holds_after_the_second_search(llm: FakeLlm, model: ChatModel, budget: int) -> None:
    llm.script(missing(WANTED), ANSWER)
    done = ask(Site(), model, budget_tokens=budget)
    assert sum(page_tokens(item.page, item.text) for item in done.sources if item.used) <= budget


def test_a_preset_searches_again_if_it_says_so_and_not_by_default(site_services: Services) -> None:
    assert "SearchAgain" not in names(site_services, ChatOptions())
    assert "SearchAgain" in names(site_services, ChatOptions(second_search=True))


def test_cards_and_their_source_numbers_are_made_of_what_both_searches_found(site_services: Services) -> None:
    taken = names(site_services, ChatOptions(second_search=True))
    assert taken[taken.index("PlanContext") + 1 : taken.index("ListSources")] == [
        "SearchAgain",
        "ShowHours",
        "ShowFact",
    ]


def test_the_check_is_left_out_where_its_prompt_does_not_fit(llm: FakeLlm) -> None:
    llm.default = ANSWER
    small = ChatModel(llm.base_url, "", "fake", context_tokens=500)
    ask(Site(), small, answer_tokens=1)
    assert all(request["max_tokens"] == 1 for request in llm.requests)
