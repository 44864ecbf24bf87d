"""The image and the Compose file fit the project: what they name exists, what they run is pinned.

No image is built and no container started here; docs/deployment.md says what was tried by hand.
"""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from sqlalchemy import make_url

from app.cli import COMMANDS
from app.settings import Settings, load_settings

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PINNED = re.compile(r"[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)*")
FROM_ENV_FILE = re.compile(r"\$\{(\w+):\?")
UNITS = {"m": 2**20, "g": 2**30}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each with its arguments in one line."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, " ".join(arguments.split())) for name, arguments in lines]


def arguments(instruction: str) -> list[str]:
    """The arguments of every such instruction."""
    return [arguments for name, arguments in instructions() if name == instruction]


def copied() -> set[str]:
    """What the Dockerfile takes from the project."""
    own = [line.split() for line in arguments("COPY") if not line.startswith("--from")]
    return {source for *sources, _ in own for source in sources}


def variables() -> set[str]:
    """Every environment variable that sets something."""
    names = {"CONFIG"}
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names |= {f"{name}__{part}".upper() for part in kind.model_fields}
        else:
            names.add(name.upper())
    return {f"AUSKUNFT_{name}" for name in names}


def size(text: str) -> int:
    """Bytes of ``2g`` or ``512m``."""
    return int(text[:-1]) * UNITS[text[-1]]


def values(service: dict[str, Any]) -> list[str]:
    """All that a service gets handed: its environment and its command line."""
    return [str(value) for value in (*service.get("environment", {}).values(), *service.get("command", ()))]


@pytest.mark.parametrize("name", SERVICES)
class TestService:
    def test_runs_a_pinned_image_or_our_own(self, name: str) -> None:
        service = SERVICES[name]
        assert "build" in service or PINNED.fullmatch(service["image"])

    def test_has_a_health_check_a_memory_limit_and_comes_back(self, name: str) -> None:
        service = SERVICES[name]
        assert "healthcheck" in service or ("build" in service and arguments("HEALTHCHECK"))
        assert size(service["mem_limit"]) <= 2 * 2**30
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")

    def test_is_reached_from_this_machine_at_most(self, name: str) -> None:
        assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", ()))

    def test_keeps_its_data_in_a_named_volume(self, name: str) -> None:
        volumes = {volume.partition(":")[0] for volume in SERVICES[name].get("volumes", ())}
        assert volumes <= set(COMPOSE["volumes"])
        assert volumes or name == "migrate"

    def test_holds_no_secret(self, name: str) -> None:
        environment = SERVICES[name]["environment"]
        secrets = [
            value for key, value in environment.items() if re.search("PASSWORD|KEY|AUTH|DATABASE", key)
        ]
        assert secrets
        assert all(value is None or FROM_ENV_FILE.search(value) for value in secrets)


def test_everything_asked_for_stands_in_the_example_without_a_value() -> None:
    asked = {
        name for service in SERVICES.values() for name in FROM_ENV_FILE.findall(" ".join(values(service)))
    }
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    assert {f"{name}=" for name in asked} == {line for line in lines if line and not line.startswith("#")}


def test_the_file_with_the_secrets_is_never_committed() -> None:
    assert ".env" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_only_settings_that_exist_are_set() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    compose = (ROOT / "docker-compose.yml").read_text("utf-8")
    named = set(re.findall(r"AUSKUNFT_\w+", f"{example} {compose} {' '.join(arguments('ENV'))}"))
    assert named <= variables()


def test_a_language_model_named_in_the_example_reaches_the_application() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    assert set(re.findall(r"AUSKUNFT_\w+", example)) <= set(SERVICES["web"]["environment"])


def test_the_application_starts_with_the_settings_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SERVICES["web"]["environment"].items():
        if value is not None:
            monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.index == "elasticsearch"
    assert settings.elasticsearch_hosts == ["http://elasticsearch:9200"]
    assert make_url(settings.database_url.get_secret_value()).host == "postgres"


def test_the_application_waits_for_its_servers_and_for_nothing_that_is_off() -> None:
    assert SERVICES["web"]["depends_on"] == {
        "elasticsearch": {"condition": "service_healthy"},
        "migrate": {"condition": "service_completed_successfully"},
    }
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {"redis"}


def test_the_tables_are_made_where_the_application_looks_for_them() -> None:
    web, migrate = SERVICES["web"], SERVICES["migrate"]
    assert migrate["build"] == web["build"]
    assert "postgres" in web["build"]["args"]["EXTRAS"]
    assert migrate["environment"]["AUSKUNFT_DATABASE_URL"] == web["environment"]["AUSKUNFT_DATABASE_URL"]
    assert migrate["command"] == [command.name for command in COMMANDS if command.name == "migrate"]


def test_elasticsearch_has_half_its_memory_as_heap() -> None:
    elasticsearch = SERVICES["elasticsearch"]
    heap = re.fullmatch(r"-Xms(\w+) -Xmx(\w+)", elasticsearch["environment"]["ES_JAVA_OPTS"])
    assert heap
    assert [size(part) * 2 for part in heap.groups()] == [size(elasticsearch["mem_limit"])] * 2


def test_redis_asks_for_a_password_and_keeps_every_message() -> None:
    command = " ".join(SERVICES["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command
    assert "--requirepass ${REDIS_PASSWORD:?" in command


def test_the_image_is_built_from_a_pinned_one_and_runs_without_privileges() -> None:
    first, *others = arguments("FROM")
    image, _, stage = first.partition(" AS ")
    assert PINNED.fullmatch(image)
    assert all(other.split(" AS ")[0] == stage for other in others)
    assert arguments("USER") == ["10001:10001"]


def test_the_image_holds_every_package_and_nothing_unneeded_is_sent_to_its_build() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    sent = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert set(wheel["packages"]) == packages
    assert packages < copied()
    assert copied() == {line[1:] for line in sent if line.startswith("!")}
    assert all((ROOT / path).exists() for path in copied())
    assert "*" in sent


def test_the_data_of_the_image_lie_in_its_volume() -> None:
    environment = dict(pair.split("=", 1) for pair in " ".join(arguments("ENV")).split())
    assert arguments("VOLUME") == [environment["AUSKUNFT_DATA"]]
    assert SERVICES["web"]["volumes"] == [f"data:{environment['AUSKUNFT_DATA']}"]
    assert environment["AUSKUNFT_HOST"] == "0.0.0.0"


def test_compose_accepts_the_file(tmp_path: Path) -> None:
    compose = [shutil.which("docker") or "docker", "compose"]
    if shutil.which("docker") is None or subprocess.call([*compose, "version"], stderr=subprocess.DEVNULL):
        pytest.skip("`docker compose` is missing: install Docker with its Compose plugin")
    secrets = tmp_path / "secrets.env"
    secrets.write_text("".join(f"{name}_PASSWORD=x\n" for name in ("ELASTIC", "REDIS", "POSTGRES")), "utf-8")
    options = ["--env-file", str(secrets), "--profile", "queue", "config", "--quiet"]
    subprocess.run([*compose, *options], cwd=ROOT, check=True)
