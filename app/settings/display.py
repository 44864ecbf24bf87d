"""Settings as they may be shown to people."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from app.settings.addresses import shown
from app.settings.options import known_options
from app.settings.sources import SourceSettings
from ingest.options import table_name
from ingest.registry import Kind

_MODELS: Final[tuple[Kind, ...]] = ("embedders", "rerankers")
MASK: Final = "**********"
"""Stands for a secret, as pydantic writes it in JSON."""


def shown_settings(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings dumped as JSON without possible secrets: addresses as they may be shown, and options
    that no plugin knows without their values, because the misspelt name may be a secret's."""
    tables: dict[str, Any] = {
        "sources": {name: _known(table, _of_source(table)) for name, table in document["sources"].items()}
    }
    for kind in _MODELS:
        tables[kind] = {
            name: _known(table, known_options(kind, table_name(name)))
            for name, table in document[kind].items()
        }
    return {name: _shown(tables.get(name, value)) for name, value in document.items()}


def _of_source(table: Mapping[str, Any]) -> list[str]:
    return [*SourceSettings.model_fields, *known_options("sources", table["kind"])]


def _known(table: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value if name in names else MASK for name, value in table.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shown(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return shown(value) if isinstance(value, str) and "//" in value else value
