"""Filters on declared fields, parsed from requests and checked against the declaration.

In JSON they are ``{"office": ["Standesamt"], "year": {"from": 2024}}``; elsewhere pairs of a name and a text,
such as ``office=Standesamt`` and ``year.from=2024``. A name may occur several times.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Final, TypeVar

from app.errors import InputError, UnindexedFieldError
from app.search.fields import KEYWORD_CHARACTERS, FieldTypes, FieldValues, day, field_values, keyword, number
from app.settings.fields import FieldType

MOST_VALUES: Final = 100
"""The most values of all filters of a request together."""

_FROM: Final = "from"
_TO: Final = "to"

Pairs = Iterable[tuple[str, str]]
T = TypeVar("T", float, date)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordFilter:
    """Pages with any of the ``values`` in the field."""

    type: ClassVar[FieldType] = "keyword"
    field: str
    values: tuple[str, ...]

    def admits(self, values: FieldValues) -> bool:
        """Return True if a page with these values passes."""
        found = values.get(self.field, ())
        return isinstance(found, tuple) and not set(found).isdisjoint(self.values)

    def to_json(self) -> Any:
        """Return the JSON that :func:`filters_in` parses."""
        return list(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFilter:
    """Pages whose number is in a range, both ends included; ``None`` is open."""

    type: ClassVar[FieldType] = "number"
    field: str
    start: float | None = None
    end: float | None = None

    def admits(self, values: FieldValues) -> bool:
        """Return True if a page with these values passes."""
        found = values.get(self.field)
        return isinstance(found, float) and _is_within(found, self.start, self.end)

    def to_json(self) -> Any:
        """Return the JSON that :func:`filters_in` parses."""
        return {name: end for name, end in ((_FROM, self.start), (_TO, self.end)) if end is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFilter:
    """Pages whose day is in a range, both ends included; ``None`` is open."""

    type: ClassVar[FieldType] = "date"
    field: str
    start: date | None = None
    end: date | None = None

    def admits(self, values: FieldValues) -> bool:
        """Return True if a page with these values passes."""
        found = values.get(self.field)
        return isinstance(found, str) and _is_within(date.fromisoformat(found), self.start, self.end)

    def to_json(self) -> Any:
        """Return the JSON that :func:`filters_in` parses."""
        ends = ((_FROM, self.start), (_TO, self.end))
        return {name: end.isoformat() for name, end in ends if end is not None}


Filter = KeywordFilter | NumberFilter | DateFilter
Filters = tuple[Filter, ...]


def admits(filters: Filters, metadata: Mapping[str, str]) -> bool:
    """Return True if a page with this metadata passes all filters."""
    if not filters:
        return True
    values = field_values(metadata, {each.field: each.type for each in filters})
    return all(each.admits(values) for each in filters)


def check_indexed(filters: Filters, types: FieldTypes) -> None:
    """Raise ``UnindexedFieldError`` for a filter on a field that an index with fields of ``types`` lacks."""
    for each in filters:
        if types.get(each.field) != each.type:
            raise UnindexedFieldError(each.field)


def filters_in(given: Mapping[str, Any], types: FieldTypes) -> Filters:
    """Parse the filters of a JSON object. Raises ``InputError``."""
    return filters_of(_pairs(given), types)


def filters_of(pairs: Pairs, types: FieldTypes) -> Filters:
    """Parse filters from pairs of name and text; return them sorted by field. Empty texts are ignored, like
    empty fields of a form. Raises ``InputError`` for an undeclared field, and for a value not of its type."""
    found: dict[str, dict[str, list[str]]] = {}
    count = 0
    for name, text in pairs:
        field, _, end = name.partition(".")
        if field not in types or end not in ("", _FROM, _TO):
            _refuse(name, types)
        if text.strip():
            found.setdefault(field, {}).setdefault(end, []).append(text)
            count += 1
    if count > MOST_VALUES:
        raise InputError(
            "{count} values to filter by are too many: use at most {most}", count=count, most=MOST_VALUES
        )
    return tuple(_filter(field, types[field], ends) for field, ends in sorted(found.items()))


def _refuse(name: str, types: FieldTypes) -> None:
    if not types:
        raise InputError("unknown field {name!r}: declare it in [fields] in the settings", name=name)
    raise InputError("unknown field {name!r}; known: {names}", name=name, names=", ".join(types))


def _pairs(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{end}", _text(each)) for end, each in value.items() if each is not None)
        else:
            yield from ((name, _text(each)) for each in (value if isinstance(value, list) else [value]))


def _text(value: object) -> str:
    """Return the value as pages have it: a whole number without a decimal point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _filter(field: str, kind: FieldType, ends: Mapping[str, list[str]]) -> Filter:
    if kind == "number":
        start, end = _range(field, ends, number, "a number such as 2024 or 1.5")
        return NumberFilter(field=field, start=start, end=end)
    if kind == "date":
        first, last = _range(field, ends, day, "a day such as 2026-01-31")
        return DateFilter(field=field, start=first, end=last)
    if ends.keys() != {""}:
        raise InputError("field {name!r} is a keyword: use values, not a range", name=field)
    values = sorted({*map(keyword, ends[""])})
    if any(len(each) > KEYWORD_CHARACTERS for each in values):
        raise InputError(
            "field {name!r}: a value is too long: use at most {most} characters",
            name=field,
            most=KEYWORD_CHARACTERS,
        )
    return KeywordFilter(field=field, values=tuple(values))


def _range(
    field: str, ends: Mapping[str, list[str]], read: Callable[[str], T | None], form: str
) -> tuple[T | None, T | None]:
    """Return both ends of a range; a single value is both."""
    if (len(ends) > 1 and "" in ends) or any(len(texts) > 1 for texts in ends.values()):
        raise InputError("field {name!r}: use one value, or one range with from and to", name=field)
    known: dict[str, T] = {}
    for end, (text,) in ends.items():
        value = read(text)
        if value is None:
            raise InputError("field {name!r}: {text!r} is not {form}", name=field, text=text[:40], form=form)
        known[end] = value
    start, stop = (known.get("", known.get(end)) for end in (_FROM, _TO))
    if start is not None and stop is not None and start > stop:
        return stop, start  # because people confuse the two fields of a form
    return start, stop


def _is_within(value: T, start: T | None, end: T | None) -> bool:
    return (start is None or start <= value) and (end is None or value <= end)
