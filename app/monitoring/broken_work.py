"""Descriptions of unexpectedly broken work, for readiness; empty if there is none."""

from collections.abc import Iterable
from typing import Final

from app.pages.pulls import BROKE, Pull
from app.services import Services
from app.sources.halts import in_words
from ingest.said import Said, joined

_WITH_REMEDY: Final = "{parts}: please report this with the traceback from the log"


def broken_pulls(services: Services) -> str:
    """Describe the last pulls that broke, of sources in the settings."""
    return _joined(
        Said("the last pull of {name} broke: {problem}", name=pull.source, problem=problem)
        for pull in _last_pulls(services)
        if (problem := pull.problem.removeprefix(f"{BROKE}: ")) != pull.problem
    )


def halted_pulls(services: Services) -> str:
    """Describe the halted pulls that wait for a person's decision, of sources in the settings."""
    halted = [pull for pull in _last_pulls(services) if pull.halt == "halted"]
    return joined(Said("{name}: {what}", name=pull.source, what=in_words(pull.halted_for)) for pull in halted)


def broken_steps(services: Services) -> str:
    """Describe the background steps that broke within a day."""
    return _joined(
        Said(
            "{name} broke at {at:%Y-%m-%d %H:%M} UTC: {problem}",
            name=each.step,
            at=each.at,
            problem=each.problem,
        )
        for each in services.background.faults.recent()
    )


def _last_pulls(services: Services) -> list[Pull]:
    """The last pulls of sources in the settings, by name."""
    pulls = services.sources.pull_log.by_source()
    return [pulls[name] for name in sorted(services.settings.sources) if name in pulls]


def _joined(broken: Iterable[Said]) -> str:
    parts = tuple(broken)
    return Said(_WITH_REMEDY, parts=parts) if parts else ""
