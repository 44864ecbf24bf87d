"""A judge's run over answer sheets: the sheets left to grade, the cost, and parallel requests."""

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from app.chat.model.cancellation import Cancellation
from app.chat.model.tokens import Prices, Tokens, estimate
from app.chat.types import Message
from app.errors import InputError
from app.features.evaluation.grades import Grade
from app.features.evaluation.judge import Grader, sheet_language
from app.features.evaluation.judge_model import Conversation, JudgeModel, Reply, UngradedError
from app.features.evaluation.sheets import AnswerSheet, TokenCount
from app.indexing.progress import Progress, Show, silent
from app.indexing.stopping import Stop, never
from app.settings.judge import JudgeSettings

AHEAD: Final = 2
"""Sheets submitted for each thread: enough to keep it busy, and few, so that a stop takes effect soon."""

POLL_SECONDS: Final = 0.2


def left(
    sheets: Sequence[AnswerSheet], there: Sequence[Grade], grader: Grader, judge: str, *, retry: bool = False
) -> list[AnswerSheet]:
    """Return the sheets that have no grade yet. ``retry``: also those that ended ungraded.

    Raises ``InputError`` if existing grades are of another judge, prompt, rubric or scale.
    """
    wanted = judge, grader.style, grader.recipe
    for grade in there:
        if (grade.judge, grade.style, grade.recipe) != wanted:
            raise InputError(
                f"its grades were given by {grade.judge!r} in style {grade.style}, or with another prompt, "
                "rubric or scale: choose another --out"
            )
    last = {grade.sheet: grade for grade in there}
    done = {sheet for sheet, grade in last.items() if not (retry and grade.ungraded)}
    return [sheet for sheet in sheets if sheet.fingerprint not in done]


def expected_tokens(sheets: Sequence[AnswerSheet], grader: Grader) -> Tokens:
    """Estimate the tokens for grading these sheets, without retries."""
    total = Tokens()
    for sheet in sheets:
        prompts = grader.prompts(sheet)
        read = sum(estimate(each.content, sheet_language(sheet)) for prompt in prompts for each in prompt)
        total += Tokens(prompt=read, output=grader.output_tokens(sheet))
    return total


def used_tokens(grades: Sequence[Grade]) -> Tokens:
    """Sum the tokens that grades took."""
    total = Tokens()
    for grade in grades:
        tokens = grade.tokens
        total += Tokens(prompt=tokens.prompt, cached=tokens.cached, output=tokens.output)
    return total


def prices_of(settings: JudgeSettings) -> Prices | None:
    """Return the prices that the settings name, or ``None``."""
    return Prices.of(settings.input_price, settings.cached_price, settings.output_price)


def spent(document: Mapping[str, Any]) -> str:
    """Format the judge's tokens in a document, with their cost if that is known."""
    tokens, cost = document["tokens"], document["cost"]
    told = f"{tokens['prompt']:,} read, {tokens['output']:,} written"
    return told if cost is None else f"{told}, cost {cost:,.4f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRun:
    """Grades sheets with ``parallel`` requests at once."""

    judge: JudgeModel
    grader: Grader
    parallel: int
    _cancellations: set[Cancellation] = field(default_factory=set, init=False)

    def grades(
        self, sheets: Sequence[AnswerSheet], show: Show = silent, stop: Stop = never
    ) -> Generator[Grade, None, None]:
        """Yield the grades as they come, until soon after ``stop`` returns True. ``show`` is called with the
        progress.

        Raises ``ModelError`` if the judge is away or refuses. Other requests are cancelled then, and when the
        generator is closed.
        """
        waiting, running = iter(sheets), set[Future[Grade]]()
        done = 0
        with self._pool() as pool:
            while True:
                while len(running) < self.parallel * AHEAD and (sheet := next(waiting, None)):
                    running.add(pool.submit(self._grade, sheet))
                if not running or stop():
                    return
                finished, running = wait(running, POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()
                    done += 1
                    show(Progress(done=done, total=len(sheets), unit="answers"))

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Yield threads, and stop them at the end, whatever they wait for."""
        pool = ThreadPoolExecutor(self.parallel, thread_name_prefix="judge")
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for cancellation in [*self._cancellations]:
                cancellation.request()
            pool.shutdown()

    def _grade(self, sheet: AnswerSheet) -> Grade:
        conversation, cancellation, started = Conversation(), Cancellation(), time.monotonic()
        self._cancellations.add(cancellation)
        try:
            return self._graded(sheet, conversation, cancellation, started)
        finally:
            self._cancellations.discard(cancellation)

    def _graded(
        self, sheet: AnswerSheet, conversation: Conversation, cancellation: Cancellation, started: float
    ) -> Grade:
        def ask(messages: Sequence[Message], reply: type[Reply]) -> Reply:
            return self.judge.ask(messages, reply, conversation, cancellation)

        make = partial(
            Grade,
            sheet=sheet.fingerprint,
            judge=self.judge.name,
            style=self.grader.style,
            scale=self.grader.scale,
            recipe=self.grader.recipe,
        )
        said: dict[str, Any]
        try:
            verdict = self.grader.grade(sheet, ask)
            said = {"scores": verdict.scores, "reasons": verdict.reasons, "comparison": verdict.comparison}
        except UngradedError as error:
            said = {"ungraded": error.reason}
        return make(
            **said,
            served=tuple(sorted(conversation.names)),
            replies=conversation.replies,
            tokens=TokenCount(
                prompt=conversation.prompt,
                cached=conversation.cached,
                output=conversation.output,
                estimated=conversation.is_estimated,
            ),
            seconds=round(time.monotonic() - started, 3),
        )
