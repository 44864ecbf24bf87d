"""What is done once a night: when, and that nothing is done twice or left out."""

from datetime import UTC, datetime, timedelta

import pytest

from app.background.nightly import NightlyStep, last_night
from app.errors import IndexUnavailableError, NeedsAttentionError, PageStoreUnavailableError
from app.indexing.stopping import Stop, never

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
THREE = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


class Nights:
    """A clock, and what was done when."""

    def __init__(self, last: datetime) -> None:
        self.now = NOON
        self.last = last
        self.forgotten: list[datetime] = []
        self.reconciled: list[datetime] = []
        self.error: Exception | None = None
        self.faults: list[Exception] = []
        """Of the next deletions."""
        self.step = NightlyStep(
            last=lambda: self.last,
            delete_expired=self._delete_expired,
            reconcile=self._reconcile,
            clock=lambda: self.now,
        )

    def _delete_expired(self) -> None:
        if self.faults:
            raise self.faults.pop()
        self.forgotten.append(self.now)

    def _reconcile(self, stop: Stop) -> None:
        assert stop is never
        if isinstance(self.error, IndexUnavailableError):
            raise self.error
        self.last = self.now
        self.reconciled.append(self.now)
        if self.error:
            raise self.error


def test_a_night_begins_at_three() -> None:
    assert last_night(NOON) == THREE
    assert last_night(THREE) == THREE
    assert last_night(THREE - timedelta(seconds=1)) == THREE - timedelta(days=1)


def test_it_is_done_once_a_night() -> None:
    nights = Nights(last=NOON)
    for _ in range(72):
        assert not nights.step(never)
        nights.now += timedelta(hours=1)
    assert nights.reconciled == [THREE + timedelta(days=days) for days in (1, 2, 3)]
    assert nights.forgotten == nights.reconciled


def test_a_night_that_was_missed_is_made_up_for_at_the_next_start() -> None:
    nights = Nights(last=THREE - timedelta(hours=1))
    nights.step(never)
    assert nights.reconciled == [NOON]


def test_what_somebody_reconciled_by_hand_since_counts() -> None:
    nights = Nights(last=NOON)
    nights.step(never)
    nights.now += timedelta(days=1)
    nights.last = nights.now - timedelta(hours=1)
    nights.step(never)
    assert nights.reconciled == []


def test_what_could_not_be_done_is_tried_again() -> None:
    nights = Nights(last=NOON - timedelta(days=1))
    nights.error = IndexUnavailableError("away")
    with pytest.raises(IndexUnavailableError):
        nights.step(never)
    nights.error = None
    nights.step(never)
    assert nights.reconciled == [NOON]


def test_what_could_not_be_deleted_is_tried_again_in_the_same_night() -> None:
    nights = Nights(last=NOON - timedelta(days=1))
    nights.faults = [PageStoreUnavailableError("locked")]
    with pytest.raises(PageStoreUnavailableError):
        nights.step(never)
    for _ in range(2):
        nights.step(never)
    assert nights.forgotten == nights.reconciled == [NOON]


def test_what_needs_attention_is_said_once_a_night() -> None:
    nights = Nights(last=NOON - timedelta(days=1))
    nights.error = NeedsAttentionError("look")
    with pytest.raises(NeedsAttentionError):
        nights.step(never)
    nights.step(never)
    assert nights.reconciled == [NOON]
