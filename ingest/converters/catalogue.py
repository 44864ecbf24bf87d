"""Builds the registered converters, or those that the caller gives."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint

from ingest import registry
from ingest.errors import PluginError
from ingest.protocols import Converter


def load(factories: Mapping[str, str] | None = None) -> dict[str, Converter]:
    """Build the converters, sorted by name: the first that accepts a field converts it.

    ``factories`` (name -> ``module:factory``) replaces the registered ones. Raises ``PluginError``.
    """
    if factories is None:
        return {name: registry.create("converters", name) for name in registry.names("converters")}
    return {name: _build(name, factories[name]) for name in sorted(factories)}


def _build(name: str, factory: str) -> Converter:
    try:
        converter: Converter = EntryPoint(name, factory, "auskunft.converters").load()()
    except (ImportError, AttributeError) as error:
        raise PluginError(
            "converter {name!r} cannot be used: {error}", name=name, error=str(error)
        ) from error
    return converter
