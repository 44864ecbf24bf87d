"""The energy that answers take, if a feature measures or estimates it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from app.chat.model.metered import UsedTokens
from app.pages.counters import Amounts
from app.settings.settings import Settings
from app.settings.sites import is_loopback

Part = Literal["cpu", "ram", "gpu", "machine", "model"]
"""Consumers of energy. ``machine``: the whole machine, if counters cannot be read. ``model``: the language
model's server, on another machine."""

Basis = Literal["measured", "estimated"]

DECLARED: Final[frozenset[Part]] = frozenset({"machine", "model"})
"""Parts that are not measured, but estimated from the operator's declarations."""

SUMMED_DAYS: Final = 7
"""The answers of so many days are summed, today included."""

HAIR_DRYER_WATTS: Final = 2_200
PHONE_VOLTS: Final = 5
PHONE_MAH: Final = 5_000
PHONE_EFFICIENCY: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """The energy of one answer. ``parts``: watt hours, without the data centre's overhead. ``pue``: the
    factor for that overhead, for all parts except ``model``, whose declared values include it."""

    parts: Mapping[Part, float]
    pue: float = 1.0

    @property
    def basis(self) -> Basis:
        """``estimated`` if any part is, otherwise ``measured``."""
        return "estimated" if DECLARED & self.parts.keys() else "measured"

    @property
    def watt_hours(self) -> float:
        """The total with the overhead."""
        here = sum(amount for part, amount in self.parts.items() if part != "model")
        return self.pue * here + self.parts.get("model", 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergySum:
    """The energy that so many ``answers`` took together. ``basis``: a :data:`Basis`."""

    basis: str
    answers: int
    watt_hours: float


class Measurement(Protocol):
    """Measures one answer."""

    @property
    def tokens(self) -> UsedTokens | None:
        """The counter of the language model's tokens, if its server's energy is declared by token."""

    def end(self) -> Energy | None:
        """Return what the answer took until the first call of this, or None if that is not known."""


class Meter(Protocol):
    """Measures answers."""

    def begin(self) -> Measurement:
        """Begin the measurement of an answer, which must be ended."""


class AnswerEnergy(Protocol):
    """Knowledge of the energy of answers."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of an answer's energy; empty if it is not known."""

    @property
    def basis(self) -> Basis | None:
        """The basis of the figures; None if the energy is not known."""

    @property
    def gpus(self) -> tuple[str, ...]:
        """The names of this machine's GPUs."""

    @property
    def meter(self) -> Meter | None:
        """The meter of answers; None if their energy is not known."""

    def amounts(self, energy: Mapping[str, Any], day: date) -> Amounts:
        """Return what an answer's energy, as in its document, adds to the counters."""

    def last_days(self) -> Sequence[EnergySum]:
        """Return what the answers of the last ``SUMMED_DAYS`` took, for each basis. Raises
        ``PageStoreUnavailableError``."""


class _Unknown:
    parts: tuple[Part, ...] = ()
    basis: Basis | None = None
    gpus: tuple[str, ...] = ()
    meter: Meter | None = None

    def amounts(self, energy: Mapping[str, Any], day: date) -> Amounts:
        return {}

    def last_days(self) -> Sequence[EnergySum]:
        return ()


NO_ENERGY: Final[AnswerEnergy] = _Unknown()


def hair_dryer_seconds(watt_hours: float) -> float:
    """Return how many seconds a hair dryer runs on this energy."""
    return watt_hours / HAIR_DRYER_WATTS * 3_600


def phone_percent(watt_hours: float) -> float:
    """Return how many percent of a phone's battery this energy charges."""
    mah = watt_hours / PHONE_VOLTS * 1_000
    return mah / PHONE_MAH * PHONE_EFFICIENCY * 100


def is_model_here(settings: Settings) -> bool:
    """Return True if the language model's server is on this machine, by its address or the settings."""
    energy, host = settings.energy, urlsplit(settings.chat.base_url).hostname or ""
    return energy.prompt_wh is None and (energy.model_here or is_loopback(host))
