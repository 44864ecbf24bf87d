"""Shares the energy of this machine between the answers that are written at the same time, by time."""

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
"""The share of a time in which a reading failed: it is no number, and neither is any sum with it."""


class EnergyMeter:
    """Reads ``sources`` whenever an answer begins or ends. What they used since the last reading is divided
    by the number of answers that were being written. Thread-safe. ``clock``: seconds, monotonic."""

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
        """Begin the measurement of an answer, which must be ended."""
        measurement = AnswerMeasurement(self, self._settings)
        with self._lock:
            self._advance()
            self._answers.add(measurement)
        return measurement

    def end(self, measurement: "AnswerMeasurement") -> None:
        """End a measurement; another time, nothing happens."""
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
    """The energy of one answer. ``tokens``: those of the language model, where its server's energy is
    declared by token; else ``None``."""

    def __init__(self, meter: EnergyMeter, settings: EnergySettings) -> None:
        self._meter = meter
        self._settings = settings
        self._joules: dict[Part, float] = {}
        self.tokens = None if settings.prompt_wh is None else UsedTokens()

    def add(self, part: Part, joules: float) -> None:
        """Add a share, under the meter's lock."""
        self._joules[part] = self._joules.get(part, 0.0) + joules

    def end(self) -> Energy | None:
        """What the answer took until the first call; ``None`` if a reading failed meanwhile, or it was too
        little for the counters."""
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
