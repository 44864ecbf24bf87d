"""One preset's file: reading it, merging it with the one that it extends, and checking it."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, ValidationError

from app.errors import PluginError, SettingsError, UnknownPluginError
from app.presets import EmbedderThresholds, IndexPreset, LinksPreset, Preset, QuestionPreset, toml_key
from ingest import registry
from ingest.errors import without_pydantic_prefix
from ingest.options import remedy
from ingest.text import shortened
from ingest.types import FIELDS

Tables: TypeAlias = Mapping[str, Any]

KEYS: Final = ("description", "extends", "index", "question", "embedders")
"""The keys allowed at the top level of a file."""

_MODELS: Final[Mapping[tuple[str, ...], type[BaseModel]]] = {
    ("index",): IndexPreset,
    ("question",): QuestionPreset,
    ("question", "links"): LinksPreset,
}
_SHOWN_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetFile:
    """A preset as written in its file. ``origin``: the file's path, for messages."""

    name: str
    origin: str
    tables: Tables

    @property
    def extends(self) -> str | None:
        """The preset that this one extends, or None."""
        base: str | None = self.tables.get("extends")
        return base


def read_file(name: str, path: Path) -> PresetFile:
    """Read a preset's file. Raises ``SettingsError`` with one line that names the file."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 at byte {error.start:,}") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except RecursionError as error:
        raise SettingsError(f"{path} is nested too deeply") from error
    if unknown := [key for key in tables if key not in KEYS]:
        raise SettingsError(f"{path}: {_unknown(unknown[:1], KEYS)}")
    if not isinstance(tables.get("extends", ""), str):
        raise SettingsError(f'{path}: extends must be the name of one preset, such as "default"')
    return PresetFile(name=name, origin=str(path), tables=tables)


def extended(base: Tables, own: Tables) -> dict[str, Any]:
    """Merge the tables ``own`` into ``base``: tables are merged, everything else is replaced.

    The description is not inherited. Options are only inherited by a preset with the same chunker, because
    they mean nothing to another one.
    """
    inherited = {key: value for key, value in base.items() if key != "description"}
    if _chunker(own) not in (None, _chunker(base)):
        inherited["index"] = {key: value for key, value in base["index"].items() if key != "options"}
    return _merged(inherited, own)


def make_preset(file: PresetFile, tables: Tables) -> Preset:
    """Make the preset of ``file`` from merged tables. Raises ``SettingsError`` with one line that names the
    file."""
    given = {key: value for key, value in tables.items() if key != "extends"}
    try:
        return Preset.model_validate({**given, "name": file.name})
    except ValidationError as error:
        raise SettingsError(f"{file.origin}: {_explain(error)}") from None


def check_chunker(file: PresetFile, preset: IndexPreset) -> None:
    """Raise ``SettingsError`` if the preset's chunker cannot be made with its options."""
    try:
        parameters = signature(registry.factory("chunkers", preset.chunker)).parameters
        known = [name for name in parameters if name != "context_line"]
        for option in preset.options:
            if option not in known:
                problem = f"chunker {preset.chunker!r} has no option {option!r}"
                raise SettingsError(f"{file.origin}: {problem}: {remedy(option, known)}")
        registry.create("chunkers", preset.chunker, context_line=preset.context_line, **preset.options)
    except (UnknownPluginError, PluginError) as error:
        raise SettingsError(f"{file.origin}: {error}") from error


def _chunker(tables: Tables) -> object:
    index = tables.get("index")
    return index.get("chunker") if isinstance(index, dict) else None


def _merged(base: Tables, own: Tables) -> dict[str, Any]:
    joined = dict(base)
    for key, value in own.items():
        under = joined.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        joined[key] = _merged(joined[key], value) if both else value
    return joined


def _explain(error: ValidationError) -> str:
    """Describe the first error, but an unknown key before others, because a misspelt key is often reported as
    missing, too."""
    errors = error.errors(include_url=False)
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    place = [str(step) for step in first["loc"] if step != "[key]"]
    if first["type"] == "extra_forbidden":
        return _unknown(place, _known_keys(place[:-1]))
    if "[key]" in first["loc"]:
        return _unknown(place, FIELDS)
    path = _path(place)
    if first["type"] == "missing":
        return f'{path} is missing: give it, or what is left out of another preset by extends = "default"'
    message, found = without_pydantic_prefix(first["msg"]), first["input"]
    if first["type"] == "value_error" or not isinstance(found, str | int | float):
        return f"{path}: {message}"
    return f"{path}: {message.lower()} (got {shortened(repr(found), _SHOWN_CHARACTERS)})"


def _known_keys(table: Sequence[str]) -> Iterable[str]:
    return _MODELS.get(tuple(table), EmbedderThresholds).model_fields


def _unknown(place: Sequence[str], known: Iterable[str]) -> str:
    return f"unknown key '{_path(place)}': {remedy(place[-1], known)}"


def _path(place: Sequence[str]) -> str:
    return ".".join(map(toml_key, place))
