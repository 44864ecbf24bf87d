"""The image and the Compose file fit the project: what they name exists, what they run is pinned.

No image is built and no container started here: tests/compose does that.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from base64 import b64encode
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from dotenv import dotenv_values
from pydantic import BaseModel
from sqlalchemy import make_url

from app.cli import commands as commands_of_auskunft
from app.settings.settings import Settings, load_settings
from tests.compose.installation import commands

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name for name, service in SERVICES.items() if "build" in service}
WITHOUT_DATA = {"beat", "migrate"}
PINNED = re.compile(r"[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)*")
EXAMPLE = ROOT / ".env.example"
FROM_ENV_FILE = re.compile(r"\$\{(\w+):\?")
VARIABLE = re.compile(r"\$\{(\w+):([?-])([^}]*)\}")
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


def env_file(example: str) -> dict[str, str]:
    """The variables of ``.env``, made of the example as the guide has it."""
    text = re.sub("_PASSWORD=$", "_PASSWORD=f00d", example, flags=re.MULTILINE)
    return {name: value or "" for name, value in dotenv_values(stream=StringIO(text)).items()}


def environment(name: str) -> dict[str, str]:
    """What the processes of a service of ours are given, as Compose puts it together."""
    found = env_file(EXAMPLE.read_text("utf-8"))

    def value(match: re.Match[str]) -> str:
        return found.get(match[1]) or (match[3] if match[2] == "-" else "")

    own = {key: VARIABLE.sub(value, text) for key, text in SERVICES[name]["environment"].items()}
    return found | own


@pytest.mark.parametrize("name", SERVICES)
class TestService:
    def test_runs_a_pinned_image_or_our_own(self, name: str) -> None:
        service = SERVICES[name]
        assert "build" in service or PINNED.fullmatch(service["image"])

    def test_has_a_health_check_a_memory_limit_and_comes_back(self, name: str) -> None:
        service = SERVICES[name]
        # The image's own check is that of a web server.
        assert "healthcheck" in service or (name == "web" and arguments("HEALTHCHECK"))
        assert size(service["mem_limit"]) <= 3 * 2**30
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")

    def test_is_reached_from_this_machine_at_most_and_only_by_the_web_server(self, name: str) -> None:
        ports = SERVICES[name].get("ports", ())
        assert bool(ports) == (name == "web")
        assert all(port.startswith("127.0.0.1:") for port in ports)

    def test_keeps_its_data_in_a_named_volume(self, name: str) -> None:
        volumes = {volume.partition(":")[0] for volume in SERVICES[name].get("volumes", ())}
        assert volumes <= set(COMPOSE["volumes"])
        assert bool(volumes) == (name not in WITHOUT_DATA)

    def test_holds_no_secret(self, name: str) -> None:
        secrets = [
            value
            for key, value in SERVICES[name]["environment"].items()
            if re.search("PASSWORD|KEY|AUTH|TOKEN|DATABASE|BROKER", key)
        ]
        assert secrets
        assert all(value == "" or FROM_ENV_FILE.search(value) for value in secrets)


def test_everything_asked_for_stands_in_the_example_passwords_without_a_value() -> None:
    asked = {
        name for service in SERVICES.values() for name in FROM_ENV_FILE.findall(" ".join(values(service)))
    }
    example = dotenv_values(EXAMPLE, interpolate=False)
    assert asked <= set(example)
    passwords = {"ELASTIC_PASSWORD", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
    assert {name for name, value in example.items() if not value} == passwords


def test_the_file_with_the_secrets_is_never_committed() -> None:
    assert ".env" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_only_settings_that_exist_are_set() -> None:
    example = EXAMPLE.read_text("utf-8")
    compose = (ROOT / "docker-compose.yml").read_text("utf-8")
    named = set(re.findall(r"AUSKUNFT_\w+", f"{example} {compose} {' '.join(arguments('ENV'))}"))
    assert named <= variables()


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_setting_of_the_file_reaches_the_application(name: str) -> None:
    service = SERVICES[name]
    assert service["env_file"] == ".env"
    fixed = {key for key, value in service["environment"].items() if f"${{{key}:" not in value}
    assert fixed == {"AUSKUNFT_HOST", "AUSKUNFT_DATA", "ELASTIC_PASSWORD"}


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_application_starts_with_the_settings_it_is_given(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in environment(name).items():
        monkeypatch.setenv(variable, value)
    settings = load_settings()
    assert make_url(settings.database_url.get_secret_value()).host == "postgres"
    assert urlsplit(settings.broker_url.get_secret_value()).hostname == "redis"
    assert settings.index == "elasticsearch"
    assert settings.elasticsearch_hosts == ["http://elasticsearch:9200"]
    assert settings.elasticsearch_password.get_secret_value() == "f00d"


def test_everything_in_the_example_that_is_commented_out_is_a_setting_that_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = re.sub(r"^# (?=[A-Z_]+=\S)", "", EXAMPLE.read_text("utf-8"), flags=re.MULTILINE)
    secret = f"whsec_{b64encode(bytes(24)).decode()}"
    for variable, value in env_file(lines.replace("whsec_...", secret)).items():
        monkeypatch.setenv(variable, value)
    settings = load_settings()
    assert settings.chat.model
    assert set(settings.sources) == {"town"}
    assert [site.key for site in settings.sites] == ["town"]


def test_everything_waits_for_what_it_cannot_do_without() -> None:
    healthy = {"condition": "service_healthy"}
    index_and_pages = {
        "elasticsearch": healthy,
        "migrate": {"condition": "service_completed_successfully"},
    }
    assert SERVICES["web"]["depends_on"] == index_and_pages, "without redis pages are accepted all the same"
    assert SERVICES["worker"]["depends_on"] == index_and_pages | {"redis": healthy}
    assert SERVICES["beat"]["depends_on"] == {"redis": healthy}
    assert SERVICES["migrate"]["depends_on"] == {"postgres": healthy}
    assert not any("profiles" in service for service in SERVICES.values())


def test_workers_have_the_settings_of_the_web_server_and_know_which_of_its_processes_live() -> None:
    web, worker = SERVICES["web"], SERVICES["worker"]
    assert worker["environment"] == web["environment"]
    assert worker["volumes"] == web["volumes"]


@pytest.mark.parametrize("name", sorted(OURS - {"web"}))
def test_every_process_of_ours_is_a_command_from_the_same_image(name: str) -> None:
    assert SERVICES[name]["build"] == SERVICES["web"]["build"]
    assert SERVICES[name]["command"][0] in commands_of_auskunft()


def test_a_worker_that_is_stopped_has_time_to_finish_its_pages() -> None:
    grace = SERVICES["worker"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > Settings().stop_seconds
    assert SERVICES["worker"]["init"] is True, "else the signal may not arrive"


def test_a_worker_has_memory_for_the_models_and_conversions_of_its_processes() -> None:
    worker = SERVICES["worker"]
    processes = int(worker["command"][-1])
    conversion = int(environment("worker")["AUSKUNFT_CONVERSION_BYTES"])
    assert processes * (405 * 2**20 + conversion) < size(worker["mem_limit"])


def test_there_is_one_schedule() -> None:
    assert [name for name, service in SERVICES.items() if "beat" in service.get("command", ())] == ["beat"]
    assert SERVICES["beat"]["container_name"], "Compose starts one container of a name"


@pytest.mark.parametrize("kind", ["worker", "beat"])
def test_workers_and_schedule_are_asked_for_their_signs_of_life(kind: str) -> None:
    assert SERVICES[kind]["healthcheck"]["test"] == ["CMD", "python", "-P", "-m", "workers.health", kind]


@pytest.mark.parametrize("name", sorted(OURS))
def test_our_processes_write_to_their_volumes_alone_and_have_no_privileges(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert "/tmp" in service["tmpfs"]
    assert (name in WITHOUT_DATA) == any(place.startswith("/data:") for place in service["tmpfs"])
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("port", ["1", ""])
def test_the_web_server_is_asked_at_its_port_also_where_the_setting_is_empty(port: str) -> None:
    _, check = arguments("HEALTHCHECK")[-1].split("CMD ", 1)
    asked = subprocess.run(
        [sys.executable, *json.loads(check)[1:]],
        env={"AUSKUNFT_PORT": port},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0 or "ConnectionRefusedError" in asked.stderr


def test_the_tables_are_made_where_the_application_looks_for_them() -> None:
    web, migrate = SERVICES["web"], SERVICES["migrate"]
    assert "postgres" in web["build"]["args"]["EXTRAS"]
    assert migrate["environment"]["AUSKUNFT_DATABASE_URL"] == web["environment"]["AUSKUNFT_DATABASE_URL"]
    assert migrate["command"] == ["migrate"]


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
    image = dict(pair.split("=", 1) for pair in " ".join(arguments("ENV")).split())
    assert arguments("VOLUME") == [image["AUSKUNFT_DATA"]]
    assert SERVICES["web"]["volumes"] == [f"data:{image['AUSKUNFT_DATA']}"]
    assert image["AUSKUNFT_HOST"] == "0.0.0.0"


def test_compose_accepts_the_file_with_an_env_file_made_as_the_guide_says(tmp_path: Path) -> None:
    plugin = shutil.which("docker") and not subprocess.call(
        ["docker", "compose", "version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    compose = ["docker", "compose"] if plugin else ["docker-compose"]
    if shutil.which(compose[0]) is None:
        pytest.skip("Compose is missing: install Docker with its Compose plugin, or docker-compose")
    for name in ("docker-compose.yml", ".env.example"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run(["sh", "-euc", commands("Start")[0]], cwd=tmp_path, check=True)
    done = subprocess.run([*compose, "config"], cwd=tmp_path, check=True, stdout=subprocess.PIPE)
    shown = yaml.safe_load(done.stdout)["services"]
    password = dotenv_values(tmp_path / ".env")["POSTGRES_PASSWORD"]
    assert password and len(password) == 48
    for name in OURS:
        url = shown[name]["environment"]["AUSKUNFT_DATABASE_URL"]
        assert url == f"postgresql://auskunft:{password}@postgres/auskunft"
        assert shown[name]["environment"]["AUSKUNFT_ELASTICSEARCH_USERNAME"] == "elastic"
