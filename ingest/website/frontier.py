"""The queue of addresses that a crawl still has to visit, those with the most links to them first."""

from collections import Counter, defaultdict
from typing import Final

from ingest.website.addresses import alike

MAX_CLICKS: Final = 12
"""Links are followed up to this distance from the start."""

MAX_ALIKE: Final = 1_000
"""The most addresses that differ only in numbers to follow, because a calendar has no end."""

MAX_WAITING: Final = 50_000
"""The most addresses to keep, unless the crawl may visit more."""

_KNOWN: Final = 1 << 40
_NEXT: Final = 1 << 41
"""Ranks of known addresses and of those to take next, higher than any number of links."""


class Frontier:
    """Keeps every address once; at most ``max_visits`` are taken. ``left_out`` counts addresses that were not
    added."""

    def __init__(self, max_visits: int) -> None:
        self.left_out = 0
        self._visits_left = max_visits
        self._room = max(max_visits, MAX_WAITING)
        self._clicks: dict[str, int] = {}
        self._ranks: dict[str, int] = {}
        self._ranked: defaultdict[int, dict[str, None]] = defaultdict(dict)
        self._alike: Counter[str] = Counter()

    def __contains__(self, address: str) -> bool:
        """Return True if the address was added or visited."""
        return address in self._clicks

    @property
    def pending(self) -> int:
        """The number of addresses still to take, as far as is known."""
        return min(len(self._ranks), self._visits_left)

    @property
    def waiting(self) -> int:
        """The number of addresses that were added and not taken."""
        return len(self._ranks)

    def visit(self, address: str, clicks: int = 0) -> None:
        """Record the visit of an address that was not added."""
        if address not in self._clicks:
            self._alike[alike(address)] += clicks > 0
            self._clicks[address] = clicks
            self._visits_left -= 1

    def is_waiting(self, address: str) -> bool:
        """Return True if the address was added and not taken."""
        return address in self._ranks

    def link(self, address: str, clicks: int = 0) -> None:
        """Count one more link to a waiting address. ``clicks``: its distance from the start."""
        if (rank := self._ranks.get(address)) is not None:
            self._clicks[address] = min(self._clicks[address], clicks)
            self._rank(address, rank + 1)

    def add(self, address: str, *, clicks: int, known: bool = False) -> None:
        """Add an address, or count one more link to it. ``known``: from an earlier crawl; such addresses are
        taken before new ones."""
        if address in self._clicks:
            self.link(address, clicks)
        elif (
            clicks > MAX_CLICKS
            or len(self._clicks) >= self._room
            or (not known and self._is_trap(address, clicks))
        ):
            self.left_out += 1
        else:
            self._clicks[address] = clicks
            self._rank(address, _KNOWN if known else 1)

    def move_to_front(self, address: str) -> None:
        """Move a waiting address to the front."""
        if address in self._ranks:
            self._rank(address, _NEXT)

    def take(self) -> tuple[str, int] | None:
        """Return the next address and its clicks from the start, or None if no more may be visited."""
        if self._visits_left <= 0 or not self._ranks:
            return None
        self._visits_left -= 1
        rank = max(self._ranked)
        address = next(iter(self._ranked[rank]))
        self._leave(address)
        return address, self._clicks[address]

    def _is_trap(self, address: str, clicks: int) -> bool:
        """Return True if too many similar addresses were found by links."""
        if not clicks:
            return False
        self._alike[alike(address)] += 1
        return self._alike[alike(address)] > MAX_ALIKE

    def _rank(self, address: str, rank: int) -> None:
        if address in self._ranks:
            self._leave(address)
        self._ranks[address] = rank
        self._ranked[rank][address] = None

    def _leave(self, address: str) -> None:
        rank = self._ranks.pop(address)
        del self._ranked[rank][address]
        if not self._ranked[rank]:
            del self._ranked[rank]
