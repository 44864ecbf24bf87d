"""The background steps of features."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from app.background.steps import BackgroundStep, StepFunction
from app.feature import Lane, Step
from app.indexing.stopping import Stop
from app.lazy import lazy

if TYPE_CHECKING:
    from app.services import Services


class FeatureSteps:
    """Runs the steps of features when they are due. ``make``: makes a step that rests after a fault."""

    def __init__(self, services: Services, make: Callable[[str, StepFunction], BackgroundStep]) -> None:
        self.lock = services.lock
        self._services = services
        self._make = make

    def all(self) -> list[Step]:
        """Return the steps of all features."""
        return [step for step, _ in self._known.values()]

    def is_due(self, step: Step) -> bool:
        """Return True if a step has something to do now. An idle step has not while a page is due."""
        if step.lane == "idle" and self._services.store.is_due():
            return False
        due: bool = resolve_name(step.is_due)(self._services)
        return due

    def run(self, name: str, stop: Stop) -> bool:
        """Do part of a step's work. Return True if there may be more to do at once; False if no feature has
        the step, as after a change of the installed features."""
        known = self._known.get(name)
        return known is not None and known[1](stop)

    def run_lane(self, lane: Lane, stop: Stop) -> bool:
        """Do part of the work of every step in that lane. Return True if there may be more to do at once."""
        worked = [run(stop) for step, run in self._known.values() if step.lane == lane]
        return any(worked)

    @lazy
    def _known(self) -> dict[str, tuple[Step, BackgroundStep]]:
        steps = chain.from_iterable(feature.steps for feature in self._services.features)
        return {step.name: (step, self._make(step.name, self._function(step))) for step in steps}

    def _function(self, step: Step) -> StepFunction:
        """Return a function that runs the step if it is due. That is checked first, because importing the
        rest may take a while."""

        def run(stop: Stop) -> bool:
            if not self.is_due(step):
                return False
            worked: bool = resolve_name(step.run)(self._services, self._stop_of(step, stop))
            return worked

        return run

    def _stop_of(self, step: Step, stop: Stop) -> Stop:
        """Return the step's stop: an idle step also stops as soon as a page is due."""
        return stop if step.lane != "idle" else lambda: stop() or self._services.store.is_due()
