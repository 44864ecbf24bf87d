"""Formulas of the energy per answer. Pure; docs/energy.md gives their sources."""

from typing import Final

RAM_WATTS_PER_GB: Final = 0.375
JOULES_PER_WH: Final = 3_600


def memory_watts(bytes_in_use: int) -> float:
    """Return the power of the memory in use."""
    return bytes_in_use / 1_000_000_000 * RAM_WATTS_PER_GB


def model_watt_hours(prompt: float, output: float, prompt_wh: float, output_wh: float) -> float:
    """Return the energy that a language model's server uses for these tokens.

    ``prompt_wh`` and ``output_wh``: for 1,000 tokens.
    """
    return (prompt * prompt_wh + output * output_wh) / 1_000
