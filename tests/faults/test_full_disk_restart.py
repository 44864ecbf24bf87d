"""A disk that got full while nothing ran: what is asked says so, and which way out there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.command import Command
from tests.faults.disks import fill, small_disk
from tests.services import MissingServiceError

DISK_BYTES = 12_000_000


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    """One with a page, whose data folder is full."""
    command = Command(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "tax.md").write_text("# Dog tax\n\nThe dog tax is 100 euros a year.\n")
    try:
        with small_disk(command.data, DISK_BYTES):
            command.run("index", tmp_path / "site", "--source", "town")
            fill(command.data)
            yield command
    except MissingServiceError as missing:
        pytest.skip(str(missing))


def test_each_command_says_what_helps_and_status_shows_every_line(command: Command) -> None:
    complaint = command.run("ask", "How much is the dog tax?").complaint(1)
    assert complaint.endswith("free some disk space")
    status = command.run("status")
    assert (status.code, status.err) == (1, "")
    disk, store = (
        next(line for line in status.out.splitlines() if line.startswith(f"BAD {name}: "))
        for name in ("disk", "page store")
    )
    assert disk.endswith("(No space left on device): free some disk space")
    assert store.endswith("free some disk space")
    assert "no pages yet" not in status.out
    assert command.run("status", "--json").code == 1
    (command.data / "ballast").unlink()
    assert "town: 1 indexed" in command.run("status").out
