"""The memory that this process may use."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux tells a container its own limit: control groups of version 2, and of 1."""


def memory_limit(limits: Iterable[Path] = LIMITS) -> int:
    """Return the bytes that this process and its like may use together: the container's limit, or all of the
    machine's."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in limits:
        with suppress(OSError, ValueError):  # no such version; "max"
            found.append(int(limit.read_text()))
    return min(found)
