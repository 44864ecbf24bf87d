"""An editor is told why a question counts as not answered well."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.chat.outcomes import outcome_of
from app.console.texts import TEXTS
from app.features.questions.reasons import reasons
from app.features.questions.store import QuestionDocument

SURE = {"status": "extractive", "certainty": "sure"}


def told(document: dict[str, Any], rating: Any = "", reaction: Any = "") -> list[str]:
    asked = QuestionDocument(
        id="a",
        asked_at=datetime.now(UTC),
        site="town",
        language="en",
        question="Is there a zoo?",
        outcome=outcome_of(document, rating, reaction),
        status=document["status"],
        answer="A.",
        sources=[],
        degraded=[],
        rating=rating,
        comment="",
    )
    return list(reasons(asked, document, TEXTS["en"]))


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"status": "no_answer"}, "No page answers it."),
        ({"status": "partly"}, "The pages answer only part of it."),
        ({"status": "unverified"}, "The pages do not say what the language model wrote."),
        ({"status": "extractive", "certainty": "near"}, "It is not certain that the pages answer it:"),
        (SURE | {"absent_words": ["zoo"]}, "“zoo” is on no page"),
    ],
)
def test_what_an_answer_lacks_is_told(document: dict[str, Any], reason: str) -> None:
    [found] = told(document)
    assert found.startswith(reason)


def test_what_its_visitor_did_is_told_beside_it() -> None:
    assert told(SURE, "down") == ["The visitor did not find the answer helpful."]
    assert told(SURE, reaction="asked_again")[0].startswith("The visitor asked the same question again")
    both = told(SURE | {"absent_words": ["zoo"]}, "down")
    assert both == ["“zoo” is on no page", "The visitor did not find the answer helpful."]


def test_a_good_answer_needs_no_reason() -> None:
    assert told(SURE) == [] == told({"status": "partly"}, "up")
