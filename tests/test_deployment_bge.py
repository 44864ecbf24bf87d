"""The Compose file that gives BGE-M3 fits the other one, the image and the project."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from app.cli import commands as commands_of_auskunft
from app.presets.collection import Presets
from app.settings.settings import load_settings
from ingest.flag_embedding import PROCESS_BYTES

ROOT: Final = Path(__file__).parent.parent
FILES: Final = ("docker-compose.yml", "docker-compose.bge.yml")
FIRST, SECOND = ({**yaml.safe_load((ROOT / file).read_text("utf-8"))["services"]} for file in FILES)
OURS: Final = {name for name, service in FIRST.items() if "build" in service}
WEIGHTS: Final = 2_271_000_000
"""Bytes of BGE-M3's, in single precision."""
UNITS: Final = {"m": 2**20, "g": 2**30}
LOCKED: Final = ("read_only", "init", "cap_drop", "security_opt", "restart", "healthcheck")


def size(text: str) -> int:
    """Bytes of ``2g`` or ``512m``."""
    return int(text[:-1]) * UNITS[text[-1]]


def environment() -> dict[str, str]:
    """The variables of the second file, as Compose fills them in where ``.env`` says nothing."""
    own: dict[str, str] = SECOND["web"]["environment"]
    return {name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) for name, value in own.items()}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    return load_settings()


def test_one_file_more_gives_preset_egocms_with_the_thresholds_of_bge_m3(settings: Any) -> None:
    assert (settings.preset, settings.embedder) == ("egocms", "bge-m3")
    folder = settings.embedder_options("bge-m3")["model"]
    recipe = {"name": "bge-m3", "model": Path(folder).name}
    preset = Presets(None).load("egocms")
    assert preset.thresholds(recipe) == preset.embedders["bge-m3"]


def test_the_folder_named_in_the_example_is_where_the_embedder_looks_and_stays_as_it_is(
    settings: Any,
) -> None:
    folder = settings.embedder_options("bge-m3")["model"]
    example = (ROOT / ".env.example").read_text("utf-8")
    for name in ("model", "web", "worker"):
        [volume] = SECOND[name]["volumes"]
        source, _, place = volume.rpartition("}:")
        assert source.startswith("${BGE_M3_FOLDER:?")
        assert place == f"{folder}:ro"
    assert re.search("^# BGE_M3_FOLDER=/", example, re.MULTILINE)


def test_every_process_of_ours_is_of_one_image_with_the_extra() -> None:
    assert set(SECOND) == OURS | {"model"}
    [build] = {str(service["build"]) for service in SECOND.values()}
    assert FIRST["web"]["build"]["args"]["EXTRAS"] in build
    assert FIRST["web"]["build"]["args"]["EXTRAS"] + ",bge" == SECOND["web"]["build"]["args"]["EXTRAS"]


def test_torch_comes_first_from_its_own_index_and_every_library_is_pinned() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    arguments = SECOND["web"]["build"]["args"]
    assert arguments["TORCH_INDEX"] == "${TORCH_INDEX-https://download.pytorch.org/whl/cpu}"
    assert {f"ARG {name}" for name in arguments} <= {
        line.partition("=")[0] for line in dockerfile.splitlines()
    }
    assert dockerfile.index('--index-url "$TORCH_INDEX" torch') < dockerfile.index('".${EXTRAS:+[$EXTRAS]}"')
    pins = set((ROOT / "constraints.txt").read_text("utf-8").splitlines())
    tested = (ROOT / "tests/services/flag_embedding.txt").read_text("utf-8").splitlines()
    assert {line for line in tested if line[:1].isalpha() and not line.startswith("nvidia")} <= pins


def test_what_is_missing_is_said_before_anything_of_ours_starts() -> None:
    model = SECOND["model"]
    assert model["command"][0] in commands_of_auskunft()
    assert model["command"][:2] == ["embedders", "--check"]
    assert model["environment"] == SECOND["web"]["environment"] == SECOND["worker"]["environment"]
    model_first = {"model": {"condition": "service_completed_successfully"}}
    assert SECOND["migrate"]["depends_on"] == SECOND["beat"]["depends_on"] == model_first
    assert {"web", "worker"} == {name for name in OURS if "migrate" in FIRST[name].get("depends_on", ())}
    assert {key: model[key] for key in LOCKED} == {key: FIRST["migrate"].get(key) for key in LOCKED}


def test_the_limits_hold_for_the_weights_and_all_processes_with_them() -> None:
    [conversion] = re.findall(r"\d{6,}", FIRST["worker"]["environment"]["AUSKUNFT_CONVERSION_BYTES"])
    process = PROCESS_BYTES + int(conversion)
    processes = int(FIRST["worker"]["command"][-1])
    assert SECOND["worker"].get("command", FIRST["worker"]["command"])[-1] == str(processes)
    assert WEIGHTS + process < size(SECOND["web"]["mem_limit"])
    assert WEIGHTS + processes * process < size(SECOND["worker"]["mem_limit"])
    assert SECOND["model"]["command"][-1] == str(1 + processes)
    together = size(SECOND["web"]["mem_limit"]) + size(SECOND["worker"]["mem_limit"])
    assert size(SECOND["model"]["mem_limit"]) == together


def test_compose_joins_the_two_files(tmp_path: Path) -> None:
    plugin = shutil.which("docker") and not subprocess.call(
        ["docker", "compose", "version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    command = ["docker", "compose"] if plugin else ["docker-compose"]
    if shutil.which(command[0]) is None:
        pytest.skip("Compose is missing: install Docker with its Compose plugin, or docker-compose")
    for file in FILES:
        text = (ROOT / file).read_text("utf-8")
        (tmp_path / file).write_text(re.sub("^name: .*$", "", text, flags=re.MULTILINE), "utf-8")
    example = (ROOT / ".env.example").read_text("utf-8")
    secrets = re.sub("_PASSWORD=$", "_PASSWORD=x", example, flags=re.MULTILINE)
    (tmp_path / ".env").write_text(f"{secrets}\nBGE_M3_FOLDER=/models/weights\nEXTRAS=local,postgres,onnx\n")
    files = [option for file in FILES for option in ("-f", file)]
    done = subprocess.run(
        [*command, *files, "config"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    joined = yaml.safe_load(done.stdout)["services"]
    assert set(joined["migrate"]["depends_on"]) == {"model", "postgres"}
    assert joined["web"]["build"]["args"]["EXTRAS"] == "local,postgres,onnx,bge"
    assert len(joined["worker"]["volumes"]) == 2
    assert {"AUSKUNFT_INDEX", *environment()} <= set(joined["worker"]["environment"])
