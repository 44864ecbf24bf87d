"""The services that measure the energy of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from app.chat.energy import SUMMED_DAYS, Basis, EnergySum, Part
from app.features.energy.feature import ENERGY, ENERGY_ANSWERS_DAY, ENERGY_DAY
from app.features.energy.log import EnergyLog
from app.features.energy.meter import EnergyMeter
from app.features.energy.setup import EnergySetup, read_setup
from app.lazy import lazy
from app.monitoring.check import Check
from app.pages.counters import Amounts
from app.pages.database import utc_now
from app.services.feature_services import FeatureServices
from ingest.said import Said, joined

if TYPE_CHECKING:
    from app.services import Services


def answer_energy(services: Services) -> EnergyServices:
    """Return the energy of answers, as far as it is known."""
    return services.feature(EnergyServices)


def delete_expired(services: Services) -> None:
    """Delete the sums of days that are too old."""
    services.feature(EnergyServices).log.expire()


def energy(services: Services) -> list[Check]:
    """Report what is known about the energy of answers, and its sum, if a site shows it."""
    if not any(site.energy for site in services.settings.sites):
        return []
    known = services.feature(EnergyServices)
    sums = [
        Said(
            "{watt_hours:,.2f} Wh {basis} for {answers:,} answers in {days} days",
            basis=Said("measured" if each.basis == "measured" else "estimated"),
            watt_hours=each.watt_hours,
            answers=each.answers,
            days=SUMMED_DAYS,
        )
        for each in known.last_days()
    ]
    parts = ", ".join(known.parts) or Said("not known: {problem}", problem=known.setup.reason)
    return [Check(name="energy", ok=bool(known.parts), detail=joined([parts, *sums]), required=False)]


class EnergyServices(FeatureServices):
    """Knows the energy of answers, as :class:`app.chat.energy.AnswerEnergy`."""

    @lazy
    def setup(self) -> EnergySetup:
        """The energy that is known on this machine, and the reason if none is."""
        return read_setup(self._services.settings)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of an answer's energy; empty if it is unknown."""
        return self.setup.parts

    @property
    def basis(self) -> Basis | None:
        """The basis on which it is known; ``None`` if it is unknown."""
        return self.setup.basis

    @property
    def gpus(self) -> tuple[str, ...]:
        """The names of this machine's GPUs."""
        return self.setup.gpus

    @lazy
    def meter(self) -> EnergyMeter | None:
        """Measures the energy of answers; ``None`` if it is unknown."""
        if not self.parts:
            return None
        return EnergyMeter(self.setup.sources, self._services.settings.energy)

    @lazy
    def log(self) -> EnergyLog:
        """The energy that answers have used so far."""
        return EnergyLog(self._services.engine, utc_now)

    def amounts(self, energy: Mapping[str, Any], day: date) -> Amounts:
        """Return what an answer's energy, in the form of its document, adds to the counters."""
        basis, used = energy["basis"], energy["wh"]
        return {
            (ENERGY, basis, ""): used,
            (ENERGY_DAY, basis, day.isoformat()): used,
            (ENERGY_ANSWERS_DAY, basis, day.isoformat()): 1,
        }

    def last_days(self) -> Sequence[EnergySum]:
        """Return the energy of the answers of the last days. Raises ``PageStoreUnavailableError``."""
        return self.log.last_days()
