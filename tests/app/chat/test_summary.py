"""With a small model an answer is that without one, and below it what of its text the passages say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.chat.decisions import Decision, Pin
from app.chat.events import DeltaEvent, DoneEvent, SourcesEvent
from app.chat.model.client import ChatModel
from app.chat.model.tokens import estimate
from app.chat.options import ChatOptions
from app.chat.types import Turn
from app.search.examples import QuestionExamples, Texts
from app.search.retrieval import Certainty, Hit, Retrieval
from ingest.embedders.hashing import HashingEmbedder
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page
from tests.app.chat.test_answer import answerer, ask
from tests.fakes.llm import FakeLlm, Reply

POOL = hit(
    page(
        "pool",
        title="Outdoor pool",
        content="The outdoor pool opens at nine o'clock from May to September. Adults pay five euros, "
        "children under sixteen pay two euros. Dogs are not allowed on the lawn.",
    )
)
TAX = hit(page("tax", title="Dog tax", content="The dog tax is 72 euros a year for the first dog."), rank=2)
QUESTION = "What do adults pay at the pool?"
SMALL = ChatOptions(form="small", contact="town hall")


def small(*hits: Hit, model: ChatModel | None, certainty: Certainty = "answered") -> DoneEvent:
    return ask(answerer(FoundPages(*hits, certainty=certainty), model, SMALL), QUESTION)[2]


def test_what_the_passages_say_stands_below_them_with_its_source(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=tuple("Adults pay five euros at the outdoor pool.")))
    without, done = small(POOL, TAX, model=None), small(POOL, TAX, model=model)
    below = "\n\nSummarised by a language model:\n\nAdults pay five euros at the outdoor pool [1]."
    assert done.answer == without.answer + below
    assert (done.status, done.certainty, done.model) == ("answered", "sure", "fake")
    assert (done.citations, done.sources) == (without.citations, without.sources)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        f"Question: {QUESTION}",
        "Answer briefly, in whole sentences with the words of the text. Copy figures exactly.",
        "Adults pay six euros at the outdoor pool.",
        "Adults pay 72 euros at the outdoor pool.",
        "There is a sauna with a bar, and a tram takes you to the main station.",
        "The text does not say that.",
        "Dogs are allowed on the lawn of the pool.",
        "Adults do not pay five euros at the outdoor pool.",
        "STATUS: none\nAdults pay five euros at the outdoor pool.",
        "[1][3]",
    ],
)
def test_what_they_do_not_say_is_left_out_and_the_answer_is_that_without_a_model(
    llm: FakeLlm, model: ChatModel, reply: str
) -> None:
    llm.script(Reply(deltas=tuple(reply)))
    without, done = small(POOL, TAX, model=None), small(POOL, TAX, model=model)
    assert (done.answer, done.status, done.citations) == (without.answer, "extractive", without.citations)
    assert (done.model, done.degraded, done.certainty) == (None, (), "sure")


CARDS = hit(
    page(
        "cards",
        language="de",
        title="Bürgeramt",
        content="## Personalausweis\n\nEin neuer Personalausweis kostet 37,00 Euro. Gegen 15 Euro Aufpreis "
        "kommt der Ausweis per Post direkt zu Ihnen. Ist es eilig, stellen wir für 10 Euro sofort einen "
        "vorläufigen Personalausweis aus, der drei Monate gilt.",
    )
)
VOTE = hit(
    page(
        "vote",
        language="de",
        title="Wahlen",
        content="## Briefwahl\n\nDer Antrag ist ab dem 16. August und bis Freitag, 24. September, 15 Uhr "
        "möglich. Der rote Umschlag muss am Wahltag bis 18 Uhr im Rathaus sein. "
        "Wahltag ist Sonntag, der 26. September.",
    ),
    rank=2,
)
DOGS = hit(
    page(
        "dogs",
        language="de",
        title="Hundesteuer",
        content="| Hund | Steuer im Jahr |\n| --- | --- |\n| erster Hund | 72 € |\n"
        "| zweiter Hund | 108 € |\n",
    ),
    rank=3,
)
KITA = hit(
    page(
        "kita",
        language="de",
        title="Kitas",
        content="Das Kita-Jahr beginnt am 1. August. Melden Sie Ihr Kind bis zum 31. Januar an.",
    ),
    rank=4,
)
CARD = "Was kostet ein vorläufiger Personalausweis?"
TAXED = "Wie hoch ist die Hundesteuer für den ersten Hund?"
VOTED = "Bis wann muss ich die Briefwahl beantragen?"


@pytest.mark.parametrize(
    ("question", "reply", "shown"),
    [
        (CARD, "10 Euro", "10 Euro [1]"),
        (CARD, "10,00 €.", "10,00 € [1]."),
        (TAXED, "72 Euro", "72 Euro [1]"),
        ("Wann beginnt das Kita-Jahr?", "1. August", "1. August [1]"),
    ],
)
def test_a_figure_alone_stands_with_the_source_that_has_it_with_what_the_question_names(
    llm: FakeLlm, model: ChatModel, question: str, reply: str, shown: str
) -> None:
    llm.script(Reply(deltas=tuple(reply)))
    done = ask(answerer(FoundPages(CARDS, VOTE, DOGS, KITA), model, SMALL), question)[2]
    assert done.answer.rpartition("\n\n")[2] == shown
    assert (done.status, done.model) == ("answered", "fake")


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (CARD, "15 Euro"),
        (CARD, "37,00 Euro"),
        (CARD, "72 Euro"),
        (CARD, "11 Euro"),
        (CARD, "drei Monate"),
        (TAXED, "108 Euro"),
        ("Wann ist der Wahltag?", "16. August"),
        ("Wann beginnt das Kita-Jahr?", "31. Januar"),
        (VOTED, "16. August"),
        (VOTED, "18 Uhr"),
    ],
)
def test_a_figure_of_something_else_is_no_answer(
    llm: FakeLlm, model: ChatModel, question: str, reply: str
) -> None:
    llm.script(Reply(deltas=tuple(reply)))
    with_model, without = (
        ask(answerer(FoundPages(CARDS, VOTE, DOGS, KITA), each, SMALL), question)[2] for each in (model, None)
    )
    assert (with_model.answer, with_model.status) == (without.answer, "extractive")


def test_of_a_reply_the_sentences_stay_that_hold(llm: FakeLlm, model: ChatModel) -> None:
    said = "Adults pay five euros at the outdoor pool."
    llm.script(Reply(deltas=(f"{QUESTION}\n{said} Seniors get a discount of half the price. {said} {said}",)))
    below = small(POOL, model=model).answer.partition("Summarised by a language model:\n\n")[2]
    assert below == "Adults pay five euros at the outdoor pool [1]."


def test_a_sentence_may_have_words_of_the_title_above_what_says_it(llm: FakeLlm, model: ChatModel) -> None:
    rows = "".join(f"| {name} Hund | {fee} € |\n" for name, fee in (("erster", 72), ("zweiter", 108)))
    fees = f"## So viel kostet es\n\n| Hund | Steuer im Jahr |\n| --- | --- |\n{rows}"
    beside = (
        "## Anmelden\n\nMelden Sie den Hund binnen zwei Wochen an.\n\n## Leine\n\nIn der Altstadt gilt sie."
    )
    dogs = hit(page("dogs", language="de", title="Hundesteuer", content=f"{fees}\n{beside}"))
    llm.script(Reply(deltas=("Die Hundesteuer für den zweiten Hund beträgt 108 Euro im Jahr.",)))
    done = ask(
        answerer(FoundPages(dogs), model, SMALL), "Wie hoch ist die Hundesteuer für den zweiten Hund?"
    )[2]
    assert done.answer.endswith("beträgt 108 Euro im Jahr [1].")


def test_what_the_passages_say_of_something_else_than_was_asked_is_left_out(
    llm: FakeLlm, model: ChatModel
) -> None:
    embedder = HashingEmbedder()

    class Compared(FoundPages):
        def similarity(self, question: str, texts: Texts) -> list[float]:
            assert not isinstance(texts, QuestionExamples)
            vector = embedder.embed_query(question)
            return [float(embedder.embed_query(text) @ vector) for text in texts]

    beside = "The first dog tax is 72 euros a year."
    llm.script(Reply(deltas=(f"Adults pay five euros at the outdoor pool. {beside}",)))
    compared = answerer(Compared(POOL, TAX), model, SMALL)
    below = ask(compared, QUESTION)[2].answer.partition("Summarised by a language model:\n\n")[2]
    assert below == "Adults pay five euros at the outdoor pool [1]."


def test_days_are_read_off_the_table_that_tells_them_by_row_and_column(
    llm: FakeLlm, model: ChatModel
) -> None:
    table = (
        "| Stadtteil | Restmüll | Biotonne |\n| --- | --- | --- |\n"
        "| Altstadt | Montag, gerade Wochen | Dienstag |\n| Oberdorf | Dienstag, gerade Wochen | Mittwoch |\n"
    )
    bins = hit(page("bins", language="de", title="Abfuhr", content=table))
    wrong = "Der Restmüll wird im Stadtteil Oberdorf am Mittwoch abgeholt."
    llm.script(Reply(deltas=(wrong,)))
    done = ask(answerer(FoundPages(bins), model, SMALL), "Wann kommt der Restmüll im Oberdorf?")[2]
    assert done.status == "extractive"
    assert "Mittwoch abgeholt" not in done.answer


def test_what_is_broken_off_or_in_another_language_or_has_half_a_link_is_left_out(
    llm: FakeLlm, model: ChatModel
) -> None:
    said = "Adults pay five euros at the outdoor pool."
    beside = "The outdoor pool opens at nine o'clock, see [the pool](https://town.example/po. "
    german = "Das Kita-Jahr beginnt am 1. August und Sie melden Ihr Kind bis zum 31. Januar an. "
    llm.script(Reply(deltas=(f"**{said} {beside}{german}The first dog tax is 72 eur",)))
    below = small(POOL, TAX, KITA, model=model).answer.partition("Summarised by a language model:\n\n")[2]
    assert below == "Adults pay five euros at the outdoor pool [1]."


def test_the_passages_do_not_wait_for_the_model(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(stall_at=0))
    events = answerer(FoundPages(POOL), model, SMALL).stream(QUESTION)
    _, searched, passages = next(events), next(events), next(events)
    assert isinstance(searched, SourcesEvent)
    assert isinstance(passages, DeltaEvent)
    assert "five euros" in passages.text
    assert llm.requests == []
    events.close()


@pytest.mark.parametrize(
    "reply", [Reply(status=500), Reply(deltas=("Adults pay five euros", " at the"), ending="cut")]
)
def test_a_model_that_fails_or_breaks_off_adds_nothing(llm: FakeLlm, model: ChatModel, reply: Reply) -> None:
    llm.default = reply
    done = small(POOL, model=model)
    assert (done.answer, done.status) == (small(POOL, model=None).answer, "extractive")
    assert done.degraded == ("model_unavailable",)


@pytest.mark.parametrize("certainty", ["near", "far"])
def test_where_the_search_is_unsure_a_small_model_is_not_asked(
    llm: FakeLlm, model: ChatModel, certainty: Certainty
) -> None:
    with_model, without = (small(POOL, model=each, certainty=certainty) for each in (model, None))
    assert with_model == without
    assert llm.requests == []


def test_of_words_that_no_page_has_a_small_model_is_not_asked(llm: FakeLlm, model: ChatModel) -> None:
    class Absent(FoundPages):
        def retrieve(self, question: str, **narrowed: Any) -> Retrieval:
            return replace(super().retrieve(question, **narrowed), absent_words=("adults",))

    _, text, _ = ask(answerer(Absent(POOL), model, SMALL), QUESTION)
    assert text.startswith("No page of this website has the word *adults*")
    assert text.endswith("Contact: town hall")
    assert llm.requests == []


def test_a_follow_up_is_searched_for_as_without_a_model_and_read_as_it_was_searched_for(
    llm: FakeLlm, model: ChatModel
) -> None:
    history: Sequence[Turn] = (
        Turn(role="user", content="What do adults pay?"),
        Turn(role="assistant", content="Five euros [1]."),
    )
    pages = FoundPages(POOL)
    ask(answerer(pages, model, SMALL), "And children?", history)
    [request] = llm.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "Question: What do adults pay? And children?" in request["messages"][1]["content"]


def test_a_question_with_a_pinned_page_is_read_without_the_one_before_it(
    llm: FakeLlm, model: ChatModel
) -> None:
    class Pinned(FoundPages):
        def decide(self, question: str, language: str | None) -> Decision:
            return Decision(pins=(Pin(number=1, source="town", id="pool", language=""),))

        def with_pins(
            self, retrieval: Retrieval, pins: Sequence[Pin], **_narrowed: Any
        ) -> tuple[Retrieval, tuple[int, ...]]:
            return replace(retrieval, about=frozenset((POOL.page.ref,))), (1,)

    history: Sequence[Turn] = (
        Turn(role="user", content="Where do I take my bike?"),
        Turn(role="assistant", content="That is on no page.", verdict="none"),
    )
    ask(answerer(Pinned(POOL, TAX), model, SMALL), QUESTION, history)
    [request] = llm.requests
    assert f"Question: {QUESTION}" in request["messages"][1]["content"]


def test_a_small_model_reads_a_thousand_tokens_and_the_best_passages_first(
    llm: FakeLlm, model: ChatModel
) -> None:
    long = [
        hit(
            page(f"p{n}", title=f"P{n}", content="The pool is open.\n\nIt has slides. " * 99),
            rank=n,
        )
        for n in range(2, 12)
    ]
    small(POOL, *long, model=model)
    prompt = [message["content"] for message in llm.requests[0]["messages"]]
    assert sum(estimate(text, "en") for text in prompt) < 1_000
    assert "Adults pay five euros" in prompt[1]
