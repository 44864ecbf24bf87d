"""Counters of the hardware, read from files as the kernel writes them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.features.energy.hardware import CpuCounter, GpuCounter, Power, Unreadable, cpu_counter, gpu_counter
from tests.app.features.energy.counters import add_zone


def counter(folder: Path) -> CpuCounter:
    found = cpu_counter(folder)
    assert found is not None
    return found


def used(counter: CpuCounter) -> float:
    joules = counter.joules(0)
    assert joules is not None
    return joules


def test_processors_are_added_and_their_parts_are_not_counted_twice(tmp_path: Path) -> None:
    files = [add_zone(tmp_path, f"intel-rapl:{i}", f"package-{i}", 0) for i in range(2)]
    others = [
        add_zone(tmp_path, "intel-rapl:0:0", "core", 0),
        add_zone(tmp_path, "intel-rapl:0:1", "dram", 0),
        add_zone(tmp_path, "intel-rapl:2", "psys", 0),
        add_zone(tmp_path, "intel-rapl-mmio:0", "package-0", 0),
    ]
    cpu = counter(tmp_path)
    files[0].write_text("3000000\n")
    files[1].write_text("4500000\n")
    for other in others:
        other.write_text("1000000\n")
    assert used(cpu) == 7.5


def test_a_counter_that_began_again_is_carried_on(tmp_path: Path) -> None:
    file = add_zone(tmp_path, "intel-rapl:0", "package-0", 9_000_000, limit=10_000_000)
    cpu = counter(tmp_path)
    file.write_text("500000")
    assert used(cpu) == 1.5
    file.write_text("2500000")
    assert used(cpu) == 3.5


def test_a_counter_that_vanishes_is_not_known_until_it_is_back_and_starts_anew(tmp_path: Path) -> None:
    file = add_zone(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    cpu = counter(tmp_path)
    file.unlink()
    assert cpu.joules(0) is None
    file.write_text("8000000")
    before = used(cpu)
    file.write_text("9000000")
    assert used(cpu) - before == 1


def test_one_processor_that_cannot_be_read_leaves_all_unknown(tmp_path: Path) -> None:
    add_zone(tmp_path, "intel-rapl:0", "package-0", 1)
    broken = add_zone(tmp_path, "intel-rapl:1", "package-1", 1)
    cpu = counter(tmp_path)
    broken.write_text("none")
    assert cpu.joules(0) is None


@pytest.mark.parametrize("content", [None, "", "a number"])
def test_a_counter_that_may_not_be_read_is_none(tmp_path: Path, content: str | None) -> None:
    file = add_zone(tmp_path, "intel-rapl:0", "package-0", 1)
    if content is None:  # a folder cannot be read as a file, not even by root
        file.unlink()
        file.mkdir()
    else:
        file.write_text(content)
    assert cpu_counter(tmp_path) is None


def test_a_machine_without_counters_has_none(tmp_path: Path) -> None:
    assert cpu_counter(tmp_path) is None
    assert cpu_counter(tmp_path / "missing") is None


def test_power_becomes_energy_at_the_mean_of_two_readings() -> None:
    watts = iter([10.0, 20.0, 20.0])
    power = Power(lambda: next(watts))
    assert [power.joules(moment) for moment in (0, 2, 5)] == [0, 30, 90]


def test_unknown_power_starts_anew() -> None:
    watts = iter([10.0, None, 10.0, 10.0])
    power = Power(lambda: next(watts))
    assert [power.joules(moment) for moment in (0, 1, 2, 3)] == [0, None, 0, 10]


class Nvml(SimpleNamespace):
    """As much of the module ``pynvml`` as is used, for two GPUs."""

    NVMLError = type("NVMLError", (Exception,), {})
    millijoules: Any = (1_000, 2_500)

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return 2

    def nvmlDeviceGetHandleByIndex(self, i: int) -> int:  # noqa: N802
        return i

    def nvmlDeviceGetName(self, gpu: int) -> str | bytes:  # noqa: N802
        return (b"Old", "New")[gpu]

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu: int) -> int:  # noqa: N802
        if not self.millijoules:
            raise self.NVMLError
        return int(self.millijoules[gpu])


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """The folder of a driver that knows a GPU."""
    (tmp_path / "0000:01:00.0").mkdir()
    return tmp_path


def test_gpus_are_added(driver: Path) -> None:
    gpu = gpu_counter(Nvml, driver)
    assert isinstance(gpu, GpuCounter)
    assert gpu.joules(0) == 3.5
    assert gpu.names == ("Old", "New")


def test_a_gpu_that_fails_later_is_not_known(driver: Path) -> None:
    nvml = Nvml()
    gpu = gpu_counter(lambda: nvml, driver)
    nvml.millijoules = ()
    assert gpu is not None
    assert gpu.joules(0) is None


@pytest.mark.parametrize("load", [lambda: None, lambda: Nvml(millijoules=())], ids=["no package", "old GPU"])
def test_a_gpu_that_cannot_be_read_is_not_forgotten(driver: Path, load: Any) -> None:
    assert isinstance(gpu_counter(load, driver), Unreadable)


def test_without_a_gpu_nothing_is_loaded(tmp_path: Path) -> None:
    loaded: list[None] = []
    assert gpu_counter(lambda: loaded.append(None), tmp_path) is None
    assert gpu_counter(lambda: loaded.append(None), tmp_path / "missing") is None
    assert not loaded
