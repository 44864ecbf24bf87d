"""What earlier answers of a conversation cite is read again with the next question."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import pytest

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.documents import source_documents
from app.chat.events import DoneEvent
from app.chat.model.client import ChatModel
from app.chat.options import ChatOptions
from app.chat.site_search import SiteSearch
from app.chat.source_items import SourceItem, page_tokens
from app.chat.types import CitedPage, Turn
from app.features.memory.answer_step import REMEMBERED_CHARACTERS, RememberPages, remembered_hits
from app.presets import Context
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Retrieval, TimeFilter
from app.search.types import IndexedPage
from app.services import Services
from tests.app.chat.pages import hit, page, retrieval
from tests.fakes.llm import FakeLlm, Reply, rewriting

HOURS = "The pool opens at nine."
PRICES = "Adults pay five euros."
POOL = page("pool", title="Pool", content=f"# Pool\n\n## Hours\n\n{HOURS}\n\n## Prices\n\n{PRICES}")
BUS = page("bus", title="Bus", content="Bus 7 stops at the pool every hour.")
SAUNA = page("sauna", title="Sauna", content="The sauna opens at noon. " * 100)
SITE = frozenset({"site"})
QUESTION = "And how do I get there by bus?"


@dataclass
class Site(SiteSearch):
    """Retrieval that finds the bus, and pages by their ids."""

    pages: Sequence[IndexedPage] = (POOL, BUS)
    found: Sequence[IndexedPage] = (BUS,)
    asked: list[set[str]] = field(default_factory=list)

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
        return retrieval(question, *(hit(each, rank=rank) for rank, each in enumerate(self.found, start=1)))

    def named_pages(
        self, sources: frozenset[str], ids: Collection[str], time: TimeFilter
    ) -> list[IndexedPage]:
        self.asked.append(set(ids))
        return [each for each in self.pages if each.ref.source in sources and each.ref.id in ids]


def turns(answer: str, *cited: IndexedPage) -> tuple[Turn, ...]:
    """A question and its answer."""
    pages = tuple(CitedPage(id=each.ref.id, url=each.url) for each in cited)
    return (
        Turn(role="user", content="What does the pool cost?"),
        Turn(role="assistant", content=answer, cited=pages),
    )


def ask(
    site: Site, model: ChatModel | None, history: Iterable[Turn], context: Context = "blocks", **options: int
) -> DoneEvent:
    most = options.pop("remembered_pages", 2)
    answers = Answerer(
        site,
        model=model,
        options=ChatOptions(rephrase=False, context=context, **options),  # type: ignore[arg-type]
        added=[AddedStep(RememberPages(most), before="PlanContext")],
    )
    *_, last = answers.stream(QUESTION, history=tuple(history), language="en", sources=SITE)
    assert isinstance(last, DoneEvent)
    return last


def read(done: DoneEvent) -> list[tuple[int | None, str, bool]]:
    return [(source.number, source.page.ref.id, source.earlier) for source in done.sources if source.used]


def tokens(sources: Iterable[SourceItem]) -> int:
    return sum(page_tokens(source.page, source.text) for source in sources if source.used)


@pytest.mark.parametrize("context", ["blocks", "passages"])
def test_what_an_earlier_answer_cites_is_read_below_what_is_found_and_is_marked(
    llm: FakeLlm, model: ChatModel, context: Context
) -> None:
    llm.script(
        rewriting("How do I get to the pool by bus?"), Reply(deltas=("STATUS: answered\nBus 7 [1][2].",))
    )
    done = ask(Site(), model, turns("Five euros for adults [1].", POOL), context)
    assert read(done) == [(1, "bus", False), (2, "pool", True)]
    assert done.citations == (1, 2)
    prompt = llm.requests[-1]["messages"][-1]["content"]
    assert 'number="2" date="2026-03-05" cited-earlier="yes"' in prompt
    assert prompt.count("cited-earlier") == 1
    found, earlier = source_documents(QUESTION, done)
    assert ("earlier" in found, earlier["earlier"]) == (False, True)


def test_the_passage_that_says_what_the_answer_says_comes_first() -> None:
    (remembered,) = remembered_hits(
        turns("Adults pay five euros [1].", POOL), Site().named_pages, SITE, ANY_TIME, 1
    )
    assert PRICES in "".join(passage.text for passage in remembered.passages)


def test_of_a_long_page_only_a_part_is_remembered() -> None:
    long = page("long", content="\n\n".join(f"Rule {n} holds for boats on the lake." * 9 for n in range(50)))
    site = Site(pages=(long,))
    (remembered,) = remembered_hits(turns("Rule 7 holds [1].", long), site.named_pages, SITE, ANY_TIME, 1)
    assert 0 < sum(len(passage.text) for passage in remembered.passages) <= REMEMBERED_CHARACTERS


def test_a_page_that_is_found_again_is_read_once(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting(QUESTION), Reply(deltas=("Bus 7 [1].",)))
    assert read(ask(Site(), model, turns("Every hour [1].", BUS))) == [(1, "bus", False)]


def test_pages_that_are_gone_hidden_or_of_another_address_are_forgotten(
    llm: FakeLlm, model: ChatModel
) -> None:
    moved = CitedPage(id="pool", url="https://example.org/elsewhere")
    gone = CitedPage(id="gone", url="https://example.org/gone")
    history = (*turns("Yes."), Turn(role="assistant", content="Yes [1].", cited=(moved, gone)))
    site = Site()
    llm.script(rewriting(QUESTION), Reply(deltas=("Bus 7 [1].",)))
    assert read(ask(site, model, history)) == [(1, "bus", False)]
    assert site.asked == [{"pool", "gone"}]


def test_the_latest_answers_pages_come_first_and_only_so_many(llm: FakeLlm, model: ChatModel) -> None:
    history = (*turns("At noon [1].", SAUNA), *turns("Five euros [1].", POOL))
    site = Site(pages=(POOL, SAUNA))
    llm.script(rewriting(QUESTION), Reply(deltas=("Bus 7 [1].",)))
    assert read(ask(site, model, history, remembered_pages=1)) == [(1, "bus", False), (2, "pool", True)]


@pytest.mark.parametrize("budget", [60, 120, 200, 400, 1_000])
@pytest.mark.parametrize("context", ["blocks", "passages"])
def test_the_budget_holds_whatever_is_remembered(
    llm: FakeLlm, model: ChatModel, context: Context, budget: int
) -> None:
    llm.repeats_questions = True
    llm.default = Reply(deltas=("Bus 7 [1].",))
    site = Site(
        pages=(POOL, SAUNA), found=(BUS, *(page(f"p{n}", content=f"Line {n}. " * 60) for n in range(9)))
    )
    done = ask(site, model, turns("At noon [1][2].", SAUNA, POOL), context, budget_tokens=budget)
    assert tokens(done.sources) <= budget
    numbers = [source.number for source in done.sources if source.used]
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_is_remembered_has_room_though_more_is_found_than_fits(llm: FakeLlm, model: ChatModel) -> None:
    llm.repeats_questions = True
    llm.default = Reply(deltas=("Bus 7 [1].",))
    found = (BUS, *(page(f"p{n}", content=f"Line {n} of the bus. " * 60) for n in range(9)))
    done = ask(Site(found=found), model, turns("Five euros [1].", POOL), budget_tokens=800)
    assert read(done)[-1] == (len(read(done)), "pool", True)


def test_a_preset_remembers_as_many_pages_as_it_says_and_none_by_default(site_services: Services) -> None:
    steps = site_services.chat.added_steps(ChatOptions())
    assert RememberPages not in {type(step) for step, *_ in steps}
    steps = site_services.chat.added_steps(ChatOptions(remembered_pages=3))
    assert (RememberPages, "PlanContext") in {(type(step), before) for step, before, _ in steps}


def test_without_a_model_nothing_is_remembered() -> None:
    site, history = Site(), turns("Five euros [1].", POOL)
    assert "pool" not in {source.page.ref.id for source in ask(site, None, history).sources}
    assert site.asked == []


def test_where_nothing_is_found_nothing_is_remembered(llm: FakeLlm, model: ChatModel) -> None:
    llm.repeats_questions = True
    done = ask(Site(found=()), model, turns("Five euros [1].", POOL))
    assert (done.status, done.sources) == ("no_answer", ())
