"""From a question to events: every status, every label, real faults of the model."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, get_args

import pytest

from app.chat.answer import Answerer
from app.chat.documents import SourceDocument
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent
from app.chat.model.cancellation import Cancellation
from app.chat.model.client import ChatModel
from app.chat.model.prompts import SiteDescription
from app.chat.model.tokens import estimate
from app.chat.options import ChatOptions
from app.chat.site_search import SiteSearch
from app.chat.types import CitedPage, Turn
from app.errors import IndexUnavailableError, ModelError, QuestionError
from app.presets import Purpose
from app.search.retrieval import ANY_TIME, Certainty, Hit, Retrieval, TimeFilter
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page, retrieval
from tests.fakes.llm import FakeLlm, Reply, rewriting

POOL = hit(page("pool", title="Pool", content="The pool opens at nine. Adults pay five euros."))
BUS = hit(page("bus", title="Bus", content="Bus 7 stops at the pool every hour."), rank=2)
ARTICLE = hit(
    replace(
        page("32024R1689@2024-06-13/art_6", name="AI Act, Article 6", content="The pool is high-risk."),
        metadata={"celex": "32024R1689", "version": "2024-06-13"},
    )
)
QUESTION = "When does the pool open?"
HISTORY = (
    Turn(role="user", content="Where is the pool?"),
    Turn(role="assistant", content="At the lake [1]."),
)
HANG_UP_SECONDS = 5.0


def answerer(
    found: SiteSearch, model: ChatModel | None = None, options: ChatOptions | None = None
) -> Answerer:
    return Answerer(
        found,
        model=model,
        options=options or ChatOptions(rephrase=False),
        today=lambda: date(2026, 11, 21),
    )


def ask(
    answers: Answerer, question: str = QUESTION, history: Sequence[Turn] = (), language: str | None = None
) -> tuple[SourcesEvent, str, DoneEvent]:
    """The events, checked for their order; the text is what the deltas join to."""
    events: list[Event] = list(answers.stream(question, history=history, language=language))
    searched, first, *deltas, last = events
    assert isinstance(searched, StartEvent)
    assert isinstance(first, SourcesEvent)
    assert isinstance(last, DoneEvent)
    text = ""
    for delta in deltas:
        assert isinstance(delta, DeltaEvent)
        assert delta.text
        text += delta.text
    assert last.answer == text
    assert last.sources == first.sources
    return first, text, last


def test_the_models_answer_streams_with_checked_citations(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("\n At ni", "ne [2", "] [9]. Five euros [1].")))
    found, text, done = ask(answerer(FoundPages(POOL, BUS), model))
    assert text == "At nine [2]. Five euros [1]."
    assert (done.status, done.degraded, done.model, done.citations) == ("answered", (), "fake", (2, 1))
    assert [source.number for source in found.sources] == [1, 2]


@pytest.mark.parametrize(
    ("own", "status", "expected"),
    [
        ("Nine [1].\n", "answered", "Nine [1].\n"),
        ("Nine.\n", "unverified", "Nine.\n\n\nThis answer"),
        ("", "extractive", "Excerpts"),
    ],
)
def test_an_answer_ends_where_the_model_repeats_what_it_was_told(
    llm: FakeLlm, model: ChatModel, own: str, status: str, expected: str
) -> None:
    task = "Task: first write the answer.\nSupport every sentence by the numbers of its sources, such as [1]."
    llm.script(Reply(deltas=(own, task, "\nAnswer: nine. ", "Ten."), stall_at=3))
    _, text, done = ask(answerer(FoundPages(POOL), model))
    assert text.startswith(expected)
    assert "Support every" not in text and "Answer: nine" not in text
    assert done.status == status


def test_each_delta_goes_out_as_it_comes(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("Nine. ", "Second."), stall_at=1))
    events = answerer(FoundPages(POOL), model).stream(QUESTION)
    assert isinstance(next(events), StartEvent)
    assert isinstance(next(events), SourcesEvent)
    assert next(events) == DeltaEvent(text="Nine.")


def test_the_model_reads_the_pages_and_the_question(llm: FakeLlm, model: ChatModel) -> None:
    ask(answerer(FoundPages(POOL, BUS), model))
    system, user = (message["content"] for message in llm.requests[0]["messages"])
    assert "2026-11-21" in system
    assert "The pool opens at nine." in user
    assert user.endswith(QUESTION)


def test_the_model_reads_the_question_as_asked_and_as_meant(llm: FakeLlm, model: ChatModel) -> None:
    for preset in (ChatOptions(rephrase=True), ChatOptions(rephrase=True, keep_original=False)):
        llm.script(rewriting(REWRITTEN), Reply(deltas=("Nine [1].",)))
        ask(answerer(FoundPages(POOL), model, preset))
        assert llm.requests[-1]["messages"][-1]["content"].endswith(
            f"\n\nQuestion: {QUESTION}\nProbably meant: {REWRITTEN}"
        )


@pytest.mark.parametrize(
    "reply", [rewriting("How do I bake a cake?"), rewriting(QUESTION), Reply(status=401)]
)
def test_a_rewrite_that_says_nothing_else_or_was_refused_is_not_shown_to_the_model(
    llm: FakeLlm, model: ChatModel, reply: Reply
) -> None:
    llm.script(reply, Reply(deltas=("Nine [1].",)))
    ask(answerer(FoundPages(POOL), model, ChatOptions(rephrase=True)))
    assert llm.requests[-1]["messages"][-1]["content"].endswith(f"\n\nQuestion: {QUESTION}")


def test_the_model_is_told_whose_website_it_is(llm: FakeLlm, model: ChatModel) -> None:
    site = SiteDescription(name="Town of Otterfurt", subject="living in Otterfurt")
    ask(answerer(FoundPages(POOL), model, ChatOptions(rephrase=False, site=site)))
    system = llm.requests[-1]["messages"][0]["content"]
    assert 'the website "Town of Otterfurt"' in system
    assert "subject: living in Otterfurt. For the question" in system


def test_only_where_the_preset_wants_it_the_question_is_put_in_more_detail(
    llm: FakeLlm, model: ChatModel
) -> None:
    for expand in (True, False):
        ask(answerer(FoundPages(POOL), model, ChatOptions(rephrase=True, expand=expand)))
        assert ("in more detail" in llm.requests[-2]["messages"][0]["content"]) == expand


LAW_PROMPT, PAGES_PROMPT = (
    "the law of the European Union. For",
    "of a website and answer its visitors' questions",
)
LAW_RULE = 'Sources with "celex" are law'


@pytest.mark.parametrize("preset", get_args(Purpose))
@pytest.mark.parametrize(
    ("hits", "expected"),
    [((ARTICLE,), LAW_PROMPT), ((POOL, BUS), PAGES_PROMPT), ((POOL, ARTICLE), "")],
    ids=["law", "pages", "both"],
)
def test_what_was_found_decides_about_the_prompt_and_the_preset_only_where_both_were(
    llm: FakeLlm, model: ChatModel, preset: Purpose, hits: tuple[Hit, ...], expected: str
) -> None:
    ask(answerer(FoundPages(*hits), model, ChatOptions(rephrase=False, purpose=preset)))
    system = llm.requests[-1]["messages"][0]["content"]
    assert (expected or (LAW_PROMPT if preset == "law" else PAGES_PROMPT)) in system
    assert (LAW_RULE in system) == (ARTICLE in hits and PAGES_PROMPT in system)


def test_without_a_model_the_answer_is_verbatim_and_nothing_is_degraded() -> None:
    _, text, done = ask(answerer(FoundPages(POOL, BUS)))
    assert text.startswith("Excerpts from the pages found, word for word")
    assert "> The pool opens at nine. Adults pay five euros. [1]" in text
    assert (done.status, done.degraded, done.model, done.citations) == ("extractive", (), None, (1,))


def test_a_source_opens_where_it_is_quoted_even_if_a_better_block_was_too_long_for_that() -> None:
    prices = hit(page("prices", content="A boat costs nine euros."))
    long = "A boat costs euros, " + "as the council said at length, " * 60 + "it does."
    minutes = hit(page("minutes", content=f"{long}\n\nRowing boats cost four euros."), rank=2)
    question = "What does a boat cost in euros?"
    searched, text, _ = ask(answerer(FoundPages(prices, minutes)), question)
    assert "> […] Rowing boats cost four euros. [2]" in text
    assert "council" not in text
    second = SourceDocument.of(searched.sources[1], question).to_json()
    assert second["href"].endswith("#:~:text=Rowing%20boats%20cost%20four")
    assert second["snippet"] == "Rowing boats cost four euros."


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401),
        Reply(status=404),
        Reply(raw=b"<html>"),
        Reply(deltas=(), ending="cut"),
        Reply(deltas=("", " \n")),
        Reply(deltas=("<think>too long",)),
        Reply(deltas=("[9]",)),
    ],
)
def test_a_model_that_gives_nothing_is_replaced_by_verbatim_passages(
    llm: FakeLlm, model: ChatModel, reply: Reply
) -> None:
    llm.script(reply)
    _, text, done = ask(answerer(FoundPages(POOL), model))
    assert "> The pool opens at nine." in text
    assert (done.status, done.degraded, done.model) == ("extractive", ("model_unavailable",), None)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(silent=True),
        Reply(stall_at=0, keep_alive=True),
        Reply(deltas=("Task: first write the answer.\n", "Nine"), stall_at=1),
    ],
)
def test_a_model_that_stalls_before_a_word_of_its_own_is_replaced_too(
    llm: FakeLlm, hasty: ChatModel, reply: Reply
) -> None:
    llm.script(reply)
    assert ask(answerer(FoundPages(POOL), hasty))[2].status == "extractive"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(deltas=("At nine [1", "]"), ending="cut"),
        Reply(deltas=("At nine [1", "]"), ending="early"),
        Reply(deltas=("At nine [1", "]"), ending="error"),
        Reply(deltas=("At nine [1", "]", "more"), stall_at=2),
    ],
)
def test_an_answer_that_breaks_off_stays_and_passages_follow(
    llm: FakeLlm, hasty: ChatModel, reply: Reply
) -> None:
    llm.script(reply)
    _, text, done = ask(answerer(FoundPages(POOL), hasty))
    assert text.startswith("At nine [1]\n\nThe language model's answer breaks off here. The pages say")
    assert "> The pool opens at nine." in text
    assert (done.status, done.degraded, done.citations) == ("interrupted", ("model_unavailable",), (1,))
    assert done.model == "fake"


def test_invisible_characters_and_terminal_codes_of_the_model_do_not_pass(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(Reply(deltas=("Ni\u200bne \x1b[red\U000e0041 [1].",)))
    assert ask(answerer(FoundPages(POOL), model))[1] == "Nine [red [1]."


def test_no_page_means_no_answer_and_no_call(llm: FakeLlm, model: ChatModel) -> None:
    options = ChatOptions(rephrase=False, contact="info@example.org")
    found, text, done = ask(answerer(FoundPages(keyword_hits=(BUS,)), model, options))
    assert text == (
        "The pages of this website do not answer this question."
        " Some words of the question appear on the pages listed below. Contact: info@example.org"
    )
    assert (done.status, done.citations, done.model) == ("no_answer", (), None)
    assert [(source.page.ref.id, source.number, source.used) for source in found.sources] == [
        ("bus", None, False)
    ]
    assert llm.requests == []


@pytest.mark.parametrize(
    ("question", "language", "start"),
    [
        ("Wann hat das Schwimmbad offen?", None, "Die Seiten"),
        ("When is the pool open?", None, "The pages"),
        ("Quand est-ce que la piscine est ouverte ?", None, "Les pages"),
        ("Pool", "de", "Die Seiten"),
    ],
)
def test_what_the_service_says_is_in_the_questions_language(
    question: str, language: str | None, start: str
) -> None:
    assert ask(answerer(FoundPages()), question, language=language)[1].startswith(start)


def test_a_question_that_shows_no_language_is_answered_in_the_pages_one() -> None:
    german = hit(page("bad", language="de", title="Bad", content="Das Schwimmbad öffnet um neun."))
    assert ask(answerer(FoundPages(german)), "Schwimmbad")[1].startswith("Auszüge")


def test_the_rephrased_question_is_searched_for_after_the_original_one(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(rewriting("What are the pool's opening hours?"), Reply(deltas=("Nine [1].",)))
    pages = FoundPages(POOL)
    found, text, done = ask(answerer(pages, model, ChatOptions(rephrase=True)))
    assert pages.questions == [QUESTION, "What are the pool's opening hours?"]
    assert found.question == "What are the pool's opening hours?"
    assert (text, done.degraded) == ("Nine [1].", ())


def test_the_first_search_does_not_wait_for_the_rephrasing(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(stall_at=0))
    pages = FoundPages(POOL)
    events = answerer(pages, model, ChatOptions(rephrase=True)).stream(QUESTION)
    assert isinstance(next(events), StartEvent)
    assert pages.questions == [QUESTION]


def test_a_reader_who_leaves_during_the_rephrasing_ends_it(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(stall_at=0))
    cancellation = Cancellation()
    events = answerer(FoundPages(POOL), model, ChatOptions(rephrase=True)).stream(
        QUESTION, cancellation=cancellation
    )
    next(events)
    assert llm.asked.wait(HANG_UP_SECONDS)
    cancellation.request()
    with pytest.raises(ModelError):
        list(events)
    assert llm.hung_up.wait(HANG_UP_SECONDS)
    assert len(llm.requests) == 1


class PagesByQuestion(FoundPages):
    """Retrieval that finds other pages for one question, or nothing with a time."""

    def __init__(self, other: str, others: Sequence[Hit], *hits: Hit, timed: Sequence[Hit] = ()) -> None:
        super().__init__(*hits)
        self._others = {other: others}
        self._timed = timed

    def retrieve(self, question: str, *, time: TimeFilter = ANY_TIME, **narrowed: Any) -> Retrieval:
        found = super().retrieve(question, time=time, **narrowed)
        return replace(found, hits=tuple(self._timed if time else self._others.get(question, found.hits)))


WALK = hit(page("walk", title="Walk", content="A walk around the pool takes an hour."), rank=3)
REWRITTEN = "When does the outdoor pool open?"


def sources(found: SourcesEvent) -> list[str]:
    return [source.page.ref.id for source in found.sources]


def test_what_the_rephrased_question_finds_joins_what_was_found(llm: FakeLlm, model: ChatModel) -> None:
    pages = PagesByQuestion(REWRITTEN, [replace(BUS, rank=1), replace(WALK, rank=2)], POOL, BUS)
    llm.script(rewriting(REWRITTEN))
    found, _, done = ask(answerer(pages, model, ChatOptions(rephrase=True, context="passages")))
    assert (found.question, done.degraded) == (REWRITTEN, ())
    assert sources(found) == ["bus", "pool"]  # both searches know the bus, one the pool


def test_the_first_page_stays_where_the_rephrased_question_finds_other_ones(
    llm: FakeLlm, model: ChatModel
) -> None:
    pages = PagesByQuestion(REWRITTEN, [replace(WALK, rank=1)], POOL, BUS)
    llm.script(rewriting(REWRITTEN))
    assert sources(ask(answerer(pages, model, ChatOptions(rephrase=True)))[0]) == ["pool", "walk"]


def test_where_the_preset_says_so_the_rephrased_question_counts_alone_unless_it_finds_nothing(
    llm: FakeLlm, model: ChatModel
) -> None:
    options = ChatOptions(rephrase=True, keep_original=False)
    for others, expected in (([replace(WALK, rank=1)], ["walk"]), ([], ["pool", "bus"])):
        llm.script(rewriting(REWRITTEN), Reply())
        pages = PagesByQuestion(REWRITTEN, others, POOL, BUS)
        assert sources(ask(answerer(pages, model, options))[0]) == expected


def test_where_it_is_doubtful_that_the_rephrased_question_asks_the_same_it_does_not_count_alone(
    llm: FakeLlm, model: ChatModel
) -> None:
    far = "At what time does the public swimming pool open its doors in the morning?"
    options = ChatOptions(rephrase=True, expand=True, keep_original=False)
    llm.script(rewriting(far))
    pages = PagesByQuestion(far, [replace(WALK, rank=1)], POOL, BUS)
    assert sources(ask(answerer(pages, model, options))[0]) == ["pool", "walk"]


def test_a_rephrased_question_that_asks_something_else_is_not_searched_for(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(rewriting("How do I bake a cake?"), Reply(deltas=("Nine [1].",)))
    pages = FoundPages(POOL)
    found, text, done = ask(answerer(pages, model, ChatOptions(rephrase=True)))
    assert (pages.questions, found.question) == ([QUESTION], QUESTION)
    assert (text, done.status, done.degraded) == ("Nine [1].", "answered", ("rephrase_rejected",))


DATED = "Which rules for the pool were published before 2010?"


def test_a_time_that_leaves_nothing_is_dropped_and_labelled(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting(DATED, published_before="2010-01-01"), Reply(deltas=("Nine [1].",)))
    pages = PagesByQuestion(DATED, [POOL], POOL, timed=())
    found, _, done = ask(answerer(pages, model, ChatOptions(extract=True)), DATED)
    assert pages.times == [ANY_TIME, TimeFilter(published_before=date(2010, 1, 1))]
    assert (sources(found), found.time, done.degraded) == (["pool"], ANY_TIME, ("time_dropped",))


def test_a_time_that_leaves_something_narrows_what_the_question_finds_too(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(rewriting(DATED, published_before="2010-01-01", in_force_on="2026-11-21"))
    pages = PagesByQuestion(DATED, [], POOL, BUS, timed=[WALK])
    found, _, done = ask(answerer(pages, model, ChatOptions(extract=True)), DATED)
    assert (sources(found), done.degraded) == (["walk"], ())
    assert found.time == TimeFilter(published_before=date(2010, 1, 1))


def test_a_time_that_leaves_only_what_is_far_from_the_question_is_dropped(
    llm: FakeLlm, model: ChatModel
) -> None:
    class Nearness(PagesByQuestion):
        def retrieve(self, question: str, *, time: TimeFilter = ANY_TIME, **narrowed: Any) -> Retrieval:
            found = super().retrieve(question, time=time, **narrowed)
            return replace(found, relevance=0.2 if time else 0.5)

    llm.script(rewriting(DATED, published_before="2010-01-01"))
    pages = Nearness(DATED, [POOL], POOL, timed=[WALK])
    found, _, done = ask(answerer(pages, model, ChatOptions(extract=True)), DATED)
    assert (sources(found), found.time, done.degraded) == (["pool"], ANY_TIME, ("time_dropped",))


def test_a_first_question_that_is_rephrased_to_a_name_keeps_what_it_found(
    llm: FakeLlm, model: ChatModel
) -> None:
    class Named(PagesByQuestion):
        def retrieve(self, question: str, **narrowed: Any) -> Retrieval:
            found = super().retrieve(question, **narrowed)
            return replace(found, mode="lookup") if question == REWRITTEN else found

    llm.script(rewriting(REWRITTEN))
    pages = Named(REWRITTEN, [replace(WALK, rank=1)], POOL)
    assert sources(ask(answerer(pages, model, ChatOptions(rephrase=True)))[0]) == ["pool"]


def test_a_repeated_question_is_searched_for_once(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting(QUESTION))
    pages = FoundPages(POOL)
    ask(answerer(pages, model, ChatOptions(rephrase=True)))
    assert pages.questions == [QUESTION]


@pytest.mark.parametrize("reply", [Reply(status=401), Reply(deltas=(QUESTION,)), Reply(deltas=("",))])
def test_a_failed_rephrasing_is_labelled_and_the_original_question_used(
    llm: FakeLlm, model: ChatModel, reply: Reply
) -> None:
    llm.script(reply, Reply(deltas=("Nine [1].",)))
    pages = FoundPages(POOL)
    _, text, done = ask(answerer(pages, model, ChatOptions(rephrase=True)))
    assert pages.questions == [QUESTION]
    assert (text, done.status, done.degraded) == ("Nine [1].", "answered", ("rephrase_failed",))


def test_a_follow_up_is_rephrased_whatever_the_preset_says(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(rewriting("When does the pool open?"))
    pages = FoundPages(POOL)
    ask(answerer(pages, model), "And when?", HISTORY)
    assert pages.questions == ["is the pool? And when?", "When does the pool open?"]
    messages = llm.requests[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "STATUS: answered\nAt the lake."


def test_a_follow_up_without_a_model_is_searched_for_with_the_question_before() -> None:
    pages = FoundPages(POOL)
    ask(answerer(pages), "And when?", HISTORY)
    assert pages.questions == ["Where is the pool?", "is the pool? And when?"]


def test_a_follow_up_without_a_model_is_quoted_from_the_page_answered_last_alone() -> None:
    cited = replace(HISTORY[1], cited=(CitedPage(id="pool", url=POOL.page.url),))
    found, _, done = ask(answerer(FoundPages(BUS, POOL)), "And when?", (HISTORY[0], cited))
    assert [source.page.ref.id for source in found.sources if source.number in done.citations] == ["pool"]


def test_what_a_question_only_names_is_looked_up_and_not_rephrased(llm: FakeLlm, model: ChatModel) -> None:
    class Law(FoundPages):
        def look_up(self, question: str, cited: Sequence[str], **_narrowed: Any) -> Retrieval | None:
            found = replace(retrieval("Article 6 AI Act", POOL), mode="lookup")
            return found if question == "Article 6 AI Act" else None

    pages = Law(BUS)
    answers = answerer(pages, model, ChatOptions(extract=True))
    found, _, done = ask(answers, "Article 6 AI Act", HISTORY)
    assert (found.mode, done.mode, pages.questions) == ("lookup", "lookup", [])
    assert len(llm.requests) == 1
    ask(answers, "What is Article 6 of the AI Act about?")
    assert pages.questions


EXTRACTED = """```json
{"question": "When did the pool open?", "keywords": ["opening hours"], "in_force_on": "2023-01-31"}
```"""


def test_keywords_and_the_time_asked_for_narrow_the_second_search(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=(EXTRACTED,)), Reply(deltas=("Nine [1].",)))
    pages = FoundPages(POOL)
    options = ChatOptions(extract=True, purpose="law")
    found, _, done = ask(answerer(pages, model, options), "When did the pool open in January 2023?")
    then = TimeFilter(at=date(2023, 1, 31))
    assert pages.keywords == [(), (), ("opening hours",)]
    assert pages.times == [ANY_TIME, then, then]
    assert found.time == done.time == then
    assert "as it stood on 2023-01-31" in llm.requests[1]["messages"][0]["content"]


def test_the_time_that_a_caller_gives_counts_more_than_the_models(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=(EXTRACTED,)))
    pages = FoundPages(POOL)
    given = TimeFilter(at=date(2020, 1, 1))
    list(answerer(pages, model, ChatOptions(extract=True)).stream(QUESTION, time=given))
    assert pages.times == [given, given]


def test_no_keywords_are_taken_where_the_preset_does_not_ask(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=(EXTRACTED,)))
    pages = FoundPages(POOL)
    ask(answerer(pages, model, ChatOptions(rephrase=True)))
    assert (pages.keywords[-1], pages.times[-1]) == ((), ANY_TIME)
    assert "keywords" not in llm.requests[0]["messages"][0]["content"]


def test_a_short_question_goes_to_the_model_as_it_is(llm: FakeLlm, model: ChatModel) -> None:
    pages = FoundPages(POOL)
    ask(answerer(pages, model, ChatOptions(rephrase=True)), "pool prices")
    assert pages.questions == ["pool prices"]
    assert len(llm.requests) == 1


def test_retrievals_labels_come_after_those_of_rephrasing(llm: FakeLlm, model: ChatModel) -> None:
    class Degraded(FoundPages):
        def retrieve(self, question: str, **narrowed: Any) -> Retrieval:
            found = super().retrieve(question, **narrowed)
            return replace(found, mode="keyword", degraded=("embedder_unavailable",))

    llm.script(Reply(status=401), Reply(status=401))
    _, _, done = ask(answerer(Degraded(POOL), model, ChatOptions(rephrase=True)))
    assert done.degraded == ("rephrase_failed", "embedder_unavailable", "model_unavailable")
    assert done.mode == "keyword"


def test_the_budget_leaves_room_for_prompt_history_and_answer(llm: FakeLlm) -> None:
    long = [hit(page(f"p{n}", title=f"P{n}", content="The pool opens at nine. " * 200)) for n in range(5)]
    model = ChatModel(llm.base_url, "", "fake", context_tokens=3_000)
    history = (
        Turn(role="user", content="Where is it? " * 200),
        Turn(role="assistant", content="Here. " * 200),
    ) * 5
    llm.script(Reply(deltas=("When does it open?",)))
    found, _, _ = ask(answerer(FoundPages(*long), model, ChatOptions(answer_tokens=500)), QUESTION, history)
    sent = sum(estimate(message["content"], "en") for message in llm.requests[1]["messages"])
    assert sent + 500 <= 3_000
    assert [source.used for source in found.sources] == [True, True, False, False, False]


def test_a_model_whose_context_is_too_small_is_left_out(llm: FakeLlm) -> None:
    model = ChatModel(llm.base_url, "", "fake", context_tokens=1_001)
    _, _, done = ask(answerer(FoundPages(POOL), model))
    assert (done.status, done.degraded) == ("extractive", ("model_unavailable",))
    assert llm.requests == []


@pytest.mark.parametrize(
    ("question", "message"),
    [("", "empty"), (" \n\u200b\x00", "empty"), ("x" * 2_001, "2001 characters: use at most 2000")],
)
def test_an_unusable_question_is_refused_at_once(question: str, message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        answerer(FoundPages(POOL)).stream(question)


@pytest.mark.parametrize("question", ["???", "\udcff broken \ud800 bytes here", "a\x00b" * 600, "🏊" * 2_000])
def test_an_odd_question_gets_an_answer(llm: FakeLlm, model: ChatModel, question: str) -> None:
    assert ask(answerer(FoundPages(POOL), model, ChatOptions(rephrase=True)), question)[2].answer


def test_an_index_that_is_down_is_an_error_before_the_first_event(llm: FakeLlm, model: ChatModel) -> None:
    class Down(FoundPages):
        def retrieve(self, question: str, **narrowed: Any) -> Retrieval:
            raise IndexUnavailableError("the index cannot be read")

    llm.script(Reply(stall_at=0))
    events = answerer(Down(), model, ChatOptions(rephrase=True, rephrase_seconds=0.3)).stream(QUESTION)
    with pytest.raises(IndexUnavailableError):
        next(events)
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_a_reader_who_leaves_ends_the_models_work(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(endless=True))
    events = answerer(FoundPages(POOL), model).stream(QUESTION)
    assert isinstance(next(events), StartEvent)
    assert isinstance(next(events), SourcesEvent)
    assert isinstance(next(events), DeltaEvent)
    events.close()
    assert llm.hung_up.wait(HANG_UP_SECONDS)


@pytest.mark.parametrize(
    ("reply", "status", "text"),
    [
        ("STATUS: answered\nAt nine [1].", "answered", "At nine [1]."),
        ("STATUS: outside\nI know pages only.", "out_of_scope", "I know pages only.\n\nContact: town hall"),
    ],
)
def test_the_models_verdict_becomes_the_status(
    llm: FakeLlm, model: ChatModel, reply: str, status: str, text: str
) -> None:
    llm.script(Reply(deltas=tuple(reply)))
    options = ChatOptions(rephrase=False, contact="town hall")
    _, answer, done = ask(answerer(FoundPages(POOL), model, options))
    assert (done.status, answer) == (status, text)


def test_what_the_model_does_not_find_is_followed_by_what_the_search_is_sure_of(
    llm: FakeLlm, model: ChatModel
) -> None:
    options = ChatOptions(rephrase=False, contact="town hall")
    cases: tuple[tuple[Certainty, int], ...] = (("answered", 1), ("far", 0))
    for certainty, quoted in cases:
        llm.script(Reply(deltas=("STATUS: none\nNo hours there.",)))
        _, text, done = ask(answerer(FoundPages(POOL, certainty=certainty), model, options))
        assert text.startswith("No hours there.\n\n")
        assert text.endswith("\n\nContact: town hall")
        assert text.count("The pages may not answer this. The closest match, word for word:\n\n> ") == quoted
        assert done.status == "no_answer"


@pytest.mark.parametrize(
    "reply",
    [
        f"{QUESTION}\n\nSources: [1][2]",
        f"STATUS: partly\nQuestion: {QUESTION}\nSources: [1]",
        "STATUS: partly\nGive that part and say what is missing [1].",
        "The hall opens on Mondays [1]. Tickets are sold at the door and in the town hall [1][3].",
    ],
)
def test_a_reply_that_echoes_the_question_or_the_prompt_gives_way_to_passages(
    llm: FakeLlm, model: ChatModel, reply: str
) -> None:
    llm.script(Reply(deltas=tuple(reply)))
    _, text, done = ask(answerer(FoundPages(POOL, BUS), model))
    assert text.startswith("Excerpts from the pages found")
    assert (done.status, done.model, done.certainty) == ("extractive", None, "sure")


def test_a_question_in_front_of_its_answer_is_left_out(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=tuple(f"Question: {QUESTION}\nIt opens at nine [1].")))
    assert ask(answerer(FoundPages(POOL), model))[1] == "It opens at nine [1]."


@pytest.mark.parametrize(
    "again", ["It opens at nine, as every day of the week [1]. ", "the pool that in the ", "nine "]
)
def test_a_model_that_says_the_same_again_and_again_is_stopped_and_passages_follow(
    llm: FakeLlm, model: ChatModel, again: str
) -> None:
    llm.script(Reply(deltas=("Nine [1]. ", again), endless=True))
    _, text, done = ask(answerer(FoundPages(POOL), model))
    assert llm.hung_up.wait(HANG_UP_SECONDS)
    assert (done.status, done.certainty) == ("unverified", "near")
    assert text.endswith("> The pool opens at nine. Adults pay five euros. [1]")
    assert text.count(again.strip()) < 12


@pytest.mark.parametrize("certainty", ["near", "far"])
def test_what_the_search_is_unsure_of_no_model_makes_sure(
    llm: FakeLlm, model: ChatModel, certainty: Certainty
) -> None:
    llm.script(Reply(deltas=("At nine [1].",)))
    _, text, done = ask(answerer(FoundPages(POOL, certainty=certainty), model))
    assert text == "The pages may not answer this.\n\nAt nine [1]."
    assert (done.status, done.certainty) == ("answered", "near")


def test_a_model_that_answers_with_words_that_no_page_has_stands_behind_that_with_the_contact(
    llm: FakeLlm, model: ChatModel
) -> None:
    class Absent(FoundPages):
        def retrieve(self, question: str, **narrowed: Any) -> Retrieval:
            return replace(super().retrieve(question, **narrowed), absent_words=("sauna",))

    llm.script(Reply(deltas=("It opens at nine [1].",)))
    options = ChatOptions(rephrase=False, contact="town hall")
    _, text, done = ask(answerer(Absent(POOL), model, options), "When does the sauna open?")
    hedge = "No page of this website has the word *sauna*."
    assert text == f"{hedge}\n\nIt opens at nine [1].\n\nContact: town hall"
    assert done.certainty == "near"


def waiting(model: ChatModel, seconds: float = 0.05, certainty: Certainty = "answered") -> Answerer:
    options = ChatOptions(rephrase=False, passages_seconds=seconds)
    return answerer(FoundPages(POOL, certainty=certainty), model, options)


def test_while_the_model_thinks_passages_come_and_what_holds_of_its_text_stands_below_them(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(Reply(deltas=("At nine [1]. ", "Five euros [1]."), stall_at=0, stall_seconds=1))
    without = ask(answerer(FoundPages(POOL)))[2]
    _, text, done = ask(waiting(model))
    assert text == f"{without.answer}\n\nSummarised by a language model:\n\nAt nine [1]. Five euros [1]."
    assert (done.status, done.model, done.citations) == ("answered", "fake", (1,))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(deltas=("At ten [1].",), stall_at=0, stall_seconds=1),
        Reply(deltas=("At nine.",), stall_at=0, stall_seconds=1),
        Reply(deltas=("STATUS: none\nNo idea.",), stall_at=0, stall_seconds=1),
        Reply(deltas=(QUESTION,), stall_at=0, stall_seconds=1),
    ],
)
def test_text_that_does_not_hold_is_not_shown_below_passages(
    llm: FakeLlm, model: ChatModel, reply: Reply
) -> None:
    llm.script(reply)
    _, text, done = ask(waiting(model))
    assert text == ask(answerer(FoundPages(POOL)))[1]
    assert (done.status, done.model, done.degraded) == ("extractive", None, ())


def test_a_model_that_never_begins_leaves_the_passages(llm: FakeLlm, hasty: ChatModel) -> None:
    llm.script(Reply(silent=True))
    _, text, done = ask(waiting(hasty))
    assert text == ask(answerer(FoundPages(POOL)))[1]
    assert (done.status, done.degraded) == ("extractive", ("model_unavailable",))


def test_a_reader_who_leaves_after_the_passages_ends_the_models_work(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(stall_at=0))
    events = waiting(model).stream(QUESTION)
    assert isinstance([next(events) for _ in range(3)][-1], DeltaEvent)
    events.close()
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_after_two_time_outs_passages_come_at_once_until_the_model_has_begun_in_the_background(
    llm: FakeLlm, hasty: ChatModel
) -> None:
    llm.script(Reply(silent=True), Reply(silent=True), Reply(deltas=("At",)), Reply(deltas=("At nine [1].",)))
    answers = answerer(FoundPages(POOL), hasty)
    ask(answers)
    ask(answers)
    done = ask(answers)[2]
    assert (done.status, done.degraded) == ("extractive", ("model_unavailable",))
    began = time.monotonic()
    while hasty.patience.is_over():
        assert time.monotonic() - began < HANG_UP_SECONDS
    assert ask(answers)[1] == "At nine [1]."


def test_a_verdict_without_words_gets_ours(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("STATUS: none",)))
    _, text, done = ask(answerer(FoundPages(POOL), model))
    assert done.status == "no_answer"
    assert text.startswith("The pages of this website do not answer this question.")


def test_where_the_model_must_not_be_asked_the_label_says_why(llm: FakeLlm, model: ChatModel) -> None:
    answers = answerer(FoundPages(POOL), model, ChatOptions(rephrase=True))
    done = list(answers.stream(QUESTION, history=HISTORY, model_disabled="daily_limit"))[-1]
    assert isinstance(done, DoneEvent)
    assert (done.status, done.degraded, llm.requests) == ("extractive", ("daily_limit",), [])


def test_a_greeting_is_answered_without_a_search_or_the_model(llm: FakeLlm, model: ChatModel) -> None:
    pages = FoundPages(POOL)
    _, text, done = ask(answerer(pages, model, ChatOptions(rephrase=True)), "Guten Morgen!")
    assert text.startswith("Guten Tag!")
    assert (done.status, pages.questions, llm.requests) == ("greeting", [], [])


def test_an_answer_that_cites_nothing_names_its_probable_sources(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("The pool opens at nine, and adults pay five euros.",)))
    _, _, done = ask(answerer(FoundPages(POOL, BUS), model))
    assert (done.status, done.probable, done.unsupported) == ("unverified", (1,), ())


def test_words_that_say_nothing_are_declined_but_not_within_a_conversation() -> None:
    found = FoundPages(POOL)
    _, _, done = ask(answerer(found), "And why?")
    assert (done.status, found.questions) == ("out_of_scope", [])
    *_, answer = answerer(found).stream("And why?", history=HISTORY)
    assert isinstance(answer, DoneEvent)
    assert answer.status == "extractive"


def test_other_requests_are_declined_without_search_or_model(llm: FakeLlm, model: ChatModel) -> None:
    found = FoundPages(POOL)
    events = list(answerer(found, model).stream("Schreib mir ein Gedicht"))
    assert isinstance(events[-1], DoneEvent)
    assert (events[-1].status, events[-1].sources) == ("out_of_scope", ())
    assert events[-1].answer.startswith("Dabei kann ich nicht helfen")
    assert (found.questions, llm.requests) == ([], [])


def test_pages_that_are_far_from_the_question_do_not_pose_as_an_answer() -> None:
    _, text, done = ask(answerer(FoundPages(POOL, certainty="far")))
    assert (done.status, done.sources) == ("no_answer", ())
    assert "five euros" not in text


def test_below_passages_that_only_come_near_stands_the_contact_and_below_others_none() -> None:
    options = ChatOptions(contact="town hall")
    assert ask(answerer(FoundPages(POOL, certainty="near"), options=options))[1].endswith(
        "\n\nContact: town hall"
    )
    assert "Contact" not in ask(answerer(FoundPages(POOL), options=options))[1]


def test_pages_that_come_near_are_called_so() -> None:
    _, text, done = ask(answerer(FoundPages(POOL, certainty="near")))
    assert text.startswith("The pages may not answer this.")
    assert done.status == "extractive"


def test_a_model_reads_even_pages_that_are_far(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("At nine [1].",)))
    assert ask(answerer(FoundPages(POOL, certainty="far"), model))[2].status == "answered"


def test_what_is_calibrated_on_websites_refuses_no_law() -> None:
    assert ask(answerer(FoundPages(ARTICLE, certainty="far")))[2].status == "extractive"


def test_letters_that_no_page_has_get_no_answer() -> None:
    unknown = replace(POOL, coverage=0.0)
    assert ask(answerer(FoundPages(unknown)), "fdjksla asdfgh qwertz")[2].status == "no_answer"
    assert ask(answerer(FoundPages(unknown)), "Sperrmüll in Otterfurt")[2].status == "extractive"
