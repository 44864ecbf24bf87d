"""The line of ``/readyz`` about grades of answers to visitors."""

from app.monitoring.check import Check, run, verified
from app.services import Services


def live_quality(services: Services) -> list[Check]:
    """Report the judge of answers to visitors, where some are to be graded, and what it did last."""
    if not services.settings.judge.live_answers:  # asked first: the rest takes a while to import
        return []
    from app.features.evaluation.services import EvaluationServices  # noqa: PLC0415

    ours = services.feature(EvaluationServices)
    availability = ours.judge.availability
    return [run("live quality", False, lambda: f"{ours.progress()}; judge {verified(availability)}")]
