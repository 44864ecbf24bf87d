"""Builds the converters by name: the registered ones, or those that are named."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint

from ingest import registry
from ingest.errors import PluginError
from ingest.protocols import Converter


def load(factories: Mapping[str, str] | None = None) -> dict[str, Converter]:
    """Converters by name, in name order, which is the order in which they are asked.

    ``factories`` (name -> ``module:factory``) replaces the registered ones. Raises ``PluginError``.
    """
    if factories is None:
        return {name: registry.create("converters", name) for name in registry.names("converters")}
    return {name: _build(name, factories[name]) for name in sorted(factories)}


def _build(name: str, factory: str) -> Converter:
    try:
        converter: Converter = EntryPoint(name, factory, "auskunft.converters").load()()
    except (ImportError, AttributeError) as error:
        raise PluginError(f"converter {name!r} cannot be used: {error}") from error
    return converter
