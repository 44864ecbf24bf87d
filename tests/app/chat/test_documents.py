"""What programs and pages are told of an answer."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.chat.documents import AnswerDocument, more_html, source_documents, stored_document
from app.chat.events import DoneEvent
from app.chat.source_items import source_item
from app.chat.stored import StoredAnswer
from tests.app.chat.pages import hit, page, retrieval

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
QUESTION = "How much is it?"
DOG_TAX = hit(page("dog-tax", title="Dog tax", content="It is 96 euros.\n\n## Exemptions\n\nGuide dogs.\n"))
QUOTED = DoneEvent(
    answer="It is 96 euros [1].",
    status="extractive",
    mode="semantic",
    degraded=(),
    model=None,
    sources=(source_item(DOG_TAX, 1, "It is 96 euros."),),
    citations=(1,),
    retrieval=retrieval(QUESTION, DOG_TAX),
    language="en",
)


def test_what_else_the_page_has_is_told_where_there_is_more() -> None:
    more = replace(QUOTED, more=("> **Exemptions**\n>\n> Guide dogs. [1]",))
    sources = source_documents(QUESTION, more)
    document = AnswerDocument.of(QUESTION, more, sources).to_json()
    assert document["more"] == ["> **Exemptions**\n>\n> Guide dogs. [1]"]
    assert "more" not in AnswerDocument.of(QUESTION, QUOTED, sources).to_json()
    html = more_html(document["more"], sources)
    assert html is not None
    assert html.startswith("<blockquote>\n<p><strong>Exemptions</strong></p>")
    assert 'href="#source-1"' in html
    assert more_html((), sources) is None


def test_nothing_is_suggested_behind_what_only_comes_near_to_the_question() -> None:
    near = replace(QUOTED, retrieval=replace(retrieval(QUESTION, DOG_TAX), certainty="near"))
    assert AnswerDocument.of(QUESTION, QUOTED, ()).to_json()["suggestions"] == ["Exemptions – Dog tax"]
    assert AnswerDocument.of(QUESTION, near, ()).to_json()["suggestions"] == []
    assert AnswerDocument.of(QUESTION, replace(near, status="answered"), ()).to_json()["suggestions"] == [
        "Exemptions – Dog tax"
    ]


def test_words_that_no_page_has_are_told_but_for_those_that_were_taken_out_of_the_question() -> None:
    lacking = replace(retrieval(QUESTION, DOG_TAX), absent_words=("much", "ada@otter.example"))
    document = AnswerDocument.of(QUESTION, replace(QUOTED, retrieval=lacking), ()).to_json()
    assert document["absent_words"] == ["much"]
    assert "absent_words" not in AnswerDocument.of(QUESTION, QUOTED, ()).to_json()


def test_it_is_told_if_it_is_asked_what_is_meant() -> None:
    assert AnswerDocument.of(QUESTION, replace(QUOTED, asks_back=True), ()).to_json()["asks_back"] is True
    assert "asks_back" not in AnswerDocument.of(QUESTION, QUOTED, ()).to_json()


@pytest.mark.parametrize(
    ("changes", "unhelped"),
    [
        ({"status": "answered"}, False),
        ({"status": "partly"}, True),
        ({"status": "no_answer"}, True),
        ({"status": "failed"}, True),
        ({"status": "greeting"}, False),
        ({"status": "greeting", "wants_person": True}, True),
    ],
)
def test_a_person_may_help_where_an_answer_is_unsure_or_one_was_asked_for(
    changes: dict[str, Any], unhelped: bool
) -> None:
    document = AnswerDocument.of(QUESTION, replace(QUOTED, **changes), ()).to_json()
    assert document["unhelped"] is unhelped
    stored = StoredAnswer(
        id="a",
        conversation="c",
        question=QUESTION,
        started_at=NOON,
        status=changes["status"],
        document=document,
    )
    assert stored_document(stored)["unhelped"] is unhelped


def test_of_what_an_earlier_version_stored_its_certainty_says_so() -> None:
    for status, certainty, unhelped in (("answered", "near", True), ("greeting", "none", False)):
        document = {"answer": "x", "status": status, "certainty": certainty}
        stored = StoredAnswer(
            id="a", conversation="c", question=QUESTION, started_at=NOON, status=status, document=document
        )
        assert stored_document(stored)["unhelped"] is unhelped
