"""Finds plugins by kind and name through entry points (``auskunft.<kind>``).

The built-in plugins are entry points, too. A plugin is a factory that takes its options as keywords.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from ingest.errors import AuskunftError, PluginError, UnknownPluginError

Kind = Literal["sources", "converters", "chunkers", "embedders", "rerankers"]


def names(kind: Kind) -> list[str]:
    """Return the registered names of one kind, sorted."""
    return sorted(_entries(kind))


def create(kind: Kind, name: str, /, **options: Any) -> Any:
    """Build the plugin ``name`` with ``options``.

    Raises ``UnknownPluginError`` (naming the known ones) or ``PluginError`` if it cannot be loaded or built.
    """
    with _as_plugin_error(kind, name):
        return factory(kind, name)(**options)


def factory(kind: Kind, name: str) -> Callable[..., Any]:
    """Return the factory of the plugin ``name``. Raises ``UnknownPluginError`` and ``PluginError``."""
    entry = _entries(kind).get(name)
    if entry is None:
        raise UnknownPluginError(f"unknown {kind[:-1]} {name!r}; known: {', '.join(names(kind))}")
    with _as_plugin_error(kind, name):
        loaded: Callable[..., Any] = entry.load()
        return loaded


@contextmanager
def _as_plugin_error(kind: Kind, name: str) -> Iterator[None]:
    try:
        yield
    except AuskunftError:
        raise
    except (ImportError, AttributeError, TypeError, ValueError, OSError, RuntimeError) as error:
        raise PluginError(f"{kind[:-1]} {name!r} cannot be used: {error}") from error


def _entries(kind: Kind) -> dict[str, EntryPoint]:
    return _installed(kind, tuple(sys.path))


@cache
def _installed(kind: Kind, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return the entry points, cached per ``sys.path``: looking them up takes as long as indexing a page."""
    return {entry.name: entry for entry in entry_points(group=f"auskunft.{kind}")}
