"""Reads the properties of this machine: its processor and its memory."""

import re
from pathlib import Path
from typing import Final

MEMINFO: Final = Path("/proc/meminfo")
CPUINFO: Final = Path("/proc/cpuinfo")

_MODEL_NAME: Final = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_KILOBYTES: Final = re.compile(r"^(MemTotal|MemAvailable):\s+(\d+) kB$", re.MULTILINE)


def memory_in_use(meminfo: Path) -> int | None:
    """Return the bytes of this machine's memory that are in use; ``None`` if unknown."""
    found = _meminfo(meminfo)
    if not {"MemTotal", "MemAvailable"} <= found.keys():
        return None
    return found["MemTotal"] - found["MemAvailable"]


def memory_size(meminfo: Path = MEMINFO) -> int | None:
    """Return the bytes of this machine's memory; ``None`` if unknown."""
    return _meminfo(meminfo).get("MemTotal")


def cpu_name(cpuinfo: Path = CPUINFO) -> str:
    """Return the processor's name; empty if unknown."""
    try:
        found = _MODEL_NAME.search(cpuinfo.read_text(errors="replace"))
    except OSError:
        return ""
    return " ".join(found[1].split()) if found else ""


def _meminfo(path: Path) -> dict[str, int]:
    try:
        return {name: int(number) * 1_024 for name, number in _KILOBYTES.findall(path.read_text("ascii"))}
    except (OSError, ValueError):
        return {}
