"""Texts for people that keep what they are made of, so that they can be told in another language."""

from collections.abc import Iterable
from typing import Any, Self

from ingest.errors import AuskunftError

JOINT = "{parts}"


class Said(str):
    """An English text, made of a ``template`` with places for ``values``, as ``str.format`` takes them; the
    template is the key of its translations. ``parts`` among the values stand beside each other."""

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        """Make the text; without values the template may have braces."""
        parts = {"parts": "; ".join(values["parts"])} if "parts" in values else {}
        said = super().__new__(cls, template.format(**{**values, **parts}) if values else template)
        said.template, said.values = template, values
        return said

    @classmethod
    def of(cls, error: AuskunftError) -> Self:
        """The message of an error."""
        return cls(error.template, **error.values)


def joined(parts: Iterable[str]) -> Said:
    """Several texts beside each other."""
    return Said(JOINT, parts=tuple(parts))
