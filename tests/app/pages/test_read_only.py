"""A data folder that cannot be written is read all the same."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.common import warn_of_read_only_data
from app.errors import DataFolderError, UnwritableError
from app.pages.read_only import read_only_mode
from app.services import Services
from app.settings.settings import Settings, load_settings
from tests.app.site import PAGES, raw_page
from tests.fakes.databases import new_data

NOBODY = 65534
QUESTION = "how much is the dog tax"


def best(services: Services) -> str:
    """The id of the page that is found first."""
    found = services.chat.default.retriever.retrieve(QUESTION, sources=frozenset(services.store.sources()))
    return found.hits[0].page.ref.id


@pytest.fixture
def read_only() -> Iterator[Settings]:
    """The settings of an installation with pages, whose folder this user may only read."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = load_settings(data=new_data(folder / "data"), embedder="hashing")
        with Services(settings) as services:
            services.store.accept([raw_page(*page) for page in PAGES])
            while services.store.pending():
                services.indexing.indexer.sync_pages()
            assert best(services) == "dog-tax"
        made = [folder, *folder.rglob("*")]
        for path in made:
            path.chmod(0o555 if path.is_dir() else 0o444)
        if user == 0:
            os.seteuid(NOBODY)
        try:
            yield settings
        finally:
            os.seteuid(user)
            for path in made:
                path.chmod(0o755)


def test_pages_are_found_and_nothing_is_written(
    read_only: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(read_only.data.rglob("*"))
    with Services(read_only) as services:
        warn_of_read_only_data(services)
        assert best(services) == "dog-tax"
        assert sorted(read_only.data.rglob("*")) == before
    assert "cannot be written: nothing is stored" in capsys.readouterr().err


def test_what_would_write_says_what_to_do(read_only: Settings) -> None:
    with Services(read_only) as services:
        with pytest.raises(DataFolderError, match="make it writable for this user"):
            _ = services.workers.id
        with pytest.raises(UnwritableError, match="make the folder writable"):
            services.store.accept([raw_page(*PAGES[0])])
        live = services.indexing.index.live()
        assert live is not None
        with pytest.raises(DataFolderError, match="cannot be written"):
            services.indexing.index.create(live.recipe)


@pytest.mark.parametrize(
    ("log", "mode"), [("", "mode=ro&immutable=1"), ("-wal", "mode=ro"), ("-journal", "mode=ro")]
)
def test_a_file_that_others_write_is_not_taken_for_one_that_nobody_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, mode: str
) -> None:
    monkeypatch.setattr(os, "access", lambda *_args, **_options: False)
    path = tmp_path / "pages.sqlite"
    for name in {path.name, path.name + log}:
        (tmp_path / name).touch()
    assert read_only_mode(path) == mode


def test_what_can_be_written_is_opened_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "pages.sqlite"
    path.touch()
    assert read_only_mode(path) == ""
