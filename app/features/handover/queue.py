"""Stores messages to people until they are sent, and chooses the next one to send.

* A message is stored before it is sent, so that it is sent even if a process dies.
* One worker at a time sends it, under a lease. If that worker dies between sending and recording it, the
  message is sent twice, under the same number.
* Its content is erased once it is sent. The rest of the row, and messages that could not be sent, are deleted
  by the day that the visitor was promised.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import choice
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, delete, func, select, update

from app.errors import InputError, NotFoundError
from app.features.handover.tables import LEASES, handovers
from app.pages import audit
from app.pages.bulk import insert_new
from app.pages.database import Store, reading, writing
from app.pages.refs import AnyRow, from_row
from app.pages.tables import EPOCH

FIRST_WAIT_MINUTES: Final = 1
LONGEST_WAIT_MINUTES: Final = 60
LISTED: Final = 200

State = Literal["waiting", "failing", "sent"]

_DIGITS: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without characters that are easily confused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A message. ``content``: JSON of :class:`app.features.handover.documents.HandoverDocument`, empty once
    it is sent. ``failing_since``: the time of the first failed attempt, ``None`` without one."""

    number: str
    site: str
    made_at: datetime
    delete_at: datetime
    content: str
    sent_at: datetime | None
    attempts: int
    failing_since: datetime | None
    problem: str

    @property
    def state(self) -> State:
        """Return the state of delivery."""
        if self.sent_at is not None:
            return "sent"
        return "failing" if self.failing_since is not None else "waiting"


def new_number() -> str:
    """Return a random number that is easy to read out on the phone, such as ``A7K-3QX``."""
    digits = [choice(_DIGITS) for _ in range(6)]
    return f"{''.join(digits[:3])}-{''.join(digits[3:])}"


def wait_after(attempts: int) -> timedelta:
    """Return the wait after this many failures: doubled each time, up to an hour."""
    doubled = FIRST_WAIT_MINUTES << min(attempts - 1, 10)
    return timedelta(minutes=min(doubled, LONGEST_WAIT_MINUTES))


