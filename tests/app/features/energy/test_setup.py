"""What is claimed, by what can be read and what is declared."""

from pathlib import Path
from typing import Any

import pytest

from app.errors import SettingsError
from app.features.energy import setup
from app.features.energy.hardware import GpuCounter, Unreadable
from app.features.energy.setup import EnergySetup, make_setup
from app.settings.settings import load_settings
from tests.app.features.energy.counters import add_zone, write_meminfo
from tests.app.features.energy.test_hardware import Nvml

HERE = {"base_url": "http://127.0.0.1:11434/v1", "model": "m"}
ELSEWHERE = {"base_url": "https://models.example/v1", "model": "m"}


def known(tmp_path: Path, *, cpu: bool = True, gpu: Any = None, **settings: Any) -> EnergySetup:
    if cpu:
        add_zone(tmp_path / "powercap", "intel-rapl:0", "package-0", 1)
    meminfo = write_meminfo(tmp_path / "meminfo", total_gb=8, available_gb=4)
    return make_setup(load_settings(**settings), powercap=tmp_path / "powercap", meminfo=meminfo, gpu=gpu)


def test_counters_are_read_with_the_memory(tmp_path: Path) -> None:
    found = known(tmp_path)
    assert (found.parts, found.basis) == (("cpu", "ram"), "measured")
    ram = found.sources["ram"]
    assert ram.joules(0) == 0
    assert ram.joules(10) == pytest.approx(15)  # 4 GB x 0.375 W x 10 s


def test_gpus_are_read_where_there_are_any(tmp_path: Path) -> None:
    found = known(tmp_path, gpu=GpuCounter(Nvml()))
    assert (found.parts, found.gpus) == (("cpu", "ram", "gpu"), ("Old", "New"))


@pytest.mark.parametrize("cpu", [True, False])
def test_declared_power_stands_for_the_whole_machine_where_a_counter_cannot_be_read(
    tmp_path: Path, cpu: bool
) -> None:
    found = known(tmp_path, cpu=cpu, gpu=Unreadable(), energy={"watts": 60})
    assert (found.parts, found.basis) == (("machine",), "estimated")
    machine = found.sources["machine"]
    assert (machine.joules(0), machine.joules(10)) == (0, 600)


def test_counters_come_before_declared_power(tmp_path: Path) -> None:
    assert known(tmp_path, energy={"watts": 60}).basis == "measured"


@pytest.mark.parametrize(
    ("cpu", "gpu", "settings", "reason"),
    [
        (False, None, {}, setup.NO_COUNTER),
        (True, Unreadable(), {}, setup.NO_GPU_COUNTER),
        (True, None, {"chat": ELSEWHERE}, setup.NO_MODEL),
    ],
    ids=["no counter", "no counter of the GPU", "model elsewhere"],
)
def test_nothing_is_claimed_where_a_part_is_not_known(
    tmp_path: Path, cpu: bool, gpu: Any, settings: dict[str, Any], reason: str
) -> None:
    found = known(tmp_path, cpu=cpu, gpu=gpu, **settings)
    assert (found.parts, found.basis, found.reason) == ((), None, reason)


def test_a_model_on_this_machine_is_in_its_counters(tmp_path: Path) -> None:
    assert known(tmp_path, chat=HERE).parts == ("cpu", "ram")


def test_a_model_that_is_said_to_be_here_is_in_the_counters_too(tmp_path: Path) -> None:
    chat = {"base_url": "http://ollama:11434/v1", "model": "m"}
    assert known(tmp_path, chat=chat, energy={"model_here": True}).parts == ("cpu", "ram")


def test_a_model_elsewhere_counts_by_its_tokens(tmp_path: Path) -> None:
    found = known(tmp_path, chat=ELSEWHERE, energy={"prompt_wh": 0.1, "output_wh": 1})
    assert (found.parts, found.basis) == (("cpu", "ram", "model"), "estimated")


@pytest.mark.parametrize(
    "energy",
    [
        {"pue": 0.9},
        {"pue": 3.1},
        {"watts": 0},
        {"prompt_wh": 1},
        {"output_wh": 1},
        {"prompt_wh": -1, "output_wh": 1},
        {"prompt_wh": 1, "output_wh": 1, "model_here": True},
        {"watt": 10},
    ],
)
def test_wrong_settings_are_refused(energy: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="energy"):
        load_settings(energy=energy)
