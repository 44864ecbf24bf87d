"""Reads what machine this is: its processor and its memory."""

import re
from pathlib import Path
from typing import Final

MEMINFO: Final = Path("/proc/meminfo")
CPUINFO: Final = Path("/proc/cpuinfo")

_MODEL_NAME: Final = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_KILOBYTES: Final = re.compile(r"^(MemTotal|MemAvailable):\s+(\d+) kB$", re.MULTILINE)


def memory_in_use(meminfo: Path = MEMINFO) -> int | None:
    """Bytes of this machine's memory that are in use; ``None`` if that cannot be read."""
    found = _meminfo(meminfo)
    if not {"MemTotal", "MemAvailable"} <= found.keys():
        return None
    return found["MemTotal"] - found["MemAvailable"]


def memory_size(meminfo: Path = MEMINFO) -> int | None:
    """Bytes of this machine's memory; ``None`` if that cannot be read."""
    return _meminfo(meminfo).get("MemTotal")


def cpu_name(cpuinfo: Path = CPUINFO) -> str:
    """What the processor is called; empty if that is not known."""
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
