"""The sources as people watch them: their pages, when they last delivered, what was wrong."""

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
"""Jobs and rejected documents of a source that are shown."""


_ExactMoment = Annotated[datetime, PlainSerializer(datetime.isoformat)]


class PullProgressDocument(Document):
    """The progress of a pull that runs or goes on soon. ``total``: pages that are known of so far;
    ``per_minute``: pages visited while it ran; ``seconds_left``: of that speed."""

    done: int
    total: int
    per_minute: int
    seconds_left: int

    def in_words(self) -> str:
        """Return it in English."""
        minutes = ceil(self.seconds_left / 60)
        return (
            f"{self.done:,} of about {self.total:,} pages, {self.per_minute:,} a minute, "
            f"about {minutes:,} min left"
        )


class SourceStateDocument(Document):
    """A source with its pages by state; its moments with fractions of seconds. ``kind``: its plugin,
    ``events`` for one that is only pushed, empty for one that commands fill. ``last_event``: when its CMS
    last sent a message. ``halt``: ``halted`` if a pull was halted, for ``halted_for``, ``kept`` if a person
    keeps the old pages, ``taken_over`` if the next pull takes over the new ones; else empty. ``progress``:
    of a pull of a website that is under way."""

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
        """True if nothing is wrong but what the last pull was halted for."""
        return self.problem.startswith(HALTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """A source with the jobs of its last messages, the newest first, and what could not be read. ``secrets``:
    how many there are. ``every``: seconds between pulls, ``None`` for none."""

    state: SourceStateDocument
    secrets: int
    every: float | None
    jobs: Sequence[JobDocument]
    rejected: Sequence[RejectionDocument]


def source_report(services: Services, name: str) -> SourceReport:
    """One source. Raises ``NotFoundError``."""
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
    """Every source that has pages, settings or pulls, by name; ``within``: only these."""
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
