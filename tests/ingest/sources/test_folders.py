"""Folders of which a part cannot be looked at: what is there is named as a failure, never left out."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest import languages
from ingest.errors import PageError, SourceError
from ingest.protocols import Source
from ingest.sources.eurlex import EurlexSource
from ingest.sources.files import FilesSource
from tests.fakes.eurlex import oj_text

NOBODY = 65534
KEPT = "32024R0001_2024-06-13_en.html"
PAGE = "32024R0002_2024-06-13_en.html"

Make = Callable[[Path], Source]


@pytest.fixture(
    params=[
        lambda folder: FilesSource("town", str(folder)),
        lambda folder: EurlexSource(name="law", path=str(folder)),
    ],
    ids=["files", "eurlex"],
)
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a source that reads a folder."""
    made: Make = request.param
    return made


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of a user without privileges, whom the test is for its time, with a page in it and one in
    ``sub``. Beside it is ``outside``."""
    languages.detect("what this loads may be out of reach of that user")
    with tempfile.TemporaryDirectory() as name:
        user, here = os.geteuid(), Path(name)
        if user == 0:
            os.chown(here, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            for place in ("root/sub", "outside"):
                (here / place).mkdir(parents=True)
                (here / place / PAGE).write_text(oj_text(2, "Boats are moored."), "utf-8")
            (here / "root" / KEPT).write_text(oj_text(1, "Lamps are lit."), "utf-8")
            yield here / "root"
            if not (here / "root" / "sub").is_symlink():
                (here / "root" / "sub").chmod(0o700)
        finally:
            os.seteuid(user)


def failures(source: Source) -> dict[str, str]:
    """The documents that cannot be read, and why; the page that is always there can be."""
    found: dict[str, str] = {}
    read = 0
    for document in source.documents():
        try:
            read += bool(source.pages(document))
        except PageError as error:
            assert error.reason == "invalid"
            found[document] = str(error)
    assert read >= 1
    return found


def test_a_folder_without_the_right_to_enter_it_fails(make: Make, folder: Path) -> None:
    (folder / "sub").chmod(0o444)
    [message] = failures(make(folder)).values()
    assert "permission denied" in message


def test_a_folder_without_the_right_to_list_it_fails(make: Make, folder: Path) -> None:
    (folder / "sub").chmod(0o111)
    assert failures(make(folder)) == {"sub": "the folder cannot be read: permission denied"}


def test_a_folder_that_became_a_link_leading_outside_fails(make: Make, folder: Path) -> None:
    (folder / "sub").rename(folder / ".sub")
    (folder / "sub").symlink_to(folder.parent / "outside")
    [(document, message)] = failures(make(folder)).items()
    assert (document, "links to folders" in message) == ("sub", True)


def test_a_link_to_a_folder_that_is_hidden_fails_for_its_pages_are_read_nowhere(
    make: Make, folder: Path
) -> None:
    (folder / "sub").rename(folder / ".sub")
    (folder / "sub").symlink_to(".sub")
    assert list(failures(make(folder))) == ["sub"]


@pytest.mark.parametrize("target", [".", "sub", "sub/../sub"])
def test_a_link_to_a_folder_that_is_read_itself_is_left_out(make: Make, folder: Path, target: str) -> None:
    (folder / "link").symlink_to(target)
    assert failures(make(folder)) == {}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (f"../outside/{PAGE}", "links that lead out of the folder"),
        ("nowhere.html", "a link that leads nowhere"),
        (PAGE, "too many levels of symbolic links"),
        (f"{KEPT}/{PAGE}", "not a directory"),
        (f"shut/{PAGE}", "permission denied"),
    ],
)
def test_a_page_that_became_a_link_to_what_cannot_be_looked_at_fails(
    make: Make, folder: Path, target: str, message: str
) -> None:
    (folder / "shut").mkdir()
    (folder / PAGE).symlink_to(target)
    (folder / "shut").chmod(0)
    found = failures(make(folder))
    (folder / "shut").chmod(0o700)
    assert message in found[PAGE]


def test_a_folder_that_became_a_link_leading_nowhere_fails(make: Make, folder: Path) -> None:
    (folder / "sub").rename(folder.parent / "away")
    (folder / "sub").symlink_to("/not/mounted")
    assert list(failures(make(folder))) == ["sub"]


def test_links_to_what_is_no_page_and_hidden_ones_are_left_out(make: Make, folder: Path) -> None:
    (folder.parent / "outside" / "style.css").touch()
    (folder / "style.css").symlink_to("../outside/style.css")
    (folder / ".hidden.html").symlink_to("nowhere")
    (folder / "device.html").symlink_to("/dev/null")
    assert failures(make(folder)) == {}


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO])
def test_a_folder_of_a_network_share_that_is_away_fails(
    make: Make, folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in(monkeypatch, folder / "sub", number)
    [(document, message)] = failures(make(folder)).items()
    assert (document, os.strerror(number).lower() in message) == ("sub", True)


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO])
def test_a_source_on_a_network_share_that_is_away_says_so(
    make: Make, folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in(monkeypatch, folder, number)
    with pytest.raises(SourceError, match=f"cannot be read: {os.strerror(number).lower()}"):
        list(make(folder).documents())


def fail_in(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """Let the system fail at ``folder`` as it does for a share whose server is away."""

    def failing(call: Callable[..., Any]) -> Callable[..., Any]:
        def tried(path: Any, *arguments: Any, **options: Any) -> Any:
            if Path(path) == folder:
                raise OSError(number, os.strerror(number), str(path))
            return call(path, *arguments, **options)

        return tried

    for name in ("scandir", "stat", "lstat"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))


def test_a_source_that_may_not_be_reached_says_so(make: Make, folder: Path) -> None:
    (folder / "sub").chmod(0)
    with pytest.raises(SourceError, match="cannot be read: permission denied"):
        list(make(folder / "sub" / "folder").documents())
