"""Reads what this machine has used of energy so far: hardware counters, and power that is known otherwise.

Readings are joules since some moment, so that only their differences mean anything; ``None`` is a reading
that failed.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

POWERCAP: Final = Path("/sys/class/powercap")
NVIDIA_DRIVER: Final = Path("/proc/driver/nvidia/gpus")

_PACKAGE: Final = re.compile(r"intel-rapl:\d+")
"""A whole processor. Its parts are ``intel-rapl:0:1``, and ``intel-rapl-mmio:0`` counts the same again."""


class EnergySource(Protocol):
    """Something that uses energy."""

    def joules(self, now: float) -> float | None:
        """The reading at ``now``, in seconds of a monotonic clock."""
        ...


class CpuCounter:
    """The processors' counters (RAPL): processor packages, without the parts that they include."""

    def __init__(self, packages: list[Path]) -> None:
        self._packages = [_Package(path) for path in packages]

    def joules(self, _now: float) -> float | None:
        """The sum of all packages; ``None`` if one cannot be read."""
        readings = [package.microjoules() for package in self._packages]
        known = [reading for reading in readings if reading is not None]
        return sum(known) / 1_000_000 if len(known) == len(readings) else None


class _Package:
    """One processor. Its counter begins again at 0 after ``max_energy_range_uj``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: int | None = None
        self._total = 0

    def microjoules(self) -> int | None:
        """What it used since the first reading. A reading after one that failed starts anew."""
        last = self._last
        try:
            self._last = current = int((self._path / "energy_uj").read_text("ascii"))
            if last is not None:
                self._total += current - last if current >= last else current + self._range() - last
        except (OSError, ValueError):
            self._last = None
            return None
        return self._total

    def _range(self) -> int:
        return int((self._path / "max_energy_range_uj").read_text("ascii"))


def cpu_counter(folder: Path = POWERCAP) -> CpuCounter | None:
    """The counter of the processors; ``None`` if there is none, or it may not be read."""
    packages = [path for path in sorted(folder.glob("intel-rapl:*")) if _is_package(path)]
    counter = CpuCounter(packages)
    return None if not packages or counter.joules(0) is None else counter


def _is_package(path: Path) -> bool:
    """True for a processor. ``psys``, on the same level, is the machine with its processors."""
    try:
        return bool(_PACKAGE.fullmatch(path.name)) and (path / "name").read_text().startswith("package")
    except (OSError, ValueError):
        return False


class GpuCounter:
    """The counters of all GPUs of this machine (NVML). ``nvml``: the module ``pynvml``, initialised."""

    def __init__(self, nvml: Any) -> None:
        self._nvml = nvml
        self._gpus = [nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())]
        self.names = tuple(_text(nvml.nvmlDeviceGetName(gpu)) for gpu in self._gpus)

    def joules(self, _now: float) -> float | None:
        """The sum of all GPUs; ``None`` if one cannot be read, as those before Volta."""
        try:
            readings = map(self._nvml.nvmlDeviceGetTotalEnergyConsumption, self._gpus)
            return float(sum(readings)) / 1_000
        except self._nvml.NVMLError:
            return None


class Unreadable:
    """A GPU that uses energy, nobody knows how much."""

    names: tuple[str, ...] = ()

    def joules(self, _now: float) -> None:
        """Nothing."""


def load_nvml() -> Any:
    """The module ``pynvml``, of the extra ``energy``, initialised; ``None`` if it is missing or fails."""
    try:
        import pynvml  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml


def gpu_counter(
    load: Callable[[], Any] = load_nvml, driver: Path = NVIDIA_DRIVER
) -> GpuCounter | Unreadable | None:
    """The counter of the GPUs; ``None`` if there is no GPU that NVIDIA's driver knows."""
    try:
        if not any(driver.iterdir()):
            return None
    except OSError:
        return None
    nvml = load()
    if nvml is None:
        return Unreadable()
    try:
        counter = GpuCounter(nvml)
    except nvml.NVMLError:
        return Unreadable()
    return Unreadable() if counter.joules(0) is None else counter


class Power:
    """Energy by power: between two readings, at the mean of both. ``watts``: the power now, ``None`` if it is
    not known."""

    def __init__(self, watts: Callable[[], float | None]) -> None:
        self._watts = watts
        self._last: tuple[float, float] | None = None
        self._total = 0.0

    def joules(self, now: float) -> float | None:
        """What it used since the first reading. A reading after one that failed starts anew."""
        watts, last = self._watts(), self._last
        if watts is None:
            self._last = None
            return None
        self._last = now, watts
        if last is not None:
            moment, before = last
            self._total += (now - moment) * (watts + before) / 2
        return self._total


def _text(name: str | bytes) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else name
