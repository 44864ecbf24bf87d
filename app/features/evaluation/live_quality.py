"""Grades a sample of the answers that visitors got, after their day has ended.

Invariants:

* Everything sent is redacted: question, earlier turns, answer and what the model read.
* Each grade is stored at once, so a worker that is interrupted or dies loses only those in progress.
* One worker at a time grades (:mod:`app.features.evaluation.live_grades`).
* An answer that the judge fails on moves behind the others, so that it does not hold them up.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

from app.background.nightly import last_night
from app.chat.conversations import Conversations
from app.chat.events import Status
from app.chat.redaction import redacted
from app.chat.stored import read_document
from app.chat.types import Turn
from app.errors import ModelError
from app.features.evaluation.feature import LIVE_ANSWERS, LIVE_SCORES
from app.features.evaluation.grades import Grade
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge_model import UngradedError
from app.features.evaluation.live_grades import LiveGrades, UngradedAnswer
from app.features.evaluation.rubric import CRITERIA, Scale
from app.features.evaluation.sheets import AnswerSheet
from app.indexing.stopping import Stop, never
from app.pages import counters
from app.pages.database import utc_now
from app.pages.workers import WorkerRegistry
from app.search.languages import question_language

GRADED_STATUSES: Final[tuple[Status, ...]] = ("answered", "partly", "unverified", "extractive")
"""Statuses of answers from pages. Refusals are not graded: what was read does not show if they were right."""

NO_CONTEXT: Final = "nothing is stored of what the model read"
NO_ANSWER: Final = "the stored answer cannot be read"


def day_to_grade(now: datetime) -> date:
    """Return the day before the current or last night, in UTC."""
    return (last_night(now) - timedelta(days=1)).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """Settings of the sample. ``number``: of answers a day; ``lease``: how long one batch may take."""

    number: int
    lease: timedelta


@dataclass(kw_only=True, eq=False)
class LiveGrader:
    """A :data:`app.background.steps.StepFunction` that grades the answers of the last day, some at each call.
    ``busy``: returns True while the model may have something more urgent to do."""

    stored: LiveGrades
    conversations: Conversations
    run: GradingRun
    sample: SampleSettings
    workers: WorkerRegistry
    busy: Callable[[], bool] = never
    clock: Callable[[], datetime] = utc_now
    _finished: date | None = field(default=None, init=False)
    _failures: Counter[str] = field(default_factory=Counter, init=False)

    def __call__(self, stop: Stop) -> bool:
        """Grade some answers. Raises ``ModelError`` while the judge is away."""
        now = self.clock()
        day = day_to_grade(now)
        if day == self._finished or self.busy() or not self.stored.is_due(day, now):
            return False
        worker = self.workers.id
        if not self.stored.hold(day, worker, now, now + self.sample.lease):
            return False
        try:
            waiting = self.stored.waiting(day, self.sample.number)
            self._grade(self._batch(waiting), stop)
            if not waiting:
                self.stored.finish(day, worker)
                self._finished = day
                self._failures.clear()
        finally:
            self.stored.release(worker)
        return bool(waiting)

    def _batch(self, waiting: Sequence[UngradedAnswer]) -> list[UngradedAnswer]:
        """Return the next answers; after a failure only one, to find out which answer causes failures."""
        ordered = sorted(waiting, key=lambda each: self._failures[each.id])
        return ordered[: 1 if self._failures else self.run.parallel]

    def _grade(self, batch: Sequence[UngradedAnswer], stop: Stop) -> None:
        same, sheets = defaultdict[str, list[UngradedAnswer]](list), dict[str, AnswerSheet]()
        for each in batch:
            try:
                sheet = self._sheet(each)
            except UngradedError as error:
                self._store(each, self._ungraded(each, error.reason))
            else:
                sheets[sheet.fingerprint] = sheet
                same[sheet.fingerprint].append(each)
        try:
            with closing(self.run.grades([*sheets.values()], stop=stop)) as grades:
                for grade in grades:
                    for each in same.pop(grade.sheet):
                        self._store(each, grade)
        except ModelError:
            self._failures.update(each.id for group in same.values() for each in group)
            raise

    def _sheet(self, answer: UngradedAnswer) -> AnswerSheet:
        """Make the sheet of an answer that the judge sees. Raises ``UngradedError``."""
        document = read_document(answer)
        if document is None or not document["answer"]:
            raise UngradedError(NO_ANSWER)
        if not answer.context:
            raise UngradedError(NO_CONTEXT)
        history = self.conversations.history_before(answer.conversation, answer.number)
        return AnswerSheet(
            id=answer.id,
            question=redacted(answer.question),
            history=tuple(Turn(role=turn.role, content=redacted(turn.content)) for turn in history),
            language=question_language(answer.question) or "",
            model=document.get("model") or "",
            status=document["status"],
            answer=redacted(document["answer"]),
            context=tuple(map(redacted, answer.context)),
        )

    def _ungraded(self, answer: UngradedAnswer, reason: str) -> Grade:
        grader = self.run.grader
        return Grade(
            sheet=answer.id,
            judge=self.run.judge.name,
            style=grader.style,
            scale=grader.scale,
            recipe=grader.recipe,
            ungraded=reason,
        )

    def _store(self, answer: UngradedAnswer, grade: Grade) -> None:
        self.stored.add(answer.id, grade.model_dump_json(), _amounts(answer.site, grade))


def _amounts(site: str, grade: Grade) -> counters.Amounts:
    """Return the amounts that a grade adds to the counters."""
    if grade.ungraded:
        return {(LIVE_ANSWERS, site, "ungraded"): 1}
    scale = Scale.of(grade.scale)
    scores = {name: grade.scores.get(name) for name in CRITERIA}
    return {
        (LIVE_ANSWERS, site, "graded"): 1,
        **{
            (LIVE_SCORES, site, name): scale.share(score)
            for name, score in scores.items()
            if score is not None
        },
    }
