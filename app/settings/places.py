"""The places where values of settings come from: variables, lines of the file. Pure functions."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

PREFIX: Final = "AUSKUNFT_"
DEFAULT: Final = "default"

Key = tuple[str, ...]
"""The names of a setting from the outside in, such as ``("chat", "model")``; a whole list has one key."""


class Places:
    """Finds the places where values come from. ``name`` and ``text``: those of the file, empty without one;
    ``variables``: those of the environment."""

    def __init__(self, name: str, text: str, variables: Mapping[str, str]) -> None:
        self._name = name
        self._lines = list(_lines(text))
        self._variables = {key.upper(): value for key, value in variables.items() if value}

    def of(self, *key: str) -> str:
        """Return the place of a setting's value: ``AUSKUNFT_PORT``, ``auskunft.toml:3`` or ``default``; for a
        table, the variables of its parts and its first line in the file."""
        variable = PREFIX + "__".join(key).upper().replace("-", "_")
        if variable in self._variables or self._is_in_json(key):
            return variable if variable in self._variables else f"{PREFIX}{key[0].upper()}"
        parts = [name for name in self._variables if name.startswith(f"{variable}__")]
        numbers = [line for found, line in self._lines if found[: len(key)] == key]
        written = [f"{self._name}:{min(numbers)}"] if numbers else []
        return ", ".join([*sorted(parts), *written]) or DEFAULT

    def _is_in_json(self, key: Key) -> bool:
        """Return True if the variable of the outermost table contains the value, as JSON."""
        with suppress(ValueError):
            table: Any = json.loads(self._variables.get(PREFIX + key[0].upper(), ""))
            for name in key[1:]:
                table = table.get(name) if isinstance(table, dict) else None
            return table is not None
        return False


def _lines(text: str) -> Iterator[tuple[Key, int]]:
    """Yield each setting of a TOML file with the number of its first line; repeated names as often as they
    occur."""
    table: Key = ()
    statement, first = "", 1
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        statement += line
        try:
            read = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue  # the statement continues on the next line
        keys = list(_keys(read))
        if statement.lstrip().startswith("["):
            table, keys = keys[0], [()]
        yield from (((*table, *key), first) for key in keys)
        statement, first = "", number + 1


def _keys(table: Mapping[str, Any]) -> Iterator[Key]:
    """Yield the keys of the innermost values; a list is one value."""
    for name, value in table.items():
        inner = value if isinstance(value, dict) else {}
        yield from ((name, *key) for key in _keys(inner)) if inner else [(name,)]
