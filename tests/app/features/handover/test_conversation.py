"""The conversation as a person gets it."""

from datetime import UTC, datetime
from typing import Any

from app.chat.stored import StoredAnswer
from app.features.handover.conversation import MOST_PAGES, exchanges, finished

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def stored(number: int, status: str = "answered", **document: Any) -> StoredAnswer:
    return StoredAnswer(
        id=f"a{number}",
        conversation="c",
        question=f"Question {number}?",
        started_at=NOON,
        status=status,
        document=document or None,
    )


def source(number: int, **changes: Any) -> dict[str, Any]:
    return {"number": number, "title": f"Page {number}", "url": f"https://town.example/{number}"} | changes


def test_the_answer_that_was_named_is_the_unanswered_one_else_the_last_that_did_not_help() -> None:
    said = [stored(1, unhelped=True), stored(2, unhelped=True), stored(3, unhelped=False)]
    assert [each.unanswered for each in exchanges(said, "a3")] == [False, False, True]
    assert [each.unanswered for each in exchanges(said, "")] == [False, True, False]
    assert [each.unanswered for each in exchanges(said, "unknown")] == [False, True, False]
    assert [each.unanswered for each in exchanges(said[2:], "")] == [False]


def test_of_pages_those_that_are_cited_are_named_and_without_any_the_first_that_were_found() -> None:
    many = [source(number) for number in range(1, 9)]
    [cited] = exchanges([stored(1, sources=many, citations=[2])], "")
    assert [page.title for page in cited.pages] == ["Page 2"]
    [found] = exchanges([stored(1, sources=many, citations=[])], "")
    assert len(found.pages) == MOST_PAGES


def test_what_is_still_being_written_is_left_out() -> None:
    assert finished([stored(1), stored(2, "running")]) == [stored(1)]
    assert finished([stored(1), stored(2, "running"), stored(3)]) == [stored(1)]


def test_an_answer_without_a_document_is_a_question_alone() -> None:
    [exchange] = exchanges([stored(1, "interrupted")], "")
    assert (exchange.answer, exchange.pages) == ("", [])


def test_markdown_is_read_as_plain_text() -> None:
    markdown = (
        "**Fees**\n\n> ## Dog tax\n>\n> It is __96__ *euros*. [1]\n>\n"
        "> | Dog | Tax |\n> |---|---|\n> | first | 96 € |"
        "\n\n- [More](https://town.example)\n- Less"
    )
    [exchange] = exchanges([stored(1, answer=markdown)], "")
    assert exchange.answer == (
        "Fees\n\nDog tax\n\nIt is 96 euros.\n\nDog · Tax\nfirst · 96 €\n\n- More\n- Less"
    )
