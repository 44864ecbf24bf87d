"""The line of ``/readyz`` about the energy of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.energy import SUMMED_DAYS
from app.features.energy.services import EnergyServices
from app.monitoring.check import Check

if TYPE_CHECKING:
    from app.services import Services


def energy(services: Services) -> list[Check]:
    """Report what is known of the energy of answers, where a site tells it, and its sum."""
    if not any(site.energy for site in services.settings.sites):
        return []
    known = services.feature(EnergyServices)
    sums = [
        f"{each.watt_hours:,.2f} Wh {each.basis} for {each.answers:,} answers in {SUMMED_DAYS} days"
        for each in known.last_days()
    ]
    parts = ", ".join(known.parts) if known.parts else f"not known: {known.setup.reason}"
    return [Check(name="energy", ok=bool(known.parts), detail="; ".join([parts, *sums]), required=False)]
