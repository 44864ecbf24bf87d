"""Finds out which energy is known on this machine with these settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.chat.energy import DECLARED, Basis, Part, is_model_here
from app.features.energy.formulas import memory_watts
from app.features.energy.hardware import (
    POWERCAP,
    EnergySource,
    GpuCounter,
    Power,
    Unreadable,
    cpu_counter,
    gpu_counter,
)
from app.monitoring.machine import MEMINFO, memory_in_use
from app.settings.settings import Settings

NO_COUNTER = (
    "the processor's counter cannot be read, and energy.watts is not set: "
    "docs/energy.md says how to permit it"
)
NO_GPU_COUNTER = (
    "the GPU's counter cannot be read: install auskunft[energy]; docs/energy.md says what it needs"
)
NO_MODEL = (
    "the language model is on another machine: set energy.prompt_wh and energy.output_wh, "
    "or energy.model_here if it is on this one"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergySetup:
    """The energy that is known. ``sources``: the parts of this machine that are counted; empty if the total
    is unknown, for this ``reason``. ``gpus``: the names of its GPUs. ``by_token``: the model's energy is
    declared per token."""

    sources: Mapping[Part, EnergySource]
    reason: str
    gpus: tuple[str, ...] = ()
    by_token: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of an answer's energy."""
        return (*self.sources, "model") if self.sources and self.by_token else tuple(self.sources)

    @property
    def basis(self) -> Basis | None:
        """The basis on which the energy of answers is known; ``None`` if it is unknown."""
        if not self.parts:
            return None
        return "estimated" if DECLARED & set(self.parts) else "measured"


Gpu = GpuCounter | Unreadable | None


def make_setup(
    settings: Settings, *, powercap: Path = POWERCAP, meminfo: Path = MEMINFO, gpu: Gpu = None
) -> EnergySetup:
    """Return what is known with these settings on a machine with these counters.

    A total is claimed only if every part of it is known. If a counter cannot be read, the declared power of
    the whole machine replaces all parts.
    """
    sources: dict[Part, EnergySource] = {}
    energy, names = settings.energy, gpu.names if gpu else ()
    by_token = bool(settings.chat.model) and energy.prompt_wh is not None
    cpu = cpu_counter(powercap)
    if not _is_model_known(settings):
        reason = NO_MODEL
    elif cpu and not isinstance(gpu, Unreadable):
        reason = ""
        sources = {"cpu": cpu, "ram": Power(partial(_memory_watts, meminfo))}
        sources |= {"gpu": gpu} if gpu else {}
    elif energy.watts is not None:
        reason, watts = "", energy.watts
        sources = {"machine": Power(lambda: watts)}
    else:
        reason = NO_GPU_COUNTER if cpu else NO_COUNTER
    return EnergySetup(sources=sources, reason=reason, gpus=names, by_token=by_token)


def read_setup(settings: Settings) -> EnergySetup:
    """Return what is known with these settings on this machine."""
    return make_setup(settings, gpu=gpu_counter())


def _memory_watts(meminfo: Path) -> float | None:
    in_use = memory_in_use(meminfo)
    return None if in_use is None else memory_watts(in_use)


def _is_model_known(settings: Settings) -> bool:
    return not settings.chat.model or settings.energy.prompt_wh is not None or is_model_here(settings)
