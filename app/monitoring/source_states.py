"""The states of sources for people: their pages, last messages and pulls, and problems."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Annotated, Final

from pydantic import PlainSerializer

from app.document import Document
from app.errors import HaltReason, NotFoundError
from app.pages.pulls import Halt, Pull
from app.pages.types import JobDocument, PageState, RejectionDocument
from app.services import Services
from app.settings.sources import SourceSettings
from app.sources.factory import next_pull
from app.sources.halts import in_words

EVENTS: Final = "events"
HALTED: Final = "halted: "
LAST: Final = 20
"""Number of a source's jobs and rejected documents that are shown."""


_ExactMoment = Annotated[datetime, PlainSerializer(datetime.isoformat)]


class PullProgressDocument(Document):
    """The progress of a pull that runs or resumes soon. ``total``: pages known so far; ``per_minute``: pages
    visited a minute while it ran; ``seconds_left``: at that speed."""

    done: int
    total: int
    per_minute: int
    seconds_left: int

    def in_words(self) -> str:
        """Describe the progress in English."""
        minutes = ceil(self.seconds_left / 60)
        return (
            f"{self.done:,} of about {self.total:,} pages, {self.per_minute:,} a minute, "
            f"about {minutes:,} min left"
        )


class SourceStateDocument(Document):
    """A source with its pages by state; times have fractions of seconds. ``kind``: its plugin, ``events`` if
    it is only pushed, empty if only commands fill it. ``last_event``: when its CMS last sent a message.
    ``halt``: ``halted`` if a pull was halted for the reasons in ``halted_for``, ``kept`` if a person keeps
    the old pages, ``taken_over`` if the next pull takes over the new ones; otherwise empty. ``progress``:
    that of a pull in progress."""

    name: str
    kind: str
    pages: dict[PageState, int]
    last_event: _ExactMoment | None
    last_pull: _ExactMoment | None
    next_pull: _ExactMoment | None
    progress: PullProgressDocument | None
    problem: str
    halt: Halt
    halted_for: list[HaltReason]

    @property
    def is_only_halted(self) -> bool:
        """True if the only problem is that the last pull was halted."""
        return self.problem.startswith(HALTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """A source with the jobs of its last messages, newest first, and the documents that could not be read.
    ``secrets``: their number. ``every``: seconds between pulls, ``None`` if none are scheduled."""

    state: SourceStateDocument
    secrets: int
    every: float | None
    jobs: Sequence[JobDocument]
    rejected: Sequence[RejectionDocument]


def source_report(services: Services, name: str) -> SourceReport:
    """Make the report of one source. Raises ``NotFoundError``."""
    found = source_states(services, {name})
    if not found:
        raise NotFoundError("there is no source {name!r}", name=name)
    table = services.settings.sources.get(name, SourceSettings())
    return SourceReport(
        state=found[0],
        secrets=len(table.secrets),
        every=table.every,
        jobs=services.deliveries.newest_jobs(name, LAST),
        rejected=services.page_list.rejected(name)[:LAST],
    )


def source_states(services: Services, within: Collection[str] | None = None) -> list[SourceStateDocument]:
    """Return the state of every source with pages, settings or pulls, by name; ``within``: only of these."""
    tables, pulls = services.settings.sources, services.sources.pull_log.by_source()
    counts, events = services.store.counts_by_source(), services.deliveries.last_messages()
    now = datetime.now(UTC)
    names = {*services.store.sources(), *tables, *pulls, *counts}
    return [
        SourceStateDocument(
            name=name,
            kind=table.kind or (EVENTS if table.secrets else ""),
            pages=counts.get(name, {}),
            last_event=events.get(name),
            last_pull=last.started_at if last else None,
            next_pull=next_pull(table, last, now),
            progress=_progress(last),
            problem=_problem(last),
            halt=last.halt if last else "",
            halted_for=list(last.halted_for) if last else [],
        )
        for name in sorted(names)
        if within is None or name in within
        for table, last in [(tables.get(name, SourceSettings()), pulls.get(name))]
    ]


def _progress(last: Pull | None) -> PullProgressDocument | None:
    if last is None or not last.done:
        return None
    return PullProgressDocument(
        done=last.done,
        total=last.done + last.left,
        per_minute=round(60 * last.done / max(last.seconds, 1)),
        seconds_left=round(last.left * last.seconds / last.done),
    )


def _problem(last: Pull | None) -> str:
    if last is None or last.problem:
        return last.problem if last else ""
    if last.finished_at is None and not last.done:
        return "being pulled"
    return HALTED + in_words(last.halted_for) if last.halt == "halted" else ""
