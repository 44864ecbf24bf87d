"""A file of the index that another process replaces."""

import threading
from pathlib import Path

from app.search.embedded.database import Database, create


def test_a_file_that_is_deleted_while_one_looks_is_not_current(tmp_path: Path) -> None:
    path = tmp_path / "generation.sqlite"
    create(path, ["CREATE TABLE pages (id)"], version=1, journal="DELETE")
    database, hidden = Database(path, 1), path.with_name("hidden")
    done = threading.Event()

    def come_and_go() -> None:
        for _ in range(3_000):
            path.rename(hidden)
            hidden.rename(path)
        done.set()

    other = threading.Thread(target=come_and_go)
    other.start()
    seen = set()
    while not done.is_set():
        seen.add(database.is_current())
    other.join()
    assert seen == {True, False}
    assert database.is_current()
    database.close()
