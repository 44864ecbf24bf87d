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
