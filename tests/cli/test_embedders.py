"""``auskunft embedders``, and what every command says about an embedder that cannot be used."""

from pathlib import Path
from typing import Any

import pytest

from ingest import registry
from tests.fakes.command import Command
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.models import installed, write_bge_m3

BROKEN = "[auskunft.embedders]\nbroken = no_such_module:Embedder\n"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def listed(command: Command, **settings: Any) -> dict[str, dict[str, Any]]:
    """The embedders by name."""
    return {item["name"]: item for item in command.run("embedders", "--json", **settings).json()}


def test_every_embedder_is_listed_with_its_options_and_dimensions(command: Command) -> None:
    infos = listed(command)
    assert list(infos) == registry.names("embedders")
    assert [name for name, info in infos.items() if info["used"]] == ["hashing"]
    assert infos["endpoint"]["required"] == ["base_url", "model"]
    assert "api_key" in infos["endpoint"]["optional"]
    assert infos["endpoint"]["lacks"] == "set base_url, model"
    assert {name: info["dims"] for name, info in infos.items()} == {
        "bge-m3": None,
        "e5": 384,
        "endpoint": None,
        "hashing": 512,
        "onnx": None,
    }


def test_the_settings_decide_what_is_still_lacking(command: Command) -> None:
    options: dict[str, Any] = {
        "embedders__endpoint__base_url": "http://h/v1",
        "embedders__endpoint__dims": "1024",
    }
    info = listed(command, embedder="endpoint", **options)["endpoint"]
    assert (info["used"], info["lacks"], info["dims"]) == (True, "set model", 1024)
    info = listed(command, **options, embedders__endpoint__model="m")["endpoint"]
    assert (info["used"], info["lacks"]) == (False, "")


def test_the_table_has_a_line_for_each_and_marks_the_one_in_use(command: Command) -> None:
    result = command.run("embedders")
    lines = result.out.splitlines()
    assert (result.code, result.err) == (0, "")
    assert len(lines) == 2 + len(registry.names("embedders"))
    assert [line.split()[1:3] for line in lines if line.startswith(" *")] == [["hashing", "ready"]]


def test_a_plugin_that_cannot_be_loaded_is_listed_with_its_reason(command: Command) -> None:
    information = command.folder / "plugins" / "broken-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(BROKEN)
    result = command.run("embedders", extra={"PYTHONPATH": str(information.parent)})
    assert "embedder 'broken' cannot be used: No module named 'no_such_module'" in result.out


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({}, "embedder 'endpoint' cannot be used: option 'base_url' is missing"),
        ({"base_url": "h", "model": "m"}, "option 'base_url': use an address such as http"),
        ({"base_url": "http://127.0.0.1:9/v1", "model": "BGE_M3:latest"}, "cannot be reached"),
        ({"base_url": "http://127.0.0.1:9/v1", "model": "org/new"}, "[thresholds.new] with base, "),
        (
            {"base_url": "http://127.0.0.1:9/v1", "model": "m", "batchsize": "1"},
            "'batchsize': did you mean 'batch_size'?",
        ),
    ],
)
def test_an_embedder_that_cannot_be_used_is_told_before_anything_is_indexed(
    command: Command, settings: dict[str, str], complaint: str
) -> None:
    (command.folder / "page.md").write_text("# Pool\n\nThe pool opens at nine.\n")
    options: dict[str, Any] = {f"embedders__endpoint__{name}": value for name, value in settings.items()}
    result = command.run("index", "page.md", embedder="endpoint", **options)
    assert complaint in result.complaint(2 if "thresholds" in complaint else 1)


@pytest.mark.skipif(installed("FlagEmbedding"), reason="FlagEmbedding is installed")
def test_without_its_package_an_embedder_is_told_with_the_command_that_installs_it(command: Command) -> None:
    (command.folder / "page.md").write_text("# Pool\n\nThe pool opens at nine.\n")
    said = command.run("index", "page.md", embedder="bge-m3").complaint(1)
    assert said.endswith("embedder 'bge-m3' needs the package FlagEmbedding: pip install 'auskunft[bge]'")
    assert listed(command)["bge-m3"]["lacks"] == "pip install 'auskunft[bge]'"


def test_the_one_in_use_is_checked_before_anything_starts(command: Command) -> None:
    result = command.run("embedders", "--check")
    assert (result.code, result.out, result.err) == (0, "embedder hashing is ready\n", "")
    said = command.run("embedders", "--check", embedder="endpoint").complaint(2)
    assert said.endswith("embedder 'endpoint' is not ready: set base_url, model")
    assert "unknown embedder 'nosuch'" in command.run("embedders", "--check", embedder="nosuch").complaint(2)


@pytest.mark.skipif(installed("FlagEmbedding"), reason="FlagEmbedding is installed")
@pytest.mark.parametrize("arguments", [["embedders", "--check"], ["worker"]])
def test_without_its_package_nothing_starts_with_an_embedder(command: Command, arguments: list[str]) -> None:
    said = command.run(*arguments, embedder="bge-m3").complaint(2)
    assert said.endswith("embedder 'bge-m3' is not ready: pip install 'auskunft[bge]'")


@pytest.mark.bge
def test_what_a_model_lacks_is_told_in_one_line_before_anything_starts(command: Command) -> None:
    model = command.folder / "bge-m3"
    settings: dict[str, Any] = {"embedder": "bge-m3", "embedders__bge_m3__model": str(model)}
    assert "there is none; fetch the model" in command.run("embedders", "--check", **settings).complaint(2)
    assert "there is none; fetch the model" in command.run("worker", **settings).complaint(2)
    write_bge_m3(model)
    assert command.run("embedders", "--check", **settings).code == 0
    said = command.run("embedders", "--check", "--processes", "1000", **settings).complaint(2)
    assert "1000 processes need 1000.0 GB of memory with embedder 'bge-m3'" in said
    (model / "sparse_linear.pt").unlink()
    assert "it has no sparse_linear.pt" in command.run("embedders", "--check", **settings).complaint(2)


@pytest.mark.parametrize("arguments", [["ask", "When does the pool open?"], ["serve", "--port", "0"]])
def test_thresholds_that_are_missing_are_told_at_the_start(command: Command, arguments: list[str]) -> None:
    (command.folder / "page.md").write_text("# Pool\n\nThe pool opens at nine.\n")
    names = ("base", "content", "title", "description", "name", "keywords")
    with FakeEmbeddings() as server:
        options: dict[str, Any] = {
            "embedders__endpoint__base_url": server.base_url,
            "embedders__endpoint__model": "new",
        }
        given: dict[str, Any] = {f"thresholds__new__{name}": 0.1 for name in names}
        assert command.run("index", "page.md", embedder="endpoint", **options, **given).code == 0
        assert (
            command.run("ask", "When does the pool open?", embedder="endpoint", **options, **given).code == 0
        )
        refusal = command.run(*arguments, embedder="endpoint", **options)
        status = command.run("status", embedder="endpoint", **options).out
    assert "[thresholds.new]" in refusal.complaint(2)
    assert "BAD embedder: preset 'default' has no thresholds for 'new'" in status
