"""All presets: the package's, and those of an operator's folder."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from app.errors import SettingsError, UnknownPresetError
from app.presets import Preset
from app.presets.preset_file import PresetFile, check_chunker, extended, make_preset, read_file

PACKAGE: Final = "package"
"""The origin of the package's presets."""

_SUFFIX: Final = ".toml"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Presets:
    """The presets of the package and those of ``folder``, a file ``NAME.toml`` each.

    All files are read and checked at once. Raises ``SettingsError`` with one line that names the file if it
    cannot be read, has an invalid name or that of a preset of the package, extends an unknown preset or
    itself in a circle, or has an invalid key, value or chunker.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._files = dict(_package_files())
        for file in _folder_files(folder) if folder else ():
            if file.name in self._files:
                raise SettingsError(
                    f"{file.origin}: {file.name!r} is a preset of the package: give the file another name "
                    f'and extends = "{file.name}"'
                )
            self._files[file.name] = file
        self._presets = _made(self._files)

    def names(self) -> list[str]:
        """The names of all presets, sorted."""
        return sorted(self._files)

    def load(self, name: str) -> Preset:
        """Return the preset with this name. Raises ``UnknownPresetError``, which names the known ones."""
        if name not in self._presets:
            raise UnknownPresetError(f"unknown preset {name!r}; known: {', '.join(self.names())}")
        return self._presets[name]

    def file(self, name: str) -> PresetFile:
        """Return the preset as written in its file. Raises as :meth:`load` does."""
        return self._files[self.load(name).name]


@cache
def _package_files() -> Mapping[str, PresetFile]:
    """The package's presets by name, cached because they cannot change."""
    return {
        (name := entry.name.removesuffix(_SUFFIX)): PresetFile(
            name=name, origin=PACKAGE, tables=tomllib.loads(entry.read_text("utf-8"))
        )
        for entry in files("app.presets").iterdir()
        if entry.name.endswith(_SUFFIX)
    }


def _folder_files(folder: Path) -> Iterator[PresetFile]:
    """Read the folder's files, sorted by name, except hidden ones and those with other suffixes."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX and path.name[0] != ".")
    except OSError as error:
        raise SettingsError(f"setting 'presets': {folder} cannot be read: {error.strerror}") from error
    for path in paths:
        if not _NAME.fullmatch(path.stem):
            raise SettingsError(f"{path}: not a preset's name: use 1 to 64 of a-z, 0-9, '-' and '_'")
        yield read_file(path.stem, path)


def _made(files: Mapping[str, PresetFile]) -> dict[str, Preset]:
    """Make all presets, each after the one that it extends, so that an error names the file that causes
    it."""
    tables: dict[str, Mapping[str, Any]] = {}
    presets: dict[str, Preset] = {}
    for name in sorted(files):
        for file in reversed(_chain(files[name], files)):
            if file.name not in presets:
                tables[file.name] = _tables(file, tables)
                presets[file.name] = make_preset(file, tables[file.name])
                if file.origin != PACKAGE:
                    check_chunker(file, presets[file.name].index)
    return presets


def _tables(file: PresetFile, made: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    if file.extends is None:
        return file.tables
    try:
        return extended(made[file.extends], file.tables)
    except RecursionError as error:
        raise SettingsError(f"{file.origin} is nested too deeply") from error


def _chain(file: PresetFile, files: Mapping[str, PresetFile]) -> list[PresetFile]:
    """Return the file, the one that it extends, and so on. Raises ``SettingsError`` if one is unknown, or if
    the chain is a circle."""
    chain = {file.name: file}
    last = file
    while (base := last.extends) is not None:
        if base in chain:
            raise SettingsError(
                f"{file.origin}: extends goes round in a circle: {' → '.join([*chain, base])}"
            )
        if base not in files:
            known = ", ".join(sorted(files))
            raise SettingsError(f"{last.origin}: extends the unknown preset {base!r}; known: {known}")
        chain[base] = last = files[base]
    return list(chain.values())