class HandoverQueue(Store):
    """The messages in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def add(
        self, site: str, form_key: str, delete_at: datetime, content_of: Callable[[str], str]
    ) -> Handover:
        """Store a message, or return the stored one if its form was sent before.

        ``content_of``: returns the message's JSON for its number.
        """
        taken_once = _key(site, form_key)
        while True:
            number = new_number()
            row = {
                "number": number,
                "form_key": taken_once,
                "site": site,
                "made_at": self._clock(),
                "delete_at": delete_at,
                "content": content_of(number),
                "attempts": 0,
                "next_attempt_at": EPOCH,
                "problem": "",
                "until": EPOCH,
            }
            with writing(self._engine) as connection:
                insert_new(connection, handovers, [row], {})
                found = _found(connection, handovers.c.form_key == taken_once)
            if found is not None:  # otherwise another message has this number
                return found

    def sent_by(self, site: str, form_key: str) -> Handover | None:
        """Return the message that a form was sent with, or ``None`` if it has not been sent."""
        with reading(self._engine) as connection:
            return _found(connection, handovers.c.form_key == _key(site, form_key))

    def is_due(self) -> bool:
        """Return True if a message should be sent now."""
        with reading(self._engine) as connection:
            due = select(handovers.c.number).where(_due(self._clock())).limit(1)
            return connection.execute(due).first() is not None

    def take(self, worker: str, seconds: float) -> Handover | None:
        """Lease the next due message to ``worker`` for this many seconds and count the attempt, or return
        ``None``."""
        now = self._clock()
        until = now + timedelta(seconds=seconds)
        waiting = select(handovers.c.number).where(_due(now)).order_by(handovers.c.next_attempt_at).limit(10)
        with writing(self._engine) as connection:
            for number in list(connection.execute(waiting).scalars()):
                if LEASES.hold(connection, number, worker, now, until, where=_due(now)):
                    counted = update(handovers).where(handovers.c.number == number)
                    connection.execute(counted.values(attempts=handovers.c.attempts + 1))
                    return _found(connection, handovers.c.number == number)
        return None

    def finish(self, number: str, worker: str) -> None:
        """Record that a message was sent, and erase its content."""
        done = {"sent_at": self._clock(), "content": "", "failing_since": None, "problem": ""}
        with writing(self._engine) as connection:
            LEASES.release(connection, number, worker, **done)

    def postpone(self, handover: Handover, worker: str, problem: str) -> None:
        """Record that a message could not be sent, and schedule the next attempt."""
        now = self._clock()
        values = {
            "next_attempt_at": now + wait_after(handover.attempts),
            "failing_since": handover.failing_since or now,
            "problem": problem,
        }
        with writing(self._engine) as connection:
            LEASES.release(connection, handover.number, worker, **values)

    def entries(self, limit: int = LISTED) -> list[Handover]:
        """Return the newest messages first."""
        query = select(handovers).order_by(handovers.c.made_at.desc()).limit(limit)
        return [from_row(Handover, row) for row in self._rows(query)]

    def one(self, number: str) -> Handover:
        """Return a message. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _existing(connection, number)

    def retry(self, number: str, actor: str) -> None:
        """Have a message sent at once. Raises ``NotFoundError``, and ``InputError`` if it is already sent."""
        with writing(self._engine) as connection:
            found = _existing(connection, number)
            same = and_(handovers.c.number == found.number, handovers.c.sent_at.is_(None))
            if not connection.execute(update(handovers).where(same).values(next_attempt_at=EPOCH)).rowcount:
                raise InputError("the hand-over {number!r} has already been sent", number=number)
            self._record(connection, "retry", actor, found)

    def delete(self, number: str, actor: str) -> None:
        """Delete a message, sent or not. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            found = _existing(connection, number)
            connection.execute(delete(handovers).where(handovers.c.number == found.number))
            self._record(connection, "delete", actor, found)

    def expire(self) -> list[Handover]:
        """Delete the messages whose promised deletion date has come; return those that were never sent."""
        old = handovers.c.delete_at <= self._clock()
        with writing(self._engine) as connection:
            lost = select(handovers).where(old, handovers.c.sent_at.is_(None))
            found = [from_row(Handover, row) for row in connection.execute(lost)]
            connection.execute(delete(handovers).where(old))
        return found

    def backlog(self) -> tuple[int, datetime | None]:
        """Return the number of unsent messages, and the time since when the first of them has been
        failing."""
        query = select(func.count(), func.min(handovers.c.failing_since)).where(handovers.c.sent_at.is_(None))
        with reading(self._engine) as connection:
            count, since = connection.execute(query).one()
        return int(count), since

    def _record(self, connection: Connection, action: str, actor: str, found: Handover) -> None:
        audit.record(
            connection,
            at=self._clock(),
            actor=actor,
            action=f"handover.{action}",
            target=f"handover/{found.number}",
            before={"site": found.site, "state": found.state},
        )


def _key(site: str, form_key: str) -> str:
    """The stored hash of a form's key; it differs between sites."""
    return sha256(f"{site}\n{form_key}".encode()).hexdigest()[:32]


def _due(now: datetime) -> ColumnElement[bool]:
    columns = handovers.c
    return and_(columns.sent_at.is_(None), columns.next_attempt_at <= now, columns.until <= now)


def _found(connection: Connection, condition: ColumnElement[bool]) -> Handover | None:
    row: AnyRow | None = connection.execute(select(handovers).where(condition)).one_or_none()
    return None if row is None else from_row(Handover, row)


def _existing(connection: Connection, number: str) -> Handover:
    found = _found(connection, handovers.c.number == number)
    if found is None:
        raise NotFoundError("there is no hand-over {number!r}: it may have been deleted", number=number)
    return found
