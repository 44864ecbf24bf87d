"""Options that the settings pass to plugins, and thresholds of models that no preset knows.

An environment variable cannot have a hyphen in its name, so ``_`` and ``-`` are the same in the names of
plugins and models, and so are upper and lower case: ``AUSKUNFT_EMBEDDERS__BGE_M3__DEVICE``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, SecretStr

from app.presets import ThresholdName
from ingest import registry
from ingest.errors import PluginError, UnknownPluginError
from ingest.options import is_secret, options_of, table_name

T = TypeVar("T")


def reveal_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for the plugin, with secrets in plain text."""
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in options.items()
    }


def known_options(kind: registry.Kind, name: object) -> list[str]:
    """Return the options of a plugin; empty if there is no such plugin, which is reported when it is used."""
    try:
        return options_of(registry.factory(kind, name)) if name and isinstance(name, str) else []
    except (PluginError, UnknownPluginError):
        return []


def _scalar(value: object) -> object:
    if not isinstance(value, str | int | float | bool | SecretStr):
        raise ValueError("use text, a number, true or false")
    return value


def _merge(tables: Mapping[str, Mapping[str, T]]) -> dict[str, dict[str, T]]:
    """Merge tables of the same name; those with ``_`` come last, because variables override files."""
    joined: dict[str, dict[str, T]] = {}
    for name in sorted(tables, key=lambda name: "_" in name):
        joined.setdefault(table_name(name), {}).update(tables[name])
    return joined


def mask_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with secrets as ``SecretStr``."""
    return {name: SecretStr(str(v)) if _is_secret(name, v) else v for name, v in options.items()}


def _mask_secrets(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {table: mask_secrets(options) for table, options in tables.items()}


def _is_secret(name: str, value: object) -> bool:
    """Return True if the value is a secret: by its name, or because it is an address with user or
    password."""
    if isinstance(value, SecretStr):
        return False
    return is_secret(name) or (isinstance(value, str) and "://" in value and "@" in value)


def _checked_key(key: SecretStr) -> SecretStr:
    stripped = key.get_secret_value().strip()
    if not (stripped.isascii() and stripped.isprintable()):
        raise ValueError("it contains characters that cannot be in a key")
    return SecretStr(stripped)


ApiKey = Annotated[SecretStr, AfterValidator(_checked_key)]
Option = Annotated[str | int | float | bool | SecretStr, BeforeValidator(_scalar)]
PluginOptions = Annotated[dict[str, dict[str, Option]], AfterValidator(_merge), AfterValidator(_mask_secrets)]
ThresholdTables = Annotated[dict[str, dict[ThresholdName, float]], AfterValidator(_merge)]
