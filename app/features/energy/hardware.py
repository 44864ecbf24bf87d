"""Reads the energy that this machine has used so far, from hardware counters or from known power.

Readings are joules since some moment, so only differences are meaningful. ``None`` is a failed reading.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

POWERCAP: Final = Path("/sys/class/powercap")
NVIDIA_DRIVER: Final = Path("/proc/driver/nvidia/gpus")

_PACKAGE: Final = re.compile(r"intel-rapl:\d+")
"""A whole processor. Its parts are ``intel-rapl:0:1`` and so on; ``intel-rapl-mmio:0`` counts the same
again."""


class EnergySource(Protocol):
    """Something that uses energy."""

    def joules(self, now: float) -> float | None:
        """Return the reading at ``now``, in seconds of a monotonic clock."""
        ...


class CpuCounter:
    """The processors' counters (RAPL): whole packages, because these include their parts."""

    def __init__(self, packages: list[Path]) -> None:
        self._packages = [_Package(path) for path in packages]

    def joules(self, _now: float) -> float | None:
        """Return the sum of all packages, or ``None`` if one cannot be read."""
        readings = [package.microjoules() for package in self._packages]
        known = [reading for reading in readings if reading is not None]
        return sum(known) / 1_000_000 if len(known) == len(readings) else None


class _Package:
    """One processor. Its counter restarts at 0 after ``max_energy_range_uj``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: int | None = None
        self._total = 0

    def microjoules(self) -> int | None:
        """Return the energy used since the first reading. The time around a failed reading is not counted."""
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


def cpu_counter(folder: Path) -> CpuCounter | None:
    """Return the counter of the processors, or ``None`` if there is none or it may not be read."""
    packages = [path for path in sorted(folder.glob("intel-rapl:*")) if _is_package(path)]
    counter = CpuCounter(packages)
    return None if not packages or counter.joules(0) is None else counter


def _is_package(path: Path) -> bool:
    """Return True for a processor. ``psys``, on the same level, is the whole machine including its
    processors."""
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
        """Return the sum of all GPUs, or ``None`` if one cannot be read, such as those older than Volta."""
        try:
            readings = map(self._nvml.nvmlDeviceGetTotalEnergyConsumption, self._gpus)
            return float(sum(readings)) / 1_000
        except self._nvml.NVMLError:
            return None


class Unreadable:
    """A GPU whose energy is unknown."""

    names: tuple[str, ...] = ()

    def joules(self, _now: float) -> None:
        """Return ``None``, as a failed reading."""


def load_nvml() -> Any:
    """Return the initialised module ``pynvml`` (of the extra ``energy``), or ``None`` if it is missing or
    fails."""
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
    """Return the counter of the GPUs, or ``None`` if NVIDIA's driver knows no GPU."""
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
    """Energy from power: between two readings, the mean of both counts. ``watts``: returns the power now,
    ``None`` if unknown."""

    def __init__(self, watts: Callable[[], float | None]) -> None:
        self._watts = watts
        self._last: tuple[float, float] | None = None
        self._total = 0.0

    def joules(self, now: float) -> float | None:
        """Return the energy used since the first reading. The time around a failed reading is not counted."""
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
