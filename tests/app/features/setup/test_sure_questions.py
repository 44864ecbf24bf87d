"""Questions that are asked to begin with are answered by the part of the page that they were made of."""

from dataclasses import replace

from app.chat.events import DoneEvent
from app.chat.source_items import source_item
from app.features.setup.sure_questions import Candidate, candidates, first_line, sure_questions
from app.indexing.progress import Progress, silent
from app.search.types import IndexedPage
from tests.app.chat.pages import hit, page, retrieval

DOGS = page(
    "dogs",
    title="Dog tax: rates and exemptions",
    content="# Dog tax\n\nAll about the dog tax of the town, for those who have a dog or want one.\n\n"
    "## Rates\n\nThe first dog costs 96 euros, which is due in February.\n\n"
    "## Contact\n\nTown hall, market place, on every day of the week from nine to noon.\n\n"
    "## Links\n\n- [One of the pages that tell more about dogs](https://town.example/more-about-dogs)\n",
)
POOL = page(
    "pool",
    title="Pool",
    content="## When does the pool open?\n\nIt opens at nine o'clock in the morning, but not on Mondays.\n",
)
MUELL = page(
    "muell",
    language="de",
    title="Müll",
    content="## Abfuhr\n\nDie Tonnen werden dienstags geleert, im Sommer um 6 Uhr.\n",
)


def answer(question: str, found: IndexedPage, quote: str) -> DoneEvent:
    shown = source_item(hit(found), 1, quote)
    return DoneEvent(
        answer=f"Excerpts from the pages:\n\n> **Heading**\n>\n> {quote} [1]",
        status="extractive",
        sources=(shown,),
        citations=(1,),
        retrieval=retrieval(question, hit(found)),
    )


def test_questions_are_headings_with_their_subject_prices_first_and_languages_in_turn() -> None:
    """A heading that is a question and names its subject stands as it is."""
    assert [each.question for each in candidates([POOL, DOGS, MUELL])] == [
        "Dog tax: Rates?",
        "Müll: Abfuhr?",
        "When does the pool open?",
    ]


def test_languages_of_few_pages_are_left_out() -> None:
    pages = [replace(POOL, ref=replace(POOL.ref, id=f"pool{n}")) for n in range(5)]
    assert {each.page.language for each in candidates([*pages, MUELL])} == {"en"}


def test_what_is_answered_by_another_page_or_another_part_or_not_for_certain_is_not_sure() -> None:
    right = "The first dog costs 96 euros, which is due in February."
    near = replace(answer("", DOGS, right), status="partly")
    for done, count in [
        (answer("", DOGS, right), 1),
        (answer("", POOL, right), 0),
        (answer("", DOGS, "Town hall, market place."), 0),
        (near, 0),
        (replace(answer("", DOGS, right), citations=()), 0),
        (replace(answer("", DOGS, right), retrieval=replace(retrieval("", hit(DOGS)), certainty="near")), 0),
    ]:
        assert len(sure_questions([DOGS], lambda _question, done=done: done, silent)) == count  # type: ignore[misc]


def test_the_first_line_of_an_answer_is_its_first_sentence_or_row() -> None:
    table = "| Dog | Tax |\n> | --- | --- |\n> | first dog | 96 € |"
    assert first_line(answer("", DOGS, "One. Two.")) == "One."
    assert first_line(answer("", DOGS, table)) == "first dog · 96 €"
    model = DoneEvent(answer="It is *96 euros*. [1] More.", status="answered")
    assert first_line(model) == "It is 96 euros."


def test_of_a_page_one_question_is_asked_and_of_all_pages_three() -> None:
    pages = [replace(POOL, ref=replace(POOL.ref, id=f"pool{n}")) for n in range(9)]
    asked: list[Candidate] = list(candidates(pages))
    assert len({each.page for each in asked}) == len(asked) == 9


def test_it_shows_how_many_questions_are_asked() -> None:
    shown: list[Progress] = []
    sure_questions([DOGS, POOL], lambda question: answer(question, MUELL, "Nothing."), shown.append)
    assert [(each.done, each.total, each.unit) for each in shown] == [
        (0, 2, "questions"),
        (1, 2, "questions"),
    ]
