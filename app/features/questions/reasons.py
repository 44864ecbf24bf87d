"""Reasons for which a question counts as not answered well, as texts for editors. A pure function."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.chat.outcomes import GAPS, outcome_of
from app.features.questions.store import QuestionDocument


def reasons(asked: QuestionDocument, document: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons why ``asked``, with the answer ``document``, was not answered well, from ``texts``;
    nothing if it was."""
    if asked.outcome not in GAPS:
        return
    absent = document.get("absent_words") or []
    yield from (texts["missing_word"].format(word=word) for word in absent)
    of_answer = outcome_of(document)
    if of_answer == "unanswered":
        yield texts["why_none"]
    elif of_answer == "doubtful" and not absent:
        yield texts[f"why_{asked.status}" if asked.status in ("partly", "unverified") else "why_near"]
    if asked.rating == "down":
        yield texts["why_rated_down"]
    elif of_answer != asked.outcome:
        yield texts["why_reaction"]
