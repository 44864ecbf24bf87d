"""Formulas of the energy per answer. Pure; docs/energy.md gives their sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Part = Literal["cpu", "ram", "gpu", "machine", "model"]
"""Where energy goes. ``machine``: all of it, where counters cannot be read. ``model``: the language model's
server, on another machine."""

Basis = Literal["measured", "estimated"]

DECLARED: Final[frozenset[Part]] = frozenset({"machine", "model"})
"""Parts that are not measured, but estimated by what the operator declares."""

RAM_WATTS_PER_GB: Final = 0.375
JOULES_PER_WH: Final = 3_600
HAIR_DRYER_WATTS: Final = 2_200
PHONE_VOLTS: Final = 5
PHONE_MAH: Final = 5_000
PHONE_EFFICIENCY: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """What one answer took. ``parts``: watt hours, without the data centre's overhead. ``pue``: the factor
    for that overhead, of all parts but ``model``, whose declared values include their own."""

    parts: Mapping[Part, float]
    pue: float = 1.0

    @property
    def basis(self) -> Basis:
        """How it is known."""
        return "estimated" if DECLARED & self.parts.keys() else "measured"

    @property
    def watt_hours(self) -> float:
        """The total with the overhead."""
        here = sum(amount for part, amount in self.parts.items() if part != "model")
        return self.pue * here + self.parts.get("model", 0.0)

    def document(self) -> dict[str, Any]:
        """``{"wh", "basis", "pue", "parts", "hair_dryer_seconds", "phone_percent"}``, in three digits."""
        total = self.watt_hours
        return {
            "wh": _rounded(total),
            "basis": self.basis,
            "pue": self.pue,
            "parts": {part: _rounded(amount) for part, amount in self.parts.items()},
            "hair_dryer_seconds": _rounded(hair_dryer_seconds(total)),
            "phone_percent": _rounded(phone_percent(total)),
        }


def hair_dryer_seconds(watt_hours: float) -> float:
    """How long a hair dryer runs on as much."""
    return watt_hours / HAIR_DRYER_WATTS * 3_600


def phone_percent(watt_hours: float) -> float:
    """How far a phone is charged by as much."""
    mah = watt_hours / PHONE_VOLTS * 1_000
    return mah / PHONE_MAH * PHONE_EFFICIENCY * 100


def memory_watts(bytes_in_use: int) -> float:
    """The power of the memory that is in use."""
    return bytes_in_use / 1_000_000_000 * RAM_WATTS_PER_GB


def model_watt_hours(prompt: int, output: int, prompt_wh: float, output_wh: float) -> float:
    """What a language model's server takes for these tokens. ``prompt_wh`` and ``output_wh``: for 1,000."""
    return (prompt * prompt_wh + output * output_wh) / 1_000


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")
