"""Folders as the kernel has them: ``/sys/class/powercap`` and ``/proc/meminfo``."""

from pathlib import Path

RANGE = 262_143_328_850
"""A usual ``max_energy_range_uj``."""


def add_zone(folder: Path, zone: str, name: str, microjoules: int, limit: int = RANGE) -> Path:
    """Add a counter, and return its file."""
    path = folder / zone
    path.mkdir(parents=True)
    (path / "name").write_text(f"{name}\n")
    (path / "max_energy_range_uj").write_text(f"{limit}\n")
    counter = path / "energy_uj"
    counter.write_text(f"{microjoules}\n")
    return counter


def write_meminfo(path: Path, total_gb: float, available_gb: float) -> Path:
    """Write a file like ``/proc/meminfo``."""
    kilobytes = {"MemTotal": total_gb, "MemFree": 0, "MemAvailable": available_gb}
    lines = (f"{name}:  {round(amount * 1_000_000_000 / 1_024)} kB\n" for name, amount in kilobytes.items())
    path.write_text("".join(lines))
    return path
