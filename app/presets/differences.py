"""Differences between two presets, value by value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.presets import Preset, toml_key

_COMPARED: Final = {"index", "question", "embedders"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A key with the values of both presets, ``None`` for a preset without it."""

    key: str
    value: Any
    other: Any

    def document(self) -> dict[str, Any]:
        """Return the difference for JSON."""
        return {"key": self.key, "value": self.value, "other": self.other}


def differences(preset: Preset, other: Preset) -> list[Difference]:
    """Return every key whose values differ, in the order of the file."""
    return list(_compare((), preset.model_dump(include=_COMPARED), other.model_dump(include=_COMPARED)))


def _compare(
    place: tuple[str, ...], own: Mapping[str, Any], others: Mapping[str, Any]
) -> Iterator[Difference]:
    for key in dict.fromkeys((*own, *others)):
        value, other = own.get(key), others.get(key)
        here = (*place, toml_key(key))
        if isinstance(value, dict) or isinstance(other, dict):
            yield from _compare(here, value or {}, other or {})
        elif value != other:
            yield Difference(key=".".join(here), value=value, other=other)
