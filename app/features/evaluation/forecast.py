"""Forecasts the tokens that answers will take, by doing everything except asking the model."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

from app.chat.model.cancellation import Cancellation
from app.chat.model.reply_form import PLAIN, ReplyForm
from app.chat.model.tokens import Tokens, estimate
from app.chat.types import Message
from app.errors import ModelError
from app.features.evaluation.grading import expected_tokens
from app.features.evaluation.judge import Grader
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.sheets import Respondent, SheetModel, SheetRun, TokenCount

SAMPLE: Final = 20
"""Only this many questions are looked at; the others are assumed to be like them."""

ANSWER: Final = "STATUS: answered\n" + "Here an answer stands that is about as long as most are. " * 14
NOTHING: Final = Tokens()
REWRITE_TOKENS: Final = 60


class UnaskedModel(SheetModel):
    """Counts the tokens that a model would take, and answers with filler. ``taken``: the total."""

    taken = NOTHING

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        _cancellation: Cancellation | None = None,
        _form: ReplyForm = PLAIN,
    ) -> Generator[str, None, None]:
        """Count the tokens of an answer."""
        output = min(estimate(ANSWER), max_tokens)
        self.tokens = TokenCount(prompt=_read(messages), output=output, estimated=True)
        self.taken += Tokens(prompt=self.tokens.prompt, output=output)
        yield ANSWER

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        _deadline: float,
        _cancellation: Cancellation | None = None,
        _form: ReplyForm = PLAIN,
    ) -> str:
        """Count the tokens of a rephrased question, and fail, so that the question is searched as asked."""
        self.taken += Tokens(prompt=_read(messages), output=min(REWRITE_TOKENS, max_tokens))
        raise ModelError("garbage", "a forecast asks no model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Estimated tokens for answering, and for grading the answers."""

    answering: Tokens = NOTHING
    grading: Tokens = NOTHING

    def __add__(self, other: "Forecast") -> "Forecast":
        return Forecast(answering=self.answering + other.answering, grading=self.grading + other.grading)


def forecast(run: SheetRun, missing: Sequence[tuple[PoolQuestion, Respondent]], grader: Grader) -> Forecast:
    """Estimate the tokens for answering what is ``missing``, by unasked models, and for grading that."""
    sample = missing[:SAMPLE]
    if not sample:
        return Forecast()
    sheets, times = list(run.answers(sample)), len(missing) / len(sample)
    models = {id(each.model): each.model for _, each in sample}.values()
    taken = sum((each.taken for each in models if isinstance(each, UnaskedModel)), NOTHING)
    return Forecast(answering=taken.times(times), grading=expected_tokens(sheets, grader).times(times))


def _read(messages: Sequence[Message]) -> int:
    return sum(estimate(message.content) for message in messages)
