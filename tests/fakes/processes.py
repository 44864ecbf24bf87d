"""Which processes are left."""

import time
from pathlib import Path
from typing import Final

ORPHAN_SECONDS: Final = 15.0


def wait_for_end_of_group(group: int) -> None:
    """Wait until no process of the group runs. Fails if one goes on."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    while left := running_in_group(group):
        assert time.monotonic() < deadline, f"processes {left} outlived the command"
        time.sleep(0.05)


def running_in_group(group: int) -> list[int]:
    """Processes of the group that are not zombies, or have threads that still hold files and ports."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _parent, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
            threads = len(list((stat.parent / "task").iterdir()))
        except OSError:
            continue  # it ended meanwhile
        if int(pgrp) == group and (state != "Z" or threads > 1):
            found.append(int(stat.parent.name))
    return found
