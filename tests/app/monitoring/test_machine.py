"""The machine, read from files as the kernel writes them."""

from pathlib import Path

import pytest

from app.monitoring.machine import cpu_name, memory_in_use, memory_size


def test_memory_in_use_is_what_is_not_available(tmp_path: Path) -> None:
    path = tmp_path / "meminfo"
    path.write_text("MemTotal:  31250000 kB\nMemFree:  0 kB\nMemAvailable:  23437500 kB\n")
    assert memory_in_use(path) == pytest.approx(8_000_000_000, abs=2_000)
    assert memory_size(path) == pytest.approx(32_000_000_000, abs=2_000)


@pytest.mark.parametrize("content", ["", "MemTotal: 1 kB\n", "MemTotal: many kB\nMemAvailable: 1 kB\n"])
def test_memory_that_is_not_told_is_not_known(tmp_path: Path, content: str) -> None:
    path = tmp_path / "meminfo"
    path.write_text(content)
    assert memory_in_use(path) is None
    assert memory_in_use(tmp_path / "missing") is None


def test_the_processors_name_is_read_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text("processor\t: 0\nmodel name\t: Example  CPU 9\nmodel name\t: Example  CPU 9\n")
    assert cpu_name(path) == "Example CPU 9"
    assert cpu_name(tmp_path / "missing") == ""
