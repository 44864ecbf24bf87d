"""The memory that a process may use."""

import os
from pathlib import Path

from ingest.memory import memory_limit

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_a_container_may_use_its_limit_and_no_more_than_the_machine_has(tmp_path: Path) -> None:
    none, small, huge, absent = (tmp_path / name for name in ("none", "small", "huge", "absent"))
    none.write_text("max\n")
    small.write_text("1000000\n")
    huge.write_text("9223372036854771712\n")
    assert memory_limit([none, small]) == 1_000_000
    assert memory_limit([huge, none, absent]) == MACHINE
    assert memory_limit([]) == MACHINE
