"""The log of pulls: the worker that pulls a source, the end of its last pull, and the contents of listings.

Fetching and deciding is done in :mod:`app.sources.pull`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from sqlalchemy import Connection, bindparam, case, delete, insert, or_, select, update

from app.errors import ConflictError, HaltReason, NotFoundError
from app.pages import audit, counters
from app.pages.bulk import insert_new, insert_rows
from app.pages.crawl_notes import NOTES, TRAILS, Note, address_of, packed, unpacked
from app.pages.database import writing
from app.pages.leases import LeasedStore, LeaseTable
from app.pages.pull_tables import crawled, fatal, fetched, listed, pulls
from app.pages.refs import AnyRow, bound, from_row, key_of, matches_bound, ref_of
from app.pages.versions import execute_many, lock_sequence
from ingest.fetching.validators import Validators
from ingest.types import PageRef
from ingest.website.visits import Trail

BROKE: Final = "broke"
"""The beginning of the ``problem`` of a pull that ended unexpectedly."""

FATAL_TIMES: Final = 2
"""A page is skipped after this many workers died while they read it."""

FATAL_TIME: Final = timedelta(days=7)
"""Time for which such a page is skipped."""

_FORGET_NOTE: Final = delete(crawled).where(
    crawled.c.source == bindparam("of_source"), crawled.c.address.in_([bindparam("of_id"), bindparam("key")])
)

LISTING: Final = ""
"""Stands in place of an address for the contents of the sitemaps."""

Decision = Literal["kept", "taken_over"]
"""A person's decision to keep the old pages, or to let the next pull take over the new ones."""

Halt = Literal["", "halted"] | Decision
"""The state of a pull that was halted before it stored pages that looked broken: ``halted`` until a person
decides, then their decision; empty if no pull was halted."""

PULL_SECONDS: Final = 900.0
"""The longest time for which a pull may be silent."""

