"""Sums of the energy of answers, which are kept when their conversations are deleted."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from app.chat.energy import SUMMED_DAYS, EnergySum
from app.features.energy.feature import ENERGY_ANSWERS_DAY, ENERGY_DAY
from app.pages.counters import Counters

KEPT_DAYS: Final = 90


class EnergyLog:
    """The sums in ``engine``'s database."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._counters = Counters(engine)
        self._clock = clock

    def last_days(self) -> list[EnergySum]:
        """Return the energy of the answers of the last ``SUMMED_DAYS``, including today, for each basis.

        Raises ``PageStoreUnavailableError``.
        """
        first = (self._clock().date() - timedelta(days=SUMMED_DAYS - 1)).isoformat()
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for (name, basis, day), amount in self._counters.read().items():
            if name in (ENERGY_DAY, ENERGY_ANSWERS_DAY) and day >= first:
                found[basis][name] += amount
        return [
            EnergySum(
                basis=basis,
                answers=int(sums[ENERGY_ANSWERS_DAY]),
                watt_hours=sums[ENERGY_DAY],
            )
            for basis, sums in sorted(found.items())
        ]

    def expire(self) -> None:
        """Delete the sums of days before the last ``KEPT_DAYS``. Raises ``PageStoreUnavailableError``."""
        first = (self._clock().date() - timedelta(days=KEPT_DAYS)).isoformat()
        for name in (ENERGY_DAY, ENERGY_ANSWERS_DAY):
            self._counters.drop_before(name, first)
