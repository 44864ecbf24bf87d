"""Determines the memory that this process may use."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files with a container's own limit on Linux: control groups version 2, and version 1."""


def memory_limit(limits: Iterable[Path] = LIMITS) -> int:
    """Return the bytes that all processes of the container may use together: its limit, or the machine's
    memory if that is smaller or there is no limit."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in limits:
        with suppress(OSError, ValueError):  # another version of control groups; "max"
            found.append(int(limit.read_text()))
    return min(found)
