"""Docker: the one that runs on this machine, or one that is started with folders of its own.

``python -m tests.compose.engine`` says why none can be started here, if so, and exits with 1.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.services import MissingServiceError

PACKAGES: Final = "docker.io docker-compose mmdebstrap iptables"
START_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.2
PLUGIN: Final = Path(__file__).with_name("plugin.py")
_FOLDERS: Final = Path("/var/tmp")
"""On a disk, unlike ``/tmp`` on many machines."""

# The pipe closes however the tests end, even when killed. What ran in the machine's network leaves a mount.
_GUARD: Final = """\
dockerd "$@" & read -r _
kill $!; wait $!
umount "$FOLDER"/exec/netns/* 2>/dev/null
rm -rf "$FOLDER"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Docker and Compose. ``env``: for their programs; ``own``: nothing else runs on it."""

    env: Mapping[str, str]
    own: bool

    def docker(self, *arguments: str | Path, stdin: str | None = None) -> str:
        """What ``docker`` prints. Raises ``CalledProcessError``."""
        done = subprocess.run(
            ["docker", *arguments], env=self.env, input=stdin, text=True, check=True, stdout=subprocess.PIPE
        )
        return done.stdout

    def inspect(self, container: str) -> dict[str, Any]:
        """All that Docker knows of a container."""
        [document] = json.loads(self.docker("inspect", container))
        found: dict[str, Any] = document
        return found


@contextmanager
def engine() -> Iterator[Engine]:
    """The engine that runs, else one of our own. Raises ``MissingServiceError``."""
    running = Engine(env=dict(os.environ), own=False)
    if shutil.which("docker") and _answers(running):
        yield running
        return
    missing = [name for name in ("docker", "dockerd", "docker-compose", "iptables") if not shutil.which(name)]
    if missing:
        raise MissingServiceError(f"{missing[0]} is not installed: apt-get install {PACKAGES}")
    if os.geteuid() != 0:
        raise MissingServiceError("Docker does not run, and only root can start it")
    folder = Path(tempfile.mkdtemp(prefix="auskunft-docker-", dir=_FOLDERS))
    own = Engine(env=_environment(folder), own=True)
    guard = _start(folder)
    try:
        _wait(own, guard, folder)
        yield own
    finally:
        guard.communicate()


def _environment(folder: Path) -> dict[str, str]:
    """Docker's programs find the engine, Debian's first: another version's may lack what builds images.
    Where ``docker compose`` is unknown, docker-compose takes its place."""
    environment = {
        **os.environ,
        "PATH": f"/usr/bin:{os.environ['PATH']}",
        "DOCKER_HOST": f"unix://{folder}/docker.sock",
        "DOCKER_CONFIG": str(folder / "client"),
        "DOCKER_BUILDKIT": "1",
        "COMPOSE_DOCKER_CLI_BUILD": "1",
    }
    plugins = folder / "client/cli-plugins"
    plugins.mkdir(parents=True)
    version = ["docker", "compose", "version"]
    if subprocess.run(version, env=environment, capture_output=True, check=False).returncode:
        plugin = plugins / "docker-compose"
        plugin.write_text(f"#!{sys.executable}\n{PLUGIN.read_text('utf-8')}", "utf-8")
        plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    return environment


def _start(folder: Path) -> subprocess.Popen[bytes]:
    options = {
        "host": f"unix://{folder}/docker.sock",
        "data-root": f"{folder}/data",
        "exec-root": f"{folder}/exec",
        "pidfile": f"{folder}/pid",
    }
    with (folder / "dockerd.log").open("wb") as output:
        return subprocess.Popen(
            ["sh", "-c", _GUARD, "sh", *(f"--{name}={value}" for name, value in options.items())],
            env={**os.environ, "FOLDER": str(folder)},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait(own: Engine, guard: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    log = folder / "dockerd.log"
    while not _answers(own):
        text = log.read_text("utf-8", "replace")
        if time.monotonic() > deadline or "failed to start daemon" in text:
            raise MissingServiceError(f"Docker cannot start here: {text.strip().splitlines()[-1]}")
        time.sleep(POLL_SECONDS)


def _answers(candidate: Engine) -> bool:
    command = ["docker", "version", "--format", "{{.Server.Version}}"]
    done = subprocess.run(command, env=candidate.env, capture_output=True, check=False)
    return done.returncode == 0


def main() -> None:
    """Start an engine of our own and end it."""
    try:
        with engine() as started:
            sys.exit(0 if started.own else "Docker runs already: it may not have the images")
    except MissingServiceError as missing:
        sys.exit(str(missing))


if __name__ == "__main__":
    main()
