"""The base of JSON documents, one model to fill and to describe in OpenAPI; JSON files of packages."""

import json
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, PlainSerializer
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class Document(BaseModel):
    """A JSON document: its fields in their order, and no others. ``model_validate(object)`` fills it from the
    object's attributes of the same names."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def from_objects(cls, *objects: object, **values: Any) -> Self:
        """Fill the fields from ``values``, each other field from the first of ``objects`` that has it."""
        for name in cls.model_fields.keys() - values.keys():
            for owner in objects:
                if hasattr(owner, name):
                    values[name] = getattr(owner, name)
                    break
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the document as a ``dict`` of JSON types."""
        return self.model_dump(mode="json")


@cache
def package_json(package: str | None, path: str) -> Any:
    """Return the content of a JSON file of a package. It is cached: never change it."""
    return json.loads(files(package or "").joinpath(path).read_text("utf-8"))


def timestamp(moment: datetime) -> str:
    """Return a moment in ISO 8601, in whole seconds."""
    return moment.isoformat(timespec="seconds")


def rounded(digits: int) -> AfterValidator:
    """Return a validator that rounds to this many decimal places."""
    return AfterValidator(lambda number: round(number, digits))


def _never_null(schema: dict[str, Any]) -> None:
    schema.pop("default", None)
    described = [each for each in schema.pop("anyOf") if each.get("type") != "null"]
    schema.update(described[0] if len(described) == 1 else {"anyOf": described})


class _Unchecked:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.json_or_python_schema(
            json_schema=handler(source),
            python_schema=core_schema.any_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value),
        )


Moment = Annotated[datetime, PlainSerializer(timestamp)]
"""A moment, as :func:`timestamp` writes it."""

Rounded = Annotated[float, rounded(4)]
Share = Annotated[float, PlainSerializer(lambda share: round(share, 3), return_type=float)]
"""A share from 0 to 1: exact for pages that show it in percent, with three digits in JSON."""

Sometimes = Annotated[T | None, Field(exclude_if=lambda value: value is None, json_schema_extra=_never_null)]
"""A property that is left out of JSON while it is ``None``. Give it that default, so that a document without
it can be parsed."""

Stored = Annotated[T, _Unchecked()]
"""JSON that was stored, perhaps by an earlier version: described by its type, but passed on unchecked."""
