"""No test falls between the lanes: each lane has its command, and one command runs them all."""

import re
from pathlib import Path

import pytest

from tests import lanes

MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text("utf-8")


def test_each_lane_has_its_command() -> None:
    named = set(re.findall(r"(?:pytest|PYTEST\)) -m (\w+)", MAKEFILE))
    assert named == {*lanes.LANES} - {"slow"}


def test_a_test_is_in_one_lane(request: pytest.FixtureRequest) -> None:
    assert [lane for lane in lanes.LANES if request.node.get_closest_marker(lane)] == ["plain"]


def test_files_that_name_no_test_of_a_lane_are_not_imported_for_it(request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    files = [*(root / "tests").rglob("test_*.py")]
    found = {lane: [file for file in files if lanes.may_have(file, root, lane)] for lane in lanes.LANES}
    assert {lane: bool(found[lane]) for lane in lanes.LANES} == dict.fromkeys(lanes.LANES, True)
    assert found["plain"] == files
    assert all(file.is_relative_to(root / "tests/cms") for file in found["cms"])
    assert root / "tests/ingest/embedders/test_bge_m3.py" in found["bge"]
    assert len(found["bge"]) < 10
