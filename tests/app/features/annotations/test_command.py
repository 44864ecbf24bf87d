"""``auskunft annotations``, as people run it."""

from pathlib import Path

from tests.fakes.command import Command


def test_a_number_that_no_database_holds_is_too_large(tmp_path: Path) -> None:
    said = Command(tmp_path).run("annotations", "remove", "9" * 21).complaint(2)
    assert f"{'9' * 21} is too large" in said
