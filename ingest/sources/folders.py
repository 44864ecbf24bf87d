"""Lists the files in a folder and its subfolders, and unreadable entries: unread does not mean deleted."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

OUTSIDE: Final = "links that lead out of the folder are not followed: put the file itself here"
FOLDER: Final = "links to folders are not followed: put the folder itself here, or remove the link"
NOWHERE: Final = "a link that leads nowhere: correct or remove it"


@dataclass(frozen=True, slots=True)
class UnreadableEntry:
    """A file or folder that exists but whose pages are unknown; ``message`` says why."""

    path: Path
    message: str


_Kind = Literal["file", "folder", "neither"]


def files_below(root: Path, is_wanted: Callable[[Path], bool]) -> Iterator[Path | UnreadableEntry]:
    """Yield the wanted files folder by folder, in order, and unreadable entries; hidden ones are left out.

    A link to a file below ``root`` counts as that file. A link to a folder below ``root`` is left out,
    because its files are listed where they are. Raises ``OSError`` if ``root`` itself cannot be read.
    """
    inside = _target(root)
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = _entries(folder)
        except OSError as error:
            if folder == root:
                raise
            yield UnreadableEntry(folder, f"the folder cannot be read: {os_reason(error)}")
            continue
        below: list[Path] = []
        for entry in entries:
            path = folder / entry.name
            kind = _look(entry, path, inside, is_wanted)
            if isinstance(kind, UnreadableEntry):
                yield kind
            elif kind == "folder":
                below.append(path)
            elif kind == "file" and is_wanted(path):
                yield path
        folders += reversed(below)


def os_reason(error: OSError) -> str:
    """Return the operating system's reason, in lower case."""
    return (error.strerror or str(error)).lower()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(
            (entry for entry in entries if not _is_hidden(entry.name)), key=lambda entry: entry.name
        )


def _look(
    entry: os.DirEntry[str], path: Path, inside: Path, is_wanted: Callable[[Path], bool]
) -> _Kind | UnreadableEntry:
    try:
        if entry.is_symlink():
            return _look_behind(path, inside, is_wanted)
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "neither"
    except FileNotFoundError:
        return UnreadableEntry(path, NOWHERE)
    except OSError as error:
        return UnreadableEntry(path, f"cannot be examined: {os_reason(error)}")


def _look_behind(path: Path, inside: Path, is_wanted: Callable[[Path], bool]) -> _Kind | UnreadableEntry:
    """Return the kind of the target of the link at ``path``. Raises ``OSError``."""
    target = _target(path)
    mode = target.stat().st_mode
    is_inside = target.is_relative_to(inside)
    if stat.S_ISDIR(mode):
        is_read = is_inside and not any(map(_is_hidden, target.relative_to(inside).parts))
        return "neither" if is_read else UnreadableEntry(path, FOLDER)
    if not stat.S_ISREG(mode) or not is_wanted(path):
        return "neither"
    return "file" if is_inside else UnreadableEntry(path, OUTSIDE)


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path, strict=True))


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def name_below(root: Path, path: Path) -> str:
    """Return a file's path relative to ``root``, with slashes, or its name if it is ``root`` itself. Bytes
    that are not UTF-8 are written as escapes."""
    relative = path.name if path == root else path.relative_to(root).as_posix()
    return os.fsencode(relative).decode("utf-8", "backslashreplace")
