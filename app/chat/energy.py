"""The energy that answers take, as far as a feature knows it."""

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
"""Where energy goes. ``machine``: all of it, where counters cannot be read. ``model``: the language model's
server, on another machine."""

Basis = Literal["measured", "estimated"]

DECLARED: Final[frozenset[Part]] = frozenset({"machine", "model"})
"""Parts that are not measured, but estimated by what the operator declares."""

SUMMED_DAYS: Final = 7
"""The days whose answers are summed, today included."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergySum:
    """What ``answers`` took together. ``basis``: how it is known."""

    basis: str
    answers: int
    watt_hours: float


class Measurement(Protocol):
    """Measures one answer."""

    @property
    def tokens(self) -> UsedTokens | None:
        """Those of the language model, where its server's energy is declared by token."""

    def end(self) -> Energy | None:
        """What the answer took until the first call; ``None`` where that is not known."""


class Meter(Protocol):
    """Measures answers."""

    def begin(self) -> Measurement:
        """Begin the measurement of an answer, which must be ended."""


class AnswerEnergy(Protocol):
    """What is known of the energy of answers."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What an answer's energy consists of; empty where it is not known."""

    @property
    def basis(self) -> Basis | None:
        """How it is known; ``None`` where it is not."""

    @property
    def gpus(self) -> tuple[str, ...]:
        """The names of this machine's GPUs."""

    @property
    def meter(self) -> Meter | None:
        """Measures answers; ``None`` where their energy is not known."""

    def amounts(self, energy: Mapping[str, Any], day: date) -> Amounts:
        """What an answer's energy, as its document has it, adds to the counters."""

    def last_days(self) -> Sequence[EnergySum]:
        """What the answers of the last ``SUMMED_DAYS`` took, for each basis. Raises
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
    """How long a hair dryer runs on as much."""
    return watt_hours / HAIR_DRYER_WATTS * 3_600


def phone_percent(watt_hours: float) -> float:
    """How far a phone is charged by as much."""
    mah = watt_hours / PHONE_VOLTS * 1_000
    return mah / PHONE_MAH * PHONE_EFFICIENCY * 100


def is_model_here(settings: Settings) -> bool:
    """True if the language model's server is on this machine, as its address or the settings say."""
    energy, host = settings.energy, urlsplit(settings.chat.base_url).hostname or ""
    return energy.prompt_wh is None and (energy.model_here or is_loopback(host))
