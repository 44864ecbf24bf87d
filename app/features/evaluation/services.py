"""The services that grade answers to visitors."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.chat.energy import is_model_here
from app.chat.grading import Grading
from app.errors import SettingsError
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge import make_criteria_grader
from app.features.evaluation.judge_model import JudgeModel, make_judge
from app.features.evaluation.live_grades import LiveGrades
from app.features.evaluation.live_quality import GRADED_STATUSES, LiveGrader, SampleSettings, day_to_grade
from app.lazy import lazy
from app.pages.database import utc_now
from app.services.feature_services import FeatureServices
from app.settings.sites import is_loopback
from ingest.said import Said

if TYPE_CHECKING:
    from app.services import Services

BATCH_SHARE = 2.0
"""An answer's grade may take this many times ``lease_seconds``, retries included."""

LEASE_SHARE = 2.5
"""A worker may be silent for this many times ``lease_seconds``. A Celery task is ended after that time."""


class EvaluationServices(FeatureServices):
    """Builds what grades the answers of the last day, if the settings ask for it."""

    @lazy
    def stored(self) -> LiveGrades:
        """The answers that may be graded, and their grades."""
        return LiveGrades(self._services.engine, GRADED_STATUSES)

    @lazy
    def judge(self) -> JudgeModel:
        """The model that grades. Raises ``SettingsError`` if the settings name none."""
        settings = self._services.settings
        most_seconds = BATCH_SHARE * settings.lease_seconds / (settings.judge.retries + 1)
        judge = make_judge(settings, most_seconds)
        if judge is None:
            raise SettingsError("no language model is set for grading: set judge.model or chat.model")
        return judge

    @lazy
    def grader(self) -> LiveGrader:
        """The grader of a sample. Raises ``InputError`` if the rubric cannot be used."""
        settings, chat = self._services.settings, self._services.chat
        return LiveGrader(
            stored=self.stored,
            conversations=chat.conversations,
            run=GradingRun(
                judge=self.judge,
                grader=make_criteria_grader(chat.prompts, settings.judge),
                parallel=settings.judge.parallel,
            ),
            sample=SampleSettings(
                number=settings.judge.live_answers,
                lease=timedelta(seconds=LEASE_SHARE * settings.lease_seconds),
            ),
            workers=self._services.workers,
            busy=chat.is_answering,
        )

    def is_due(self) -> bool:
        """Return True if answers are to be graded now."""
        now = utc_now()
        return self.stored.is_due(day_to_grade(now), now)

    def progress(self) -> Said:
        """Report how many answers of the last day are graded. Raises the same errors as :attr:`grader`."""
        _ = self.grader  # reads the rubric
        day = day_to_grade(utc_now())
        graded = [each.grade for each in self.stored.since(day) if each.asked_at.date() == day]
        ungraded = sum(bool(grade["ungraded"]) for grade in graded)
        return Said(
            "{count:,} answers of {day} graded, {ungraded:,} ungraded",
            count=len(graded) - ungraded,
            day=day,
            ungraded=ungraded,
        )


def grading(services: Services) -> Grading | None:
    """How answers are graded; ``None`` if they are not."""
    settings, judge = services.settings, services.settings.judge
    if not judge.live_answers:
        return None
    is_own_here = is_loopback(urlsplit(judge.base_url).hostname or "")
    is_here = is_own_here if judge.base_url else is_model_here(settings)
    return Grading(answers=judge.live_answers, is_elsewhere=not is_here)
