"""What answers took of energy, summed: kept when their conversations are deleted."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Engine

from app.pages import counters
from app.pages.counters import Amounts, Counters

SUMMED_DAYS: Final = 7
KEPT_DAYS: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergySum:
    """What ``answers`` took together. ``basis``: how it is known."""

    basis: str
    answers: int
    watt_hours: float


def amounts(document: Mapping[str, Any], day: date) -> Amounts:
    """What an answer's document adds to the counters; nothing if its energy is not known."""
    energy = document.get("energy")
    if not energy:
        return {}
    basis, used = energy["basis"], energy["wh"]
    return {
        (counters.ENERGY, basis, ""): used,
        (counters.ENERGY_DAY, basis, day.isoformat()): used,
        (counters.ENERGY_ANSWERS_DAY, basis, day.isoformat()): 1,
    }


def expire(connection: Connection, today: date) -> None:
    """Delete the sums of days that are too long ago."""
    first = (today - timedelta(days=KEPT_DAYS)).isoformat()
    for name in (counters.ENERGY_DAY, counters.ENERGY_ANSWERS_DAY):
        counters.drop_before(connection, name, first)


class EnergyLog:
    """The sums in ``engine``'s database."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._counters = Counters(engine)
        self._clock = clock

    def last_days(self, days: int = SUMMED_DAYS) -> list[EnergySum]:
        """What the answers of the last ``days`` took, today's included, for each basis. Raises
        ``PageStoreUnavailableError``."""
        first = (self._clock().date() - timedelta(days=days - 1)).isoformat()
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for (name, basis, day), amount in self._counters.read().items():
            if name in (counters.ENERGY_DAY, counters.ENERGY_ANSWERS_DAY) and day >= first:
                found[basis][name] += amount
        return [
            EnergySum(
                basis=basis,
                answers=int(sums[counters.ENERGY_ANSWERS_DAY]),
                watt_hours=sums[counters.ENERGY_DAY],
            )
            for basis, sums in sorted(found.items())
        ]
