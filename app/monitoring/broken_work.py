"""Work that broke for reasons nobody expected, in words for readiness; empty where none did."""

from collections.abc import Iterable
from typing import Final

from app.pages.pulls import BROKE
from app.services import Services

_REMEDY: Final = "please report this with its traceback, which is in the log"


def broken_pulls(services: Services) -> str:
    """Name the sources of the settings whose last pull broke."""
    pulls = services.sources.pull_log.by_source()
    broken = [
        f"the last pull of {name} {pulls[name].problem}"
        for name in sorted(services.settings.sources)
        if name in pulls and pulls[name].problem.startswith(BROKE)
    ]
    return _joined(broken)


def halted_pulls(services: Services) -> str:
    """Say which sources were halted, and wait for a person's decision."""
    pulls = services.sources.pull_log.by_source()
    return "; ".join(pulls[name].halted_for for name in sorted(pulls) if pulls[name].halt == "halted")


def broken_steps(services: Services) -> str:
    """Name the steps of background work that broke within a day."""
    return _joined(
        f"{each.step} broke at {each.at:%Y-%m-%d %H:%M} UTC: {each.problem}"
        for each in services.background.faults.recent()
    )


def _joined(broken: Iterable[str]) -> str:
    text = "; ".join(broken)
    return f"{text}: {_REMEDY}" if text else ""
