"""The energy feature: reports how much energy answers use."""

from typing import Final

from app.feature import CounterFamily, Feature

ENERGY: Final = "energy"
"""Counts the watt-hours of answers, by basis."""

ENERGY_DAY: Final = "energy_day"
ENERGY_ANSWERS_DAY: Final = "energy_answers_day"
"""``ENERGY_DAY`` counts the watt-hours of a day, this one the answers that they are for."""

feature: Final = Feature(
    package=__package__,
    expire=(f"{__package__}.services:delete_expired",),
    checks={"energy": f"{__package__}.services:energy"},
    counters=(
        CounterFamily(ENERGY, "auskunft_answers_watt_hours", "What answers took of energy", ("basis",)),
    ),
    energy=f"{__package__}.services:answer_energy",
)
