"""``docker compose`` by docker-compose 1.29, as far as the commands of the documentation go.

Docker calls it with ``compose`` and the arguments, or asks what it is. ``up --wait``, which 1.29 does not
know, waits until every container with a health check is healthy; without a terminal none is asked for.
"""

import json
import subprocess
import sys
import time
from typing import Any

PATIENCE_SECONDS = 300.0
COMMANDS = (
    "build",
    "config",
    "down",
    "exec",
    "kill",
    "logs",
    "ps",
    "pull",
    "run",
    "start",
    "stop",
    "up",
    "version",
)
POLL_SECONDS = 0.5
METADATA = {"SchemaVersion": "0.1.0", "Vendor": "Auskunft's tests", "Version": "v1.29.2"}


def compose(arguments: list[str]) -> int:
    """Run docker-compose and return its exit status."""
    place = next(index for index, argument in enumerate(arguments) if argument in COMMANDS)
    command, options = arguments[place], arguments[place + 1 :]
    if command in ("exec", "run") and "-T" not in options and not sys.stdin.isatty():
        options.insert(0, "-T")
    waits = command == "up" and "--wait" in options
    if waits:
        options.remove("--wait")
    done = subprocess.run(["docker-compose", *arguments[:place], command, *options], check=False)
    return wait(arguments[:place]) if waits and done.returncode == 0 else done.returncode


def wait(options: list[str]) -> int:
    """Wait for the health of the project's containers; 1 if one is ill or ended badly."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        listed = ["docker-compose", *options, "ps", "--quiet", "--all"]
        names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
        inspected = subprocess.run(["docker", "inspect", *names], check=True, capture_output=True)
        containers = json.loads(inspected.stdout)
        states = [(container["Name"], container["State"]) for container in containers]
        bad = [name for name, state in states if _ill(state)]
        if bad:
            sys.stderr.write(f"not healthy: {', '.join(bad)}\n")
            return 1
        if all(state["Status"] == "exited" or _healthy(state) for _, state in states):
            return 0
        time.sleep(POLL_SECONDS)
    sys.stderr.write("not healthy in time\n")
    return 1


def _ill(state: dict[str, Any]) -> bool:
    return bool(state["ExitCode"]) if state["Status"] == "exited" else _health(state) == "unhealthy"


def _healthy(state: dict[str, Any]) -> bool:
    return _health(state) == "healthy"


def _health(state: dict[str, Any]) -> str:
    return str(state.get("Health", {}).get("Status", ""))


def main() -> int:
    """Say what this is, or do as asked."""
    if sys.argv[1:] == ["docker-cli-plugin-metadata"]:
        sys.stdout.write(json.dumps(METADATA))
        return 0
    return compose(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
