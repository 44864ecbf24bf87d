"""Lets the model rephrase a question so that it can be searched for without the conversation.

The model replies with a JSON object: the question, and, if the preset asks for them, keywords, the time that
the question is about, and the question in other languages. If the endpoint takes a schema, the reply is
nothing else; otherwise models may put fences, reasoning or a sentence around it, which is skipped. A reply
without the object is a failure: a small model may answer or chat instead.
:mod:`app.chat.rewrite_check` checks the meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, BeforeValidator

from app.chat.history import recent
from app.chat.model.cancellation import Cancellation
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.chat.model.reply_form import TEXT, TEXTS, ReplyForm, object_schema, parsed_reply
from app.chat.types import Turn
from app.errors import ModelError
from app.search.retrieval import ANY_TIME, TimeFilter
from ingest.text import visible

REPLY_TOKENS: Final = 300
TRANSLATION_TOKENS: Final = 100
"""Additional tokens for each translation."""

QUESTION_CHARACTERS: Final = 400
"""A rephrased question longer than both this and twice the visitor's is rejected."""

MAX_KEYWORDS: Final = 10
KEYWORD_CHARACTERS: Final = 60

_QUOTED: Final = re.compile(r"([\"'„“«‚])(.*)[\"'“”»‘]", re.DOTALL)
_DAY: Final = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RephrasedQuestion:
    """A question that needs no conversation, further words for the keyword search, the time that the
    visitor asks about, and the question in other languages."""

    question: str
    keywords: tuple[str, ...] = ()
    time: TimeFilter = ANY_TIME
    translations: Mapping[str, str] = field(default_factory=dict)


def _keyword_list(value: object) -> object:
    texts = value.split(",") if isinstance(value, str) else value
    if not isinstance(texts, list):
        return []
    words = [visible(text).strip()[:KEYWORD_CHARACTERS] for text in texts if isinstance(text, str)]
    return [word for word in words if word][:MAX_KEYWORDS]


def _texts(value: object) -> object:
    if not isinstance(value, dict):
        return {}
    return {str(key).lower(): text for key, text in value.items() if isinstance(text, str)}


def _day(value: object) -> date | None:
    """Return the first day of ``2010``, ``2010-05`` or ``2010-05-01``; None for anything else."""
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
    translations: Annotated[dict[str, str], BeforeValidator(_texts)] = {}

    def time(self, today: date) -> TimeFilter:
        """Return the time to search. Today is left out because it is the default."""
        start, end = self.published_from, self.published_before
        if start and end and start >= end:
            start = end = None
        at = None if self.in_force_on == today else self.in_force_on
        return TimeFilter(at=at, published_from=start, published_before=end)


def _schema(*, extract: bool, translate: Sequence[str]) -> dict[str, object]:
    """Return the schema of the reply. Days are strings, because every endpoint supports these."""
    fields: dict[str, object] = {"question": TEXT}
    if extract:
        day = {"type": ["string", "null"]}
        fields |= {"keywords": TEXTS, "in_force_on": day, "published_from": day, "published_before": day}
    if translate:
        fields["translations"] = object_schema(dict.fromkeys(translate, TEXT))
    return object_schema(fields)


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
    translate: Sequence[str] = (),
    prompts: Prompts = PACKAGE_PROMPTS,
    cancellation: Cancellation | None = None,
) -> RephrasedQuestion | None:
    """Rephrase the question with the model within ``deadline`` seconds.

    ``extract``: also return keywords and a time. ``expand``: ask for a longer question with more detail.
    ``translate``: also return it in these languages (ISO 639-1), as far as the reply has them.

    Return None if the model fails, or its reply has no JSON object with a question, or that question is
    empty, too long or more than one line.
    """
    messages = prompts.rephrase(
        question=question,
        history=recent(history),
        language=language,
        today=today,
        extract=extract,
        expand=expand,
        translate=translate,
    )
    tokens = REPLY_TOKENS + TRANSLATION_TOKENS * len(translate)
    form = ReplyForm(schema=_schema(extract=extract, translate=translate))
    try:
        reply = model.complete(messages, tokens, deadline, cancellation, form)
    except ModelError as error:
        log.warning("rephrase_failed", kind=error.kind, message=str(error))
        return None
    parsed = parsed_reply(reply, _Reply)
    rephrased = valid_question(parsed.question, question) if parsed else None
    if parsed is None or rephrased is None:
        log.warning("rephrase_failed", kind="bad_reply", characters=len(reply))
        return None
    translated = {each: valid_question(parsed.translations.get(each, ""), question) for each in translate}
    return RephrasedQuestion(
        question=rephrased,
        keywords=tuple(parsed.keywords) if extract else (),
        time=parsed.time(today) if extract else ANY_TIME,
        translations={each: text for each, text in translated.items() if text},
    )


def valid_question(text: str, question: str) -> str | None:
    """Return the model's question without quotation marks, or None if it is empty, too long or several
    lines."""
    line = visible(text).strip()
    if quoted := _QUOTED.fullmatch(line):
        line = quoted[2].strip()
    too_long = len(line) > max(QUESTION_CHARACTERS, 2 * len(question))
    return None if "\n" in line or too_long or not any(map(str.isalnum, line)) else line
