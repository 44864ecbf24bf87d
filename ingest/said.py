"""Texts for people that keep their template and values, so that they can be translated later."""

from collections.abc import Iterable
from typing import Any, Self

from ingest.errors import AuskunftError

JOINT = "{parts}"


class Said(str):
    """An English text made from a ``template`` with ``str.format`` placeholders for ``values``; the template
    is the key of its translations. A value ``parts`` is a list, joined by semicolons."""

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        """Make the text; without values the template may contain braces."""
        parts = {"parts": "; ".join(values["parts"])} if "parts" in values else {}
        said = super().__new__(cls, template.format(**{**values, **parts}) if values else template)
        said.template, said.values = template, values
        return said

    @classmethod
    def of(cls, error: AuskunftError) -> Self:
        """Return the message of an error."""
        return cls(error.template, **error.values)


def joined(parts: Iterable[str]) -> Said:
    """Return several texts, joined by semicolons."""
    return Said(JOINT, parts=tuple(parts))
