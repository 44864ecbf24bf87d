"""What no source says does not pass as answered. What each kind of invention comes to."""

import pytest

from app.chat.events import DeltaEvent
from app.chat.model.client import ChatModel
from app.chat.types import Turn
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page
from tests.app.chat.test_answer import answerer, ask
from tests.fakes.llm import FakeLlm, Reply

TAX = hit(
    page(
        "steuer",
        language="de",
        title="Hundesteuer",
        content="Die Hundesteuer beträgt 1.234,50 € im Jahr. Sie ist am 15. Februar 2025 fällig. "
        "Die Leiterin des Steueramts ist Anna Kessler, Telefon 030 / 1234-567.",
    )
)
HOMES = hit(
    page("homes", title="Tar works", content="On the old tar works 381 homes are built. Bus 7 stops there."),
    rank=2,
)
GERMAN = "Wie hoch ist die Hundesteuer?"
ENGLISH = "How much is the dog tax?"
MARKS = {GERMAN: "[nicht in den Quellen]", ENGLISH: "[not found in the sources]"}


@pytest.mark.parametrize(
    ("question", "answer", "ends"),
    [
        (GERMAN, "Sie beträgt 1.234,50 € [1].", ("answered", 0)),
        (GERMAN, "Sie beträgt 1234,50 Euro und ist am 15.02.2025 fällig [1].", ("answered", 0)),
        (ENGLISH, "It is EUR 1,234.50 a year, due on February 15, 2025 [1].", ("answered", 0)),
        (ENGLISH, "It is due on 2025-02-15 [1]. Call +49 30 1234567 [1].", ("answered", 0)),
        (GERMAN, "Sie beträgt 1.234,50 € (Quelle 1).", ("answered", 0)),
        (GERMAN, '{"status": "answered", "answer": "Sie beträgt 1.234,50 € [^1]."}', ("answered", 0)),
        (ENGLISH, "```\nSTATUS: answered\nIt is EUR 1,234.50 [Source 1].\n```", ("answered", 0)),
        (GERMAN, "Sie beträgt 1.243,50 € [1].", ("unverified", 1)),
        (ENGLISH, "It is EUR 1,243.50 [1].", ("unverified", 1)),
        (ENGLISH, "STATUS: partly\nIt is 99 euros [1].", ("unverified", 1)),
        (GERMAN, "Sie beträgt 1.234,50 € [1]. Sie ist am 1. März 2025 fällig [1].", ("answered", 1)),
        (
            GERMAN,
            "Sie beträgt 99 € [1]. Fällig ist sie am 1.3. [1] Rufen Sie 030 1234567 an [1].",
            ("unverified", 2),
        ),
        (GERMAN, "Sie beträgt 1.234,50 €.", ("unverified", 0)),
        (GERMAN, "Ja.", ("unverified", 0)),
        (ENGLISH, "Yes [9].", ("unverified", 0)),
        (ENGLISH, "It is 10.", ("unverified", 1)),
        (ENGLISH, "STATUS: none\nThe sources do not say. Perhaps 99 euros.", ("no_answer", 1)),
        (ENGLISH, "STATUS: outside\nAsk about the town.", ("out_of_scope", 0)),
        # The figure of something else, and no source that has it:
        (GERMAN, "Sie beträgt 1.234,50 € [2].", ("unverified", 0)),
        (GERMAN, "Sie beträgt 381 € [1].", ("unverified", 1)),
        # No figure where one is asked for that the source has:
        (GERMAN, "Sie kostet viel [1].", ("unverified", 0)),
        (GERMAN, "Sie ist ziemlich hoch [1].", ("unverified", 0)),
        (GERMAN, "Die Leiterin ist Berta Kessler [1].", ("unverified", 0)),
        (ENGLISH, "It costs a lot [2].", ("answered", 0)),
        (GERMAN, "Sie ist kostenlos [1].", ("answered", 0)),
        (GERMAN, "Sie hängt von der Rasse ab [1].", ("answered", 0)),
        (GERMAN, "Es gibt sie nur nach Vereinbarung [1].", ("answered", 0)),
        # What figures cannot show:
        (GERMAN, "Sie ist im Februar fällig [2].", ("answered", 0)),
    ],
)
def test_an_answer_without_support_is_unverified_and_its_inventions_are_marked(
    llm: FakeLlm, model: ChatModel, question: str, answer: str, ends: tuple[str, int]
) -> None:
    status, marks = ends
    llm.script(Reply(deltas=tuple(answer)))
    _, text, done = ask(answerer(FoundPages(TAX, HOMES), model), question)
    assert (done.status, len(done.unsupported), text.count(MARKS[question])) == (status, marks, marks)
    assert done.model == "fake"
    has_passages = "> Die Hundesteuer beträgt 1.234,50 €" in text
    assert has_passages == (status in {"unverified", "no_answer"})
    assert (1 in done.citations) >= has_passages


def test_an_answer_in_part_is_followed_by_what_the_page_says(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("STATUS: partly\nIt is 1234.50 euros [1].",)))
    _, text, done = ask(answerer(FoundPages(TAX), model), ENGLISH)
    assert (done.status, done.citations) == ("partly", (1,))
    assert text.startswith(
        "It is 1234.50 euros [1].\n\nThe pages say about this, word for word:\n\n> **Hundesteuer**"
    )


def test_the_mark_comes_as_soon_as_the_sentence_has_ended(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("It is 99 euros [1]. ", "It", " is due"), stall_at=2))
    events = answerer(FoundPages(TAX), model).stream(ENGLISH)
    text = ""
    while "It is 99 euros [1]. [not found in the sources] It" not in text:
        event = next(events)
        text += event.text if isinstance(event, DeltaEvent) else ""
    events.close()


def test_a_short_invention_stands_above_what_the_page_says(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("The number of homes is 10.",)))
    question = "How many homes are built on the old tar works?"
    _, text, done = ask(answerer(FoundPages(HOMES), model), question)
    assert text == (
        "The number of homes is 10. [not found in the sources]\n\n"
        "This answer from the language model is not sufficiently supported. The pages say, word for word:\n\n"
        "> **Tar works**\n>\n> On the old tar works 381 homes are built. Bus 7 stops there. [1]"
    )
    assert (done.status, done.citations, done.probable) == ("unverified", (1,), ())
    assert done.unsupported == ("The number of homes is 10.",)


def test_the_visitors_own_figures_and_the_pages_dates_need_no_source(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("For 77 dogs, as of 5 March 2026, it is 1,234.50 [1].",)))
    _, _, done = ask(answerer(FoundPages(TAX), model), "How much is the tax for 77 dogs?")
    assert (done.status, done.unsupported) == ("answered", ())


def test_figures_of_earlier_answers_are_no_source(llm: FakeLlm, model: ChatModel) -> None:
    history = (Turn(role="user", content="In 1999?"), Turn(role="assistant", content="It was 88 euros."))
    llm.script(Reply(status=401), Reply(deltas=("In 1999 it is 1,234.50 [1]. It was 88 [1].",)))
    _, _, done = ask(answerer(FoundPages(TAX), model), "And how much is it now?", history)
    assert done.unsupported == ("It was 88.",)


def test_an_answer_that_breaks_off_keeps_its_marks_and_status(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("It is 99 euros", "."), ending="cut"))
    _, text, done = ask(answerer(FoundPages(TAX), model), ENGLISH)
    assert done.status == "interrupted"
    assert text.startswith(
        "It is 99 euros. [not found in the sources]\n\nThe language model's answer breaks off"
    )
    assert "> Die Hundesteuer beträgt 1.234,50 €" in text
