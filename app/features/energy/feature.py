"""The energy of answers, as a feature of Auskunft."""

from typing import Final

from app.feature import CounterFamily, Feature

ENERGY: Final = "energy"
"""Counts watt hours of answers, by how they are known."""

ENERGY_DAY: Final = "energy_day"
ENERGY_ANSWERS_DAY: Final = "energy_answers_day"
"""Count the same on a day, and of how many answers."""

feature: Final = Feature(
    package=__package__,
    expire=(f"{__package__}.services:delete_expired",),
    checks={"energy": f"{__package__}.services:energy"},
    counters=(
        CounterFamily(ENERGY, "auskunft_answers_watt_hours", "What answers took of energy", ("basis",)),
    ),
    energy=f"{__package__}.services:answer_energy",
)
