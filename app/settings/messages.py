"""Messages about invalid settings: one line each, without possible secrets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from app.settings.addresses import shown
from ingest.errors import without_pydantic_prefix
from ingest.options import is_secret

_UNKNOWN: Final = "extra_forbidden"
_SHAPES: Final = {
    "list_type": "must be a list: put it in brackets, [ ]",
    "dict_type": "must be a table",
    "model_type": "must be a table",
}
"""Remedies for values of the wrong shape, by the validator's type of error."""
_TABLE_FOR_LIST: Final = "must be a list: for a list of tables, write [[{name}]] above each one"


def explain(error: ValidationError, settings: type[BaseModel]) -> str:
    """Describe the first error. Only values that cannot be secret are repeated."""
    errors = error.errors()
    first = next((each for each in errors if each["type"] == _UNKNOWN), errors[0])
    name = ".".join(str(step) for step in first["loc"])
    if first["type"] == _UNKNOWN:
        *table, key = first["loc"]
        return unknown_setting(name, [*_model_of(settings, table).model_fields], str(key))
    if first["type"] == "missing":
        return f"setting {name!r} is missing"
    if first["type"] in _SHAPES:
        is_table = first["type"] == "list_type" and isinstance(first["input"], Mapping)
        remedy = _TABLE_FOR_LIST.format(name=name) if is_table else _SHAPES[first["type"]]
        return f"setting {name!r}: {remedy}"
    message = without_pydantic_prefix(first["msg"])
    if not name:
        return f"settings: {message}"
    is_plain = isinstance(first["input"], str | int | float) and not any(map(_is_secret, first["loc"]))
    found = f" (got {_shown(first['input'])!r})" if is_plain and first["type"] != "value_error" else ""
    return f"setting {name!r}: {message[:1].lower()}{message[1:]}{found}"


def _model_of(model: type[BaseModel], table: Iterable[str | int]) -> type[BaseModel]:
    """Return the model of a table in the settings, such as ``sites``, 0, ``indexes``, ``acts``."""
    for step in table:
        field = model.model_fields.get(str(step))
        model = next(_models_in(field.annotation), model) if field else model
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def unknown_setting(name: str, known: Sequence[str], key: str) -> str:
    """Return a message that a setting is unknown, suggesting the one of ``known`` most like its ``key``."""
    near = get_close_matches(key, known, n=1, cutoff=0.75)
    suggestion = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown setting {name!r}: `auskunft config` lists the known ones{suggestion}"


def _is_secret(step: str | int) -> bool:
    return isinstance(step, str) and is_secret(step)


def _shown(value: str | float) -> str | float:
    return shown(value) if isinstance(value, str) else value
