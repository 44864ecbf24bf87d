"""A clock that stands still, and short words for the tests."""

from datetime import UTC, datetime, timedelta
from typing import Final

from app.pages.store import PageStore
from app.pages.types import Claim, Indexed, PageState
from ingest.types import Change, PageRef
from tests.contracts.raw_pages import ref

NOON: Final = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def statuses(store: PageStore, *changes: Change) -> list[str]:
    return [accepted.status for accepted in store.accept(changes)]


def index(store: PageStore, worker: str = "w") -> list[PageRef]:
    """Claim everything that is due and report it indexed; the references in the order of their claims."""
    done = []
    while claims := store.claim(10, worker):
        for claim in claims:
            store.finish([(claim.ref, claim.sequence, Indexed())], worker)
            done.append(claim.ref)
    return done


def state(store: PageStore, page_ref: PageRef | None = None) -> PageState:
    return store.snapshot(page_ref or ref()).state


def claim_one(store: PageStore, worker: str = "w") -> Claim:
    (claim,) = store.claim(1, worker)
    return claim
