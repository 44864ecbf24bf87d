"""Settings of declared fields, by which searches can be filtered: one table ``[fields.NAME]`` for each."""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ingest.types import FIELDS

FieldType = Literal["keyword", "number", "date"]

MOST_FIELDS: Final = 50

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
_OF_EVERY_PAGE: Final = frozenset(
    {*FIELDS, "id", "url", "language", "source", "document", "kind", "page_starts"}
    | {"revision", "updated", "publish_from", "publish_until"}
    | {"html", "xhtml", "markdown", "text", "pdf", "docx", "odt"}
)
"""Names of properties that every page has, which cannot be names of metadata."""

Label = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\n\r]*$")]
LabelLanguage = Annotated[str, Field(pattern=r"^[a-z]{2}$")]


class FieldSettings(BaseModel):
    """One field of pages' metadata. ``type``: of its values. ``label``: its name for visitors, by language;
    without one, the field's own name."""

    model_config = ConfigDict(extra="forbid")

    type: FieldType
    label: dict[LabelLanguage, Label] = {}

    def shown(self, name: str, language: str) -> str:
        """Return the field's name for people who read ``language``; without a label in it, in English or any
        other language."""
        return self.label.get(language) or self.label.get("en") or next(iter(self.label.values()), name)


def _whole(table: object) -> object:
    """Return a table for a field that is given only by its type."""
    return {"type": table} if isinstance(table, str) else table


def _check_names(fields: dict[str, FieldSettings]) -> dict[str, FieldSettings]:
    for name in fields:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"field {name!r}: use 1 to 63 lower-case letters (a-z), digits and '_', a letter first"
            )
        if name in _OF_EVERY_PAGE:
            raise ValueError(
                f"field {name!r} is a field that every page has: choose another name for metadata"
            )
    return fields


FieldTables = Annotated[
    dict[str, Annotated[FieldSettings, BeforeValidator(_whole)]],
    Field(max_length=MOST_FIELDS),
    AfterValidator(_check_names),
]
