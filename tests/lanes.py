"""The lanes that tests run in, by what they need: each test has the marker of one lane."""

import re
from pathlib import Path
from typing import Final

import pytest

LANES: Final = (
    "plain",
    "commands",
    "services",
    "browser",
    "faults",
    "cluster",
    "model",
    "bge",
    "cms",
    "programs",
    "compose",
    "slow",
)

LONGEST_FIRST: Final = (
    "slow",
    "faults",
    "model",
    "bge",
    "cms",
    "programs",
    "compose",
    "cluster",
    "commands",
    "services",
    "browser",
    "plain",
)

SERVERS: Final = {
    "elasticsearch": {"elasticsearch", "older_elasticsearch", "private_elasticsearch"},
    "postgresql": {"postgresql", "postgresql_template", "private_postgresql"},
    "redis": {"redis", "private_redis"},
}
"""The fixtures that start a server, by the marker of the tests that ask for one."""

COMMANDS: Final = (
    "tests/cli/",
    "tests/benchmarks/",
    "tests/app/serving/test_server.py",
    "tests/test_crashes.py",
)
"""Where commands and servers run, each as a process of its own; so do the commands of features."""


COMMAND_OF_FEATURE: Final = "/test_command.py"
"""Where a feature's command runs."""

FAULTS: Final = (
    "tests/faults/",
    "tests/app/pages/test_workers.py",
    "tests/app/search/embedded/test_processes.py",
    "tests/app/serving/test_server_stop.py",
    "tests/attacks/test_load.py",
    "tests/attacks/test_slow_clients.py",
)
"""Where processes are killed, starved or kept waiting; so they are in the folders ``faults`` of features."""

OF_FEATURES: Final = re.compile(r"tests/app/features/\w+/(?:(faults)/|commands/|test_command\.py)")

CLUSTER: Final = "tests/cluster/"
"""Where nodes of a cluster of Elasticsearch are killed."""

CMS: Final = "tests/cms/"
"""Where real content management systems send their pages."""

COMPOSE: Final = "tests/compose/"
"""Where the shipped containers run."""


FOLDERS: Final = {"cluster": (CLUSTER,), "cms": (CMS,), "compose": (COMPOSE,)}
MARKED: Final = ("model", "bge", "programs")
"""Lanes that most files have no test of: by their folder, or by a marker that the file names."""


def may_have(file: Path, root: Path, lane: str) -> bool:
    """True unless a file of tests plainly has none of a lane that is run alone; such a file need not be
    imported."""
    if lane in FOLDERS:
        return file.relative_to(root).as_posix().startswith(FOLDERS[lane])
    return lane not in MARKED or f"mark.{lane}" in file.read_text("utf-8")


def mark(item: pytest.Item) -> None:
    """Mark a test with the servers that it asks for, and its lane. Raises ``pytest.UsageError`` if the lane
    would leave its file out."""
    fixtures = set(getattr(item, "fixturenames", ()))
    path = item.path.relative_to(item.config.rootpath).as_posix()
    for server, starters in SERVERS.items():
        if starters & fixtures:
            item.add_marker(server)
    lane = _lane(_markers(item), path, fixtures)
    item.add_marker(lane)
    if not may_have(item.path, item.config.rootpath, lane):
        raise pytest.UsageError(f"{item.nodeid} is of the lane {lane}: write mark.{lane} into its file")


def sort(items: list[pytest.Item]) -> None:
    """Put files whose tests take long before the others, so that no worker is left with one at the end."""
    ranks: dict[Path, int] = {}
    for item in items:
        markers = _markers(item)
        rank = next(number for number, lane in enumerate(LONGEST_FIRST) if lane in markers)
        ranks[item.path] = min(rank, ranks.get(item.path, rank))
    items.sort(key=lambda item: ranks[item.path])


def _lane(markers: set[str], path: str, fixtures: set[str]) -> str:
    """The lane that has what the test needs; ``slow`` ones run with all others only."""
    for lane in ("model", "bge", "cms", "programs", "slow", "faults", "commands"):
        if lane in markers:
            return lane
    of_feature = OF_FEATURES.match(path)
    if of_feature and of_feature[1]:
        return "faults"
    for lane, folders in (FOLDERS | {"faults": FAULTS}).items():
        if path.startswith(folders):
            return lane
    if "browser" in fixtures:
        return "browser"
    if not markers.isdisjoint(SERVERS):
        return "services"
    return "commands" if of_feature or path.startswith(COMMANDS) else "plain"


def _markers(item: pytest.Item) -> set[str]:
    return {marker.name for marker in item.iter_markers()}
