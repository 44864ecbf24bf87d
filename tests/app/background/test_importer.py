"""Reading a whole source with pruning: what may be deleted, and what only seems to be gone."""

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.background.importer import Importer, ImportResult
from app.errors import NeedsAttentionError, PageError
from app.search.index import live_generation
from app.services import Services
from app.settings.settings import Settings
from app.sources.deletion_guard import DeletionGuard
from ingest import languages
from ingest.converters.process import ConverterProcess
from ingest.sources.files import FilesSource
from ingest.types import RawPage
from tests.contracts.raw_pages import page
from tests.fakes.databases import new_data

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Look at files as a user without privileges."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


class Unprivileged(FilesSource):
    """Reads its files as a user without privileges."""

    def documents(self) -> Iterator[str]:
        with as_nobody():
            found = list(super().documents())
        yield from found

    def pages(self, document: str) -> Sequence[RawPage] | None:
        with as_nobody():
            return super().pages(document)


class Interrupted(FilesSource):
    """``meanwhile`` happens before a document is read."""

    def __init__(self, name: str, path: str, meanwhile: Callable[[], object]) -> None:
        super().__init__(name, path)
        self._meanwhile = meanwhile

    def pages(self, document: str) -> Sequence[RawPage] | None:
        self._meanwhile()
        return super().pages(document)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody can reach, with forty pages, ten of them in each of four folders."""
    languages.detect("what this loads may be out of reach of a user without privileges")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        for number in range(40):
            path = Path(name) / str(number % 4) / f"{number}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# Page {number}\n\nThis is page {number}.\n")
        yield Path(name)


@pytest.fixture
def services(tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    with Services(Settings(data=new_data(tmp_path / "data"), embedder="hashing")) as services:
        services.indexing.converter = converter
        live_generation(services.indexing.index, services.store.id)
        yield services


def run(services: Services, source: FilesSource, *, confirmed: bool = False) -> ImportResult:
    """Import with pruning."""
    guard = DeletionGuard(command="auskunft index", confirmed=confirmed)
    importer = Importer(
        store=services.store, indexer=services.indexing.indexer, show=lambda *_: None, guard=guard
    )
    return importer.run(source, prune=True)


def live(services: Services) -> int:
    return len(services.store.refs("town"))


def test_a_page_without_text_is_indexed_with_a_warning_until_it_has_some(
    services: Services, folder: Path
) -> None:
    page = folder / "menu.html"
    page.write_text("<html><title>Opening hours</title><body><script>hours()</script></body></html>")
    result = run(services, FilesSource("town", str(folder)))
    assert (result.indexed, result.failures) == (41, {})
    [warning] = result.warnings
    assert warning.startswith("menu.html: it has no visible text")
    reasons = {row.ref.id: row.reason for row in services.page_list.records() if row.reason}
    assert reasons.keys() == {"menu.html"}
    assert services.store.counts() == {"indexed": 41}
    page.write_text("<html><title>Opening hours</title><body>From nine to five.</body></html>")
    assert run(services, FilesSource("town", str(folder))).warnings == []
    assert not any(row.reason for row in services.page_list.records())


@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("rights", [0o444, 0o111, 0])
def test_a_folder_that_may_not_be_looked_into_keeps_all_pages_and_the_others_are_renewed(
    services: Services, folder: Path, rights: int, confirmed: bool
) -> None:
    assert run(services, Unprivileged("town", str(folder))).indexed == 40
    (folder / "0").chmod(rights)
    (folder / "1" / "1.md").write_text("# Page 1\n\nThis is new.\n")
    (folder / "1" / "5.md").unlink()
    result = run(services, Unprivileged("town", str(folder)), confirmed=confirmed)
    (folder / "0").chmod(0o755)
    assert (result.indexed, result.deleted, live(services)) == (1, 0, 40)
    assert {failure.message.rpartition(": ")[2] for failure in result.failures.values()} == {
        "permission denied"
    }
    assert run(services, Unprivileged("town", str(folder))).deleted == 1


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO])
def test_a_share_that_is_away_keeps_all_pages(
    services: Services, folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = FilesSource("town", str(folder))
    run(services, source)
    scandir = os.scandir

    def failing(path: Path) -> "os._ScandirIterator[str]":
        if path == folder / "0":
            raise OSError(number, os.strerror(number), str(path))
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", failing)
        result = run(services, source, confirmed=True)
    assert (list(result.failures), result.deleted, live(services)) == (["0"], 0, 40)
    assert run(services, source).unchanged == 40


def test_a_mount_that_is_suddenly_empty_keeps_all_pages_until_that_is_confirmed(
    services: Services, folder: Path
) -> None:
    run(services, FilesSource("town", str(folder)))
    for path in (folder / "0").iterdir():
        path.unlink()
    with pytest.raises(NeedsAttentionError, match="10 of 40 pages of source 'town' are missing"):
        run(services, FilesSource("town", str(folder)))
    assert live(services) == 40
    assert run(services, FilesSource("town", str(folder)), confirmed=True).deleted == 10


def test_a_file_of_lines_that_was_cut_short_keeps_all_pages_until_that_is_confirmed(
    services: Services, tmp_path: Path
) -> None:
    file = tmp_path / "pages.jsonl"
    lines = [json.dumps({"id": f"p{number}", "text": f"This is page {number}."}) for number in range(40)]
    file.write_text("\n".join(lines))
    run(services, FilesSource("town", str(file)))
    file.write_text("\n".join(lines[:30]))
    with pytest.raises(NeedsAttentionError, match="10 of 40 pages"):
        run(services, FilesSource("town", str(file)))
    file.write_text("\n".join(lines)[:-700])
    result = run(services, FilesSource("town", str(file)), confirmed=True)
    assert (result.deleted, len(result.failures), live(services)) == (0, 1, 40)


def test_a_document_that_could_not_be_read_only_at_first_lets_nothing_go(
    services: Services, folder: Path
) -> None:
    run(services, FilesSource("town", str(folder)))
    for path in (folder / "0").iterdir():
        path.unlink()
    failures = iter([PageError("invalid", "cannot be read: input/output error")])

    def fail_once() -> None:
        for failure in failures:
            raise failure

    with pytest.raises(NeedsAttentionError, match="10 of 40 pages"):
        run(services, Interrupted("town", str(folder), fail_once))
    assert live(services) == 40


def test_a_page_that_comes_in_while_a_folder_is_read_is_not_taken_for_gone(
    services: Services, folder: Path
) -> None:
    arriving = page("new", source="town")
    source = Interrupted("town", str(folder), lambda: services.store.accept_documents("town", [arriving]))
    assert run(services, source).deleted == 0
    assert arriving.ref in services.store.refs("town")


class Renamed(FilesSource):
    """Delivers the pages of one document under another document's name."""

    def __init__(self, document: str) -> None:
        super().__init__("town", ".")
        self._only = document

    def documents(self) -> Iterator[str]:
        yield self._only

    def pages(self, document: str) -> Sequence[RawPage]:
        return [replace(page(f"p{number}", source="town"), document=document) for number in range(4)]


def test_pages_that_another_document_brings_are_not_gone(services: Services) -> None:
    assert run(services, Renamed("old.pdf")).indexed == 4
    result = run(services, Renamed("new.pdf"))
    assert (result.deleted, live(services)) == (0, 4)
