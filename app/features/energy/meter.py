"""Divides the energy of this machine between answers that are written at the same time."""

import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final

from app.chat.energy import Energy, Part
from app.chat.model.metered import UsedTokens
from app.features.energy.formulas import JOULES_PER_WH, model_watt_hours
from app.features.energy.hardware import EnergySource
from app.settings.energy import EnergySettings

UNKNOWN: Final = float("nan")
"""The energy used around a failed reading: not a number, so every sum with it is unknown too."""


class EnergyMeter:
    """Reads ``sources`` whenever an answer begins or ends, and divides what they used since the last reading
    equally between the answers being written. Thread-safe. ``clock``: monotonic seconds."""

    def __init__(
        self,
        sources: Mapping[Part, EnergySource],
        settings: EnergySettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sources = sources
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._last: dict[Part, float | None] = dict.fromkeys(sources)
        self._answers: set[AnswerMeasurement] = set()

    def begin(self) -> "AnswerMeasurement":
        """Start the measurement of an answer; it must be ended."""
        measurement = AnswerMeasurement(self, self._settings)
        with self._lock:
            self._advance()
            self._answers.add(measurement)
        return measurement

    def end(self, measurement: "AnswerMeasurement") -> None:
        """End a measurement; if it has already ended, do nothing."""
        with self._lock:
            if measurement in self._answers:
                self._advance()
                self._answers.remove(measurement)

    def _advance(self) -> None:
        now = self._clock()
        for part, source in self._sources.items():
            reading, last = source.joules(now), self._last[part]
            self._last[part] = reading
            if not self._answers:
                continue
            used = UNKNOWN if reading is None or last is None else reading - last
            for measurement in self._answers:
                measurement.add(part, used / len(self._answers))


class AnswerMeasurement:
    """The energy of one answer. ``tokens``: of the language model, if its server's energy is declared per
    token; otherwise ``None``."""

    def __init__(self, meter: EnergyMeter, settings: EnergySettings) -> None:
        self._meter = meter
        self._settings = settings
        self._joules: dict[Part, float] = {}
        self.tokens = None if settings.prompt_wh is None else UsedTokens()

    def add(self, part: Part, joules: float) -> None:
        """Add a share; called under the meter's lock."""
        self._joules[part] = self._joules.get(part, 0.0) + joules

    def end(self) -> Energy | None:
        """End the measurement and return the answer's energy, or ``None`` if a reading failed or it was too
        little to count."""
        self._meter.end(self)
        parts = {part: joules / JOULES_PER_WH for part, joules in self._joules.items()}
        if self.tokens is not None:
            parts |= self._model(self.tokens)
        energy = Energy(parts=parts, pue=self._settings.pue)
        return energy if energy.watt_hours > 0 else None

    def _model(self, tokens: UsedTokens) -> dict[Part, float]:
        prompt_wh, output_wh = self._settings.prompt_wh or 0.0, self._settings.output_wh or 0.0
        used = model_watt_hours(tokens.prompt, tokens.output, prompt_wh, output_wh)
        return {"model": used} if tokens.prompt else {}
