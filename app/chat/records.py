"""Events within an answer's steps that are reported to a recorder (:mod:`app.search.recorder`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.rephrase import RephrasedQuestion
from app.chat.rewrite_check import Rejection
from app.chat.types import Message

if TYPE_CHECKING:  # the answer's steps import this module
    from app.chat.answer_steps import QuestionResult
    from app.chat.context import Context
    from app.chat.replies import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRephrased:
    """The model's rephrasing of the question, None if it failed. ``rejected``: why it was not used."""

    rephrased: RephrasedQuestion | None
    rejected: Rejection | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTranslated:
    """The question in another language. ``accepted``: True if it still asks the same."""

    language: str
    text: str
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRefused:
    """The pages found are not used."""

    reason: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondSearch:
    """The further search that the model wanted."""

    wanted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetGiven:
    """The token budget of the pages in the prompt."""

    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWritten:
    """The model's answer has ended, or failed."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded:
    """A step has been taken (:mod:`app.chat.answer_steps`), with the pages found, context and prompt after
    it."""

    name: str
    found: QuestionResult | None
    context: Context | None
    messages: Sequence[Message]
