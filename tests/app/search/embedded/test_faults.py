"""Files that are missing, damaged, too new, not writable or on a full disk."""

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from app.errors import AuskunftError, DataFolderError, IndexUnavailableError
from app.search.embedded import EmbeddedIndex, database
from app.search.types import QuerySpec, collection_of
from tests.contracts.embedded_pages import RECIPE, embedded, ref, unit

EAST: Final = unit(1, 0, 0, 0)
QUESTION: Final = QuerySpec(words=("swimming",), sources=frozenset({"town"}), vector=EAST, k={"content": 5})
NOBODY: Final = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index with one page in its live generation 1, closed."""
    folder = tmp_path / "index"
    index = EmbeddedIndex(folder)
    index.promote(index.create(RECIPE).number)
    index.write(1, [embedded("pool", content="Swimming", vectors={"content": [EAST]})])
    index.close()
    return folder


def test_an_index_is_the_same_after_reopening(folder: Path) -> None:
    index = EmbeddedIndex(folder)
    [candidate] = index.search(QUESTION)
    assert (candidate.page.ref, candidate.keyword) == (ref("pool"), True)
    assert candidate.similarity == pytest.approx({"content": 1})


def test_a_catalog_from_before_generations_had_owners_goes_on(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as connection, connection:
        connection.execute("ALTER TABLE generations DROP COLUMN owner")
    with closing(EmbeddedIndex(folder)) as index:
        assert len(index.search(QUESTION)) == 1
        assert [made.owner for made in (*index.generations(), index.create(RECIPE, "0123abc"))] == [
            "",
            "0123abc",
        ]


def test_a_generation_from_before_pages_kept_their_metadata_goes_on(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "generation-000001.sqlite")) as connection, connection:
        connection.execute("ALTER TABLE documents DROP COLUMN metadata")
    with closing(EmbeddedIndex(folder)) as index, closing(EmbeddedIndex(folder)) as another:
        [candidate] = index.search(QUESTION)
        assert candidate.page.metadata == {}
        assert another.search(replace(QUESTION, without=frozenset({collection_of(candidate.page)}))) == []
        lake = embedded("lake", content="Swimming", vectors={"content": [EAST]})
        lake = replace(lake, page=replace(lake.page, metadata={"number": "6"}))
        for writer, page in ((index, lake), (another, embedded("pool", 2, content="Swimming"))):
            assert [result.status for result in writer.write(1, [page])] == ["written"]
        assert [page.metadata for page in index.pages([ref("lake"), ref("pool")])] == [{"number": "6"}, {}]
        assert another.advice() is None


def test_a_generation_with_full_text_tables_of_the_first_version_goes_on_without_them(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "generation-000001.sqlite")) as connection, connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(tokens, content='', tokenize='ascii')")
        connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)")
        connection.execute("DROP INDEX chunks_uneven")
        connection.execute("PRAGMA user_version = 1")
    with closing(EmbeddedIndex(folder)) as index, closing(EmbeddedIndex(folder)) as another:
        assert [candidate.keyword for candidate in index.search(QUESTION)] == [True]
        lake = embedded("lake", content="Swimming", vectors={"content": [EAST]})
        assert [result.status for result in another.write(1, [lake])] == ["written"]
        assert len(index.search(QUESTION)) == 2
        assert index.damaged() == 0
    with closing(sqlite3.connect(folder / "generation-000001.sqlite")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
    assert [name for name in names if name.startswith(("words", "vocabulary"))] == []


@pytest.mark.parametrize("opened_before", [True, False])
def test_a_missing_generation_file_is_named_and_not_made_anew(folder: Path, opened_before: bool) -> None:
    index = EmbeddedIndex(folder)
    if opened_before:
        assert len(index.search(QUESTION)) == 1
    path = folder / "generation-000001.sqlite"
    path.unlink()
    for call in (
        lambda: index.search(QUESTION),
        lambda: index.pages([ref("pool")]),
        lambda: index.write(1, []),
        lambda: list(index.refs(1)),
        lambda: index.promote(1),
    ):
        with pytest.raises(IndexUnavailableError, match=r"generation-000001\.sqlite"):
            call()
    assert not path.exists()
    assert [generation.number for generation in index.generations()] == [1]


def test_a_restored_generation_file_is_used_again(folder: Path) -> None:
    index, path = EmbeddedIndex(folder), folder / "generation-000001.sqlite"
    assert len(index.search(QUESTION)) == 1
    shutil.move(path, folder / "away")
    with pytest.raises(IndexUnavailableError):
        index.search(QUESTION)
    shutil.copy(folder / "away", path)
    assert len(index.search(QUESTION)) == 1


def test_files_that_were_replaced_while_they_were_open_are_used_from_then_on(
    folder: Path, tmp_path: Path
) -> None:
    with closing(EmbeddedIndex(folder)) as index:
        assert len(index.search(QUESTION)) == 1
        shutil.copytree(folder, tmp_path / "backup")
        lake = embedded("lake", content="Swimming", vectors={"content": [EAST]})
        index.write(1, [lake])
        index.promote(index.create(RECIPE).number)
        shutil.move(folder, tmp_path / "away")
        shutil.move(tmp_path / "backup", folder)
        assert [made.number for made in index.generations()] == [1]
        assert [candidate.page.ref.id for candidate in index.search(QUESTION)] == ["pool"]
        index.write(1, [lake])
    with closing(EmbeddedIndex(folder)) as again:
        assert len(again.search(QUESTION)) == 2


def test_a_missing_catalog_beside_generations_is_not_made_anew(folder: Path) -> None:
    (folder / "catalog.sqlite").unlink()
    with pytest.raises(IndexUnavailableError, match=r"catalog\.sqlite"):
        EmbeddedIndex(folder)
    assert not (folder / "catalog.sqlite").exists()


@pytest.mark.parametrize("file", ["catalog.sqlite", "generation-000001.sqlite"])
def test_a_file_of_a_newer_version_is_left_alone(folder: Path, file: str) -> None:
    with closing(sqlite3.connect(folder / file)) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(DataFolderError, match="newer"):
        EmbeddedIndex(folder).search(QUESTION)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 300])
def test_a_damaged_generation_is_named_with_what_to_do(folder: Path, content: bytes) -> None:
    (folder / "generation-000001.sqlite").write_bytes(content)
    with pytest.raises(IndexUnavailableError, match=r"generation-000001\.sqlite is damaged.*reindex"):
        EmbeddedIndex(folder).search(QUESTION)


def test_a_file_left_by_a_killed_creation_is_replaced(folder: Path) -> None:
    (folder / "generation-000002.sqlite").write_bytes(b"half a file")
    index = EmbeddedIndex(folder)
    assert index.create(RECIPE).number == 2
    assert index.write(2, [embedded("pool", content="Swimming")])[0].status == "written"


def test_a_writer_that_waits_too_long_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    index = EmbeddedIndex(folder)
    with closing(sqlite3.connect(folder / "generation-000001.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexUnavailableError, match="locked"):
            index.write(1, [embedded("pool", 2)])
        assert len(index.search(QUESTION)) == 1
    assert index.write(1, [embedded("pool", 2)])[0].status == "written"


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("in the way")
    with pytest.raises(DataFolderError, match="index"):
        EmbeddedIndex(tmp_path / "index")


def _open_and_write(folder: Path, results: "multiprocessing.Queue[str]") -> None:
    """As a user without rights to the folder."""
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    try:
        EmbeddedIndex(folder).write(1, [embedded("pool", 2)])
    except AuskunftError as error:
        results.put(type(error).__name__)
    else:
        results.put("written")


def _outcome(folder: Path) -> str:
    """What becomes of writing to the index as such a user."""
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=_open_and_write, args=(folder, results))
    process.start()
    outcome = results.get(timeout=30)
    process.join()
    return outcome


def test_a_file_that_may_not_be_opened_is_named_with_the_remedy(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as reachable:  # by any user, which tmp_path is not
        Path(reachable).chmod(0o755)
        index = shutil.copytree(folder, Path(reachable) / "index")
        for path in (index, *index.iterdir()):
            path.chmod(0o777)
        (index / "generation-000001.sqlite").chmod(0o000)
        assert _outcome(index) == "DataFolderError"


def test_a_folder_in_the_place_of_a_file_is_named_with_the_remedy(folder: Path) -> None:
    path = folder / "generation-000001.sqlite"
    path.unlink()
    path.mkdir()
    with closing(EmbeddedIndex(folder)) as index:
        for call in (lambda: index.search(QUESTION), lambda: index.write(1, [embedded("pool", 2)])):
            with pytest.raises(DataFolderError, match=r"000001\.sqlite is a folder.*move it away and run"):
                call()


@pytest.mark.parametrize("existing", [True, False])
def test_a_read_only_folder_is_reported_as_such(folder: Path, existing: bool) -> None:
    with tempfile.TemporaryDirectory() as reachable:  # by any user, which tmp_path is not
        Path(reachable).chmod(0o755)
        locked = Path(reachable) / "index"
        if existing:
            shutil.copytree(folder, locked)
        else:
            locked.mkdir()
        locked.chmod(0o555)
        assert _outcome(locked) == "DataFolderError"
        locked.chmod(0o755)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False, capture_output=True
    )
    if mounting.returncode:
        pytest.skip("needs the right to mount a small file system")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_is_reported_and_the_old_state_stays(small_disk: Path) -> None:
    index = EmbeddedIndex(small_disk)
    index.promote(index.create(RECIPE).number)
    index.write(1, [embedded("pool", content="Swimming", vectors={"content": [EAST]})])
    large = embedded("large", content="swimming " * 100_000, vectors={"content": [EAST]})
    with pytest.raises(DataFolderError, match="full"):
        index.write(1, [embedded("pool", 2, content="Skating"), large])
    assert [(c.page.ref.id, c.page.sequence) for c in index.search(QUESTION)] == [("pool", 1)]
    index.close()
