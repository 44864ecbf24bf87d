"""Grades a sample of the last day's answers, and reports on it to ``/readyz``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.monitoring.check import Check, run, verified
from ingest.said import Said, joined

if TYPE_CHECKING:
    from app.features.evaluation.services import EvaluationServices
    from app.indexing.stopping import Stop
    from app.services import Services


def is_due(services: Services) -> bool:
    """Return True if answers are to be graded now."""
    # Checked first, because the rest takes a while to import.
    return services.settings.judge.live_answers > 0 and _services(services).is_due()


def grade(services: Services, stop: Stop) -> bool:
    """Grade some answers. Return True if there may be more."""
    return _services(services).grader(stop)


def live_quality(services: Services) -> list[Check]:
    """Check the judge of answers to visitors and its progress; empty if none are to be graded."""
    if not services.settings.judge.live_answers:  # checked first: the rest takes a while to import
        return []
    ours = _services(services)

    def state() -> Said:
        return joined((ours.progress(), Said("judge {state}", state=verified(ours.judge.availability))))

    return [run("live quality", False, state)]


def _services(services: Services) -> EvaluationServices:
    from app.features.evaluation.services import EvaluationServices  # noqa: PLC0415

    return services.feature(EvaluationServices)
