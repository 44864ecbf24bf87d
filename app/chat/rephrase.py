"""Lets the model rephrase a question so that it can be searched for without the conversation.

The model replies with a JSON object: the question, and, if the preset asks for them, keywords and the time
that the question is about. Models put fences, reasoning or a sentence around it, which is skipped. A reply
without the object is a failure: a small model may answer or chat instead. :mod:`app.chat.rewrite_check`
checks the meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, BeforeValidator

from app.chat.history import recent
from app.chat.model.cancellation import Cancellation
from app.chat.model.json_reply import parsed_reply
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.chat.types import Turn
from app.errors import ModelError
from app.search.types import ANY_TIME, TimeFilter
from ingest.text import visible

REPLY_TOKENS: Final = 300
QUESTION_CHARACTERS: Final = 400
"""A rephrased question longer than this, and than twice the visitor's, is refused."""

MAX_KEYWORDS: Final = 10
KEYWORD_CHARACTERS: Final = 60

_QUOTED: Final = re.compile(r"([\"'„“«‚])(.*)[\"'“”»‘]", re.DOTALL)
_DAY: Final = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RephrasedQuestion:
    """A question that needs no conversation, further words for the keyword search, and the time that the
    visitor asks about."""

    question: str
    keywords: tuple[str, ...] = ()
    time: TimeFilter = ANY_TIME


def _keyword_list(value: object) -> object:
    texts = value.split(",") if isinstance(value, str) else value
    if not isinstance(texts, list):
        return []
    words = [visible(text).strip()[:KEYWORD_CHARACTERS] for text in texts if isinstance(text, str)]
    return [word for word in words if word][:MAX_KEYWORDS]


def _day(value: object) -> date | None:
    """The first day of ``2010``, ``2010-05`` or ``2010-05-01``; ``None`` for anything else."""
    found = _DAY.fullmatch(str(value).strip())
    if found is None:
        return None
    try:
        return date(*(int(number or 1) for number in found.groups()))
    except ValueError:
        return None


_Day = Annotated[date | None, BeforeValidator(_day)]


class _Reply(BaseModel):
    question: str
    keywords: Annotated[list[str], BeforeValidator(_keyword_list)] = []
    in_force_on: _Day = None
    published_from: _Day = None
    published_before: _Day = None

    def time(self, today: date) -> TimeFilter:
        """The time to search. Today is left out, as it is the default."""
        start, end = self.published_from, self.published_before
        if start and end and start >= end:
            start = end = None
        at = None if self.in_force_on == today else self.in_force_on
        return TimeFilter(at=at, published_from=start, published_before=end)


def rephrase(
    model: LanguageModel,
    question: str,
    history: Sequence[Turn],
    *,
    language: str,
    today: date,
    deadline: float,
    extract: bool = False,
    expand: bool = False,
    prompts: Prompts = PACKAGE_PROMPTS,
    cancellation: Cancellation | None = None,
) -> RephrasedQuestion | None:
    """Rephrase the question with the model within ``deadline`` seconds. ``extract``: also keywords and a
    time; ``expand``: in more detail.

    ``None`` if the model fails, or its reply has no JSON object with a question, or that question is empty,
    too long or more than one line.
    """
    messages = prompts.rephrase(
        question=question,
        history=recent(history),
        language=language,
        today=today,
        extract=extract,
        expand=expand,
    )
    try:
        reply = model.complete(messages, REPLY_TOKENS, deadline, cancellation)
    except ModelError as error:
        log.warning("rephrase_failed", kind=error.kind, message=str(error))
        return None
    parsed = parsed_reply(reply, _Reply)
    rephrased = valid_question(parsed.question, question) if parsed else None
    if parsed is None or rephrased is None:
        log.warning("rephrase_failed", kind="bad_reply", characters=len(reply))
        return None
    if not extract:
        return RephrasedQuestion(question=rephrased)
    return RephrasedQuestion(question=rephrased, keywords=tuple(parsed.keywords), time=parsed.time(today))


def valid_question(text: str, question: str) -> str | None:
    """The model's question without quotation marks; ``None`` if it is empty, too long or several lines."""
    line = visible(text).strip()
    if quoted := _QUOTED.fullmatch(line):
        line = quoted[2].strip()
    too_long = len(line) > max(QUESTION_CHARACTERS, 2 * len(question))
    return None if "\n" in line or too_long or not any(map(str.isalnum, line)) else line