LEASES: Final = LeaseTable(
    table=pulls,
    free={"worker": None, "until": None},
    dead={"problem": "the process that pulled it ended"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A source's last pull. ``finished_at`` is None while it is running, or if its process died.

    * ``complete_at``: when the last complete listing was accepted
    * ``updated_after``: all pages updated before this time have been accepted
    * ``problem``: why the last pull did not do everything, in one line
    * ``done``, ``left``, ``seconds``: for a pull that is running or was stopped, the numbers of pages visited
      and still to be visited, and the time taken
    * ``begun``: the page being read, or read when the process died
    * ``halt``: the decision about a halted pull; ``halted_for``: the reasons for the halt
    """

    source: str
    started_at: datetime
    finished_at: datetime | None
    complete_at: datetime | None
    updated_after: datetime | None
    problem: str
    done: int = 0
    left: int = 0
    seconds: float = 0.0
    begun: str = ""
    halt: Halt = ""
    halted_for: tuple[HaltReason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """The state of a page in listings.

    ``taken``: the version listed with ``revision`` and ``updated`` has been fetched. ``awaited_since``: since
    when it has been listed although it cannot be fetched. ``absences``: number of consecutive complete
    listings without it. ``vanished``: it was deleted for that reason, so it returns when it is listed again.
    """

    ref: PageRef
    taken: bool = False
    revision: int | None = None
    updated: datetime | None = None
    awaited_since: datetime | None = None
    absences: int = 0
    vanished: bool = False


class PullLog(LeasedStore):
    """Pulls and listings in ``engine``'s database. ``lease_seconds``: how long a pull may be silent."""

    def begin(self, source: str, worker: str, *, recipe: str = "") -> None:
        """Begin a pull of ``source``, or resume a stopped one unless the source has another ``recipe`` now.
        Raises ``ConflictError`` while another worker pulls it."""
        now = self._clock()
        started: dict[str, Any] = {
            "started_at": now,
            "finished_at": None,
            "problem": "",
            "begun": "",
            "recipe": recipe,
        }
        is_source = pulls.c.source == source
        with writing(self._engine) as connection:
            insert_new(connection, pulls, [{"source": source, "started_at": now, "problem": ""}], {})
            if not LEASES.hold(connection, source, worker, now, now + self._lease):
                raise ConflictError(_refusal(connection.execute(select(pulls).where(is_source)).one()))
            last = connection.execute(select(pulls.c.begun, pulls.c.recipe).where(is_source)).one()
            if last.begun:
                _count_death(connection, {"source": source, "address": last.begun}, now)
            if last.recipe != recipe:
                connection.execute(delete(crawled).where(crawled.c.source == source))
                started |= {"done": 0, "left": 0, "seconds": 0.0}
            connection.execute(update(pulls).where(is_source).values(started))

    def renew(self, source: str, worker: str, *, begun: str = "") -> None:
        """Renew the lease of the source. ``begun``: the page to be read next, or empty. If the worker dies
        before the next call or :meth:`finish`, that page is taken for the cause.

        Raises ``ConflictError`` if another worker has taken the lease.
        """
        with writing(self._engine) as connection:
            self._renew(connection, source, worker, begun=begun)

    def skipped_pages(self, source: str) -> frozenset[str]:
        """The pages of the source to be skipped, because too many workers died while they read them."""
        recent = fatal.c.times >= FATAL_TIMES, fatal.c.at > self._clock() - FATAL_TIME
        found = self._rows(select(fatal.c.address).where(fatal.c.source == source, *recent))
        return frozenset(row.address for row in found)

    def note(
        self,
        source: str,
        worker: str,
        notes: Iterable[Note],
        *,
        listing: Trail | None,
        done: int,
        left: int,
        seconds: float,
    ) -> None:
        """Store notes of visited addresses, and the contents of the sitemaps, until the pull ends; renew the
        lease.

        ``done``, ``left``: pages visited so far, and still to be visited. ``seconds``: time worked since the
        last call. Raises ``ConflictError`` as :meth:`renew` does.
        """
        rows = {note.step.address: packed(NOTES, note) for note in notes}
        if listing is not None:
            rows[LISTING] = packed(TRAILS, listing)
        values = [{"address": address, "note": note} for address, note in rows.items()]
        progress = {"done": done, "left": left, "seconds": pulls.c.seconds + seconds}
        with writing(self._engine) as connection:
            lock_sequence(connection)
            self._renew(connection, source, worker)
            connection.execute(update(pulls).where(pulls.c.source == source).values(progress))
            older = crawled.c.source == source, crawled.c.address.in_(rows)
            connection.execute(delete(crawled).where(*older))
            insert_rows(connection, crawled, values, {"source": source})

    def noted(self, source: str) -> tuple[Trail, list[Note]]:
        """The notes of a pull that was stopped, or whose process died."""
        rows = self._rows(select(crawled).where(crawled.c.source == source))
        kept = {row.address: row.note for row in rows}
        listing = unpacked(TRAILS, kept.pop(LISTING, b""))
        notes = [note for each in kept.values() if (note := unpacked(NOTES, each)) is not None]
        return replace(listing or Trail(), steps=tuple(note.step for note in notes)), notes

    def forget_notes(self, source: str) -> None:
        """Let the next pull visit every address."""
        with writing(self._engine) as connection:
            connection.execute(delete(crawled).where(crawled.c.source == source))

    def _renew(self, connection: Connection, source: str, worker: str, **values: Any) -> None:
        if not LEASES.renew(connection, source, worker, self._clock() + self._lease, **values):
            raise ConflictError(
                f"source {source!r} has been taken over by another process, which is pulling it now"
            )

    def finish(
        self,
        source: str,
        worker: str,
        *,
        problem: str = "",
        left: int | None = 0,
        is_fatal: bool = False,
        outcome: str = "complete",
        is_complete: bool = False,
        updated_after: datetime | None = None,
        halted_for: Sequence[HaltReason] = (),
    ) -> None:
        """Release the source, if ``worker`` has it, and record the result of the pull.

        ``outcome``: the result in a word. ``left``: how many pages are left for the next worker, ``None`` for
        as many as were noted; the pull is over when none are. ``is_fatal``: the page that was begun ended it.
        ``halted_for``: reasons of a halt; an earlier decision of a person stays in force.
        """
        now = self._clock()
        values: dict[str, Any] = {"finished_at": now, "problem": problem}
        values |= {} if left is None else {"left": left}
        values |= {} if is_fatal else {"begun": ""}
        values |= {"done": 0, "seconds": 0.0} if left == 0 else {}
        values |= {"complete_at": now} if is_complete else {}
        values |= {"updated_after": updated_after} if updated_after is not None else {}
        if halted_for:
            halt = case((pulls.c.halt == "", "halted"), else_=pulls.c.halt)
            values |= {"halt": halt, "halted_for": json.dumps([asdict(reason) for reason in halted_for])}
        with writing(self._engine) as connection:
            if LEASES.release(connection, source, worker, **values) and left == 0:
                connection.execute(delete(crawled).where(crawled.c.source == source))
                was_read = or_(fatal.c.times < FATAL_TIMES, fatal.c.at <= now - FATAL_TIME)
                connection.execute(delete(fatal).where(fatal.c.source == source, was_read))
                counters.add(connection, {(counters.PULLS, source, outcome): 1})

    def end_halt(self, source: str) -> None:
        """Record that the source is well again, or that its state was accepted."""
        with writing(self._engine) as connection:
            is_source = pulls.c.source == source
            connection.execute(update(pulls).where(is_source).values(halt="", halted_for=""))

    def decide(self, source: str, decision: Decision, actor: str) -> None:
        """Keep the old pages of a source whose pull was halted, or let the next pull take over the new ones.
        Record ``actor`` in the log of changes. Raises ``NotFoundError`` if no pull was halted."""
        is_halted = pulls.c.source == source, pulls.c.halt != ""
        with writing(self._engine) as connection:
            if not connection.execute(update(pulls).where(*is_halted).values(halt=decision)).rowcount:
                raise NotFoundError("no pull of source {name!r} was halted", name=source)
            action = "source.keep" if decision == "kept" else "source.take_over"
            audit.record(connection, at=self._clock(), actor=actor, action=action, target=f"source/{source}")

    def hasten(self, source: str, actor: str) -> None:
        """Make a source's next pull due at once, unless it is being pulled. Record ``actor`` in the log of
        changes. If a worker died while it read a page, count that as :meth:`begin` does."""
        now, is_source = self._clock(), pulls.c.source == source
        with writing(self._engine) as connection:
            last = connection.execute(select(pulls).where(is_source).with_for_update()).one_or_none()
            if last and (last.until is None or last.until <= now):
                if last.begun:
                    _count_death(connection, {"source": source, "address": last.begun}, now)
                due = {"left": last.left or 1, "begun": "", "finished_at": last.finished_at or now}
                connection.execute(update(pulls).where(is_source).values(due))
            audit.record(connection, at=now, actor=actor, action="source.pull", target=f"source/{source}")

    def by_source(self) -> dict[str, Pull]:
        """Every source's last pull."""
        columns = [pulls.c[name] for name in Pull.__slots__]
        rows = [row._mapping for row in self._rows(select(*columns))]
        return {row["source"]: Pull(**{**row, "halted_for": _reasons(row["halted_for"])}) for row in rows}

    def listed_pages(self, source: str) -> dict[PageRef, ListedPage]:
        """The state of the source's pages in listings."""
        rows = self._rows(select(listed).where(listed.c.source == source))
        return {page.ref: page for page in map(_listed_page, rows)}

    def save_listed(self, pages: Iterable[ListedPage]) -> None:
        """Replace the state of these pages in listings."""
        rows = [(page.ref, _row(page)) for page in pages]
        with writing(self._engine) as connection:
            lock_sequence(connection)
            execute_many(
                connection, delete(listed).where(matches_bound(listed)), [bound(ref) for ref, _ in rows]
            )
            execute_many(connection, insert(listed), [row for _, row in rows])

    def validators(self, source: str) -> dict[PageRef, Validators]:
        """The validators by which servers confirm that the source's documents are unchanged."""
        rows = self._rows(select(fetched).where(fetched.c.source == source))
        return {
            ref_of(row): Validators(etag=row.etag, last_modified=row.last_modified, url=row.url)
            for row in rows
        }

    def remember_validators(self, known: Mapping[PageRef, Validators]) -> None:
        """Replace the validators of documents."""
        rows = [key_of(item) | asdict(validators) for item, validators in known.items()]
        with writing(self._engine) as connection:
            lock_sequence(connection)
            execute_many(connection, delete(fetched).where(matches_bound(fetched)), list(map(bound, known)))
            execute_many(connection, insert(fetched), rows)

    def forget_versions(self, source: str) -> None:
        """Let the next pull fetch every page of the source."""
        with writing(self._engine) as connection:
            lock_sequence(connection)
            connection.execute(delete(fetched).where(fetched.c.source == source))
            connection.execute(update(listed).where(listed.c.source == source).values(taken=False))
            connection.execute(update(pulls).where(pulls.c.source == source).values(updated_after=None))
            for table in (crawled, fatal):
                connection.execute(delete(table).where(table.c.source == source))


def forget(connection: Connection, refs: Sequence[PageRef]) -> None:
    """Make the next complete pull fetch these pages, inside the caller's transaction."""
    rows = [bound(ref) for ref in refs]
    execute_many(connection, delete(fetched).where(matches_bound(fetched)), rows)
    notes = [{"of_source": ref.source, "of_id": ref.id, "key": address_of(ref)} for ref in refs]
    execute_many(connection, _FORGET_NOTE, notes)
    execute_many(connection, update(listed).where(matches_bound(listed)).values(taken=False), rows)


def _count_death(connection: Connection, page: dict[str, str], now: datetime) -> None:
    """Count the death of a worker while it read the page."""
    insert_new(connection, fatal, [page | {"times": 0, "at": now}], {})
    is_page = fatal.c.source == page["source"], fatal.c.address == page["address"]
    connection.execute(update(fatal).where(*is_page).values(times=fatal.c.times + 1, at=now))


def _refusal(row: AnyRow) -> str:
    return (
        f"source {row.source!r} has been pulled since {row.started_at:%Y-%m-%d %H:%M:%S} UTC: wait until "
        f"that is done (if its process is gone, until {row.until:%H:%M:%S} UTC)"
    )


def _reasons(written: str) -> tuple[HaltReason, ...]:
    return tuple(HaltReason(**reason) for reason in json.loads(written or "[]"))


def _listed_page(row: AnyRow) -> ListedPage:
    return from_row(ListedPage, row, ref=ref_of(row))


def _row(page: ListedPage) -> dict[str, Any]:
    columns = ("taken", "revision", "updated", "awaited_since", "absences", "vanished")
    return key_of(page.ref) | {name: getattr(page, name) for name in columns}
