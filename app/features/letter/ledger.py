"""Records who got the letter of which week, so that nobody gets one twice.

A week is recorded before its letter is sent, and taken back if the mail server reports a failure. If the
process dies in between, a letter is lost but none is doubled (docs/adr/0071-a-letter-is-never-sent-twice.md).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import delete, or_, select, update

from app.accounts.secrets import new_token
from app.errors import NotFoundError
from app.features.letter.tables import letters
from app.pages.bulk import insert_new
from app.pages.column_types import storable
from app.pages.database import Store, reading, writing
from app.pages.refs import from_row
from app.pages.tables import EPOCH

WAIT: Final = timedelta(minutes=15)
"""The time before a letter that could not be sent is tried again."""

BROKEN_OFF: Final = "it may not have been sent: the process ended meanwhile"


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterState:
    """The state of a recipient.

    ``key``: of the link that stops their letter. ``week``: the Monday of the last week whose letter was sent
    or was empty. ``sent_at``: the time of the last letter sent.
    """

    recipient: str
    key: str
    week: str
    next_attempt_at: datetime
    sent_at: datetime | None
    problem: str
    stopped_at: datetime | None


class Ledger(Store):
    """The states in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def state(self, address: str) -> LetterState:
        """Return the state of an address; a new one is stored if there is none."""
        row = {"recipient": _hash(address), "key": new_token(), "week": "", "problem": ""}
        same = letters.c.recipient == row["recipient"]
        with writing(self._engine) as connection:
            insert_new(connection, letters, [row | {"next_attempt_at": EPOCH}], {})
            return from_row(LetterState, connection.execute(select(letters).where(same)).one())

    def states(self, addresses: Iterable[str]) -> dict[str, LetterState]:
        """Return the stored states of these addresses."""
        hashes = {_hash(address): address for address in addresses}
        rows = self._rows(select(letters).where(letters.c.recipient.in_(hashes)))
        return {hashes[row.recipient]: from_row(LetterState, row) for row in rows}

    def due(self, addresses: Iterable[str], week: str) -> list[str]:
        """Return the addresses to which the letter of that week should be sent now."""
        asked, now = list(addresses), self._clock()
        known = self.states(asked)
        return [
            address
            for address in asked
            if (state := known.get(address)) is None
            or (state.week < week and state.stopped_at is None and state.next_attempt_at <= now)
        ]

    def begin(self, address: str, week: str) -> bool:
        """Record that the letter of a week is being sent. Return False if it was before, or is not wanted."""
        wanted = letters.c.stopped_at.is_(None), letters.c.week < week
        values = {"week": week, "problem": BROKEN_OFF, "next_attempt_at": self._clock() + WAIT}
        return self._update(letters.c.recipient == _hash(address), *wanted, **values) > 0

    def finish(self, address: str, *, is_sent: bool) -> None:
        """Record that the letter was sent or was empty."""
        sent = {"sent_at": self._clock()} if is_sent else {}
        self._update(letters.c.recipient == _hash(address), problem="", **sent)

    def postpone(self, address: str, problem: str) -> None:
        """Record that the letter could not be sent, and have it tried again."""
        values = {"week": "", "problem": problem, "next_attempt_at": self._clock() + WAIT}
        self._update(letters.c.recipient == _hash(address), **values)

    def take_back(self, address: str, state: LetterState) -> None:
        """Restore the state from before :meth:`begin`, because nothing was sent."""
        kept = {"week": state.week, "problem": state.problem, "next_attempt_at": state.next_attempt_at}
        self._update(letters.c.recipient == _hash(address), **kept)

    def problems(self, addresses: Iterable[str]) -> list[str]:
        """Return the reasons why letters could not be sent, except for those being sent now."""
        now, found = self._clock(), self.states(addresses).values()
        return [
            each.problem
            for each in found
            if each.problem
            and each.stopped_at is None
            and (each.problem != BROKEN_OFF or each.next_attempt_at <= now)
        ]

    def is_stopped(self, key: str) -> bool:
        """Return True if the letter with this key's link is not wanted. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(letters.c.stopped_at).where(letters.c.key == storable(key))
            ).first()
        if row is None:
            raise NotFoundError("this letter no longer exists")
        return row.stopped_at is not None

    def stop(self, key: str, *, stopped: bool = True) -> None:
        """Stop the letters, or resume them if not ``stopped``. Raises ``NotFoundError``."""
        if not self._update(letters.c.key == storable(key), stopped_at=self._clock() if stopped else None):
            raise NotFoundError("this letter no longer exists")

    def forget(self, addresses: Iterable[str], week: str) -> None:
        """Delete the states of all other addresses, except those that stopped the letter or got that of
        ``week``."""
        known = letters.c.recipient.in_([_hash(each) for each in addresses])
        kept = or_(known, letters.c.stopped_at.is_not(None), letters.c.week >= week)
        with writing(self._engine) as connection:
            connection.execute(delete(letters).where(~kept))

    def _update(self, *conditions: Any, **values: Any) -> int:
        with writing(self._engine) as connection:
            return connection.execute(update(letters).where(*conditions).values(values)).rowcount


def _hash(address: str) -> str:
    return sha256(address.lower().encode()).hexdigest()
