"""The disk is asked by writing, but not by everybody who wants to know."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.errors import UnwritableError
from app.pages import writability
from app.pages.database import open_engine, sqlite_url
from app.pages.writability import KEEP_SECONDS, DiskCheck


class Disk:
    """Counts who asks, at a time that tests set."""

    def __init__(self, engine: Engine) -> None:
        self.asked = 0
        self.now = 1_000.0
        self.is_full = False
        self.check = DiskCheck(Path("data"), lambda: engine, clock=lambda: self.now).check

    def write(self, folder: Path) -> None:
        self.asked += 1
        if self.is_full:
            raise UnwritableError(f"{folder} is full")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    engine = open_engine(sqlite_url(tmp_path / "pages.sqlite"))
    disk = Disk(engine)
    monkeypatch.setattr(writability, "check_folder", disk.write)
    yield disk
    engine.dispose()


def test_many_who_ask_at_once_make_one_write(disk: Disk) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: disk.check(), range(32)))
    assert disk.asked == 1


def test_an_answer_is_kept_for_a_while_and_a_refusal_too(disk: Disk) -> None:
    disk.check()
    disk.is_full = True
    disk.check()
    disk.now += KEEP_SECONDS
    for _ in range(2):
        with pytest.raises(UnwritableError, match="data is full"):
            disk.check()
    disk.is_full = False
    disk.now += KEEP_SECONDS
    disk.check()
    assert disk.asked == 3
