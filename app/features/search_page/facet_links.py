"""Facets on the search page: links that narrow the list to a value, and forms for ranges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.api.schemas import FILTER
from app.search.facets import Facet
from app.search.fields import keyword
from app.settings.fields import FieldSettings

Query = Mapping[str, str | Sequence[str]]
Link = tuple[str, int | None, str, bool]
"""Text, number of pages, URL, and True if it is chosen."""

_ENDS: Final = ("from", "to")


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeForm:
    """A form for a range.

    ``kind``: of its two inputs. ``least`` and ``most``: among the pages found. ``given``: the chosen ends,
    from and to. ``kept``: the names and values of its hidden fields.
    """

    field: str
    label: str
    kind: str
    least: str
    most: str
    given: tuple[str, str]
    kept: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetLinks:
    """The facets of a list whose URL has the parameters ``base`` and the filters ``given``.

    ``url``: makes the URL for other parameters. ``every``: the text of the link to all values.
    """

    facets: Sequence[Facet]
    declared: Mapping[str, FieldSettings]
    base: Query
    given: Mapping[str, Sequence[str]]
    url: Callable[[Query], str]
    language: str
    every: str

    def keywords(self) -> Iterator[tuple[str, list[Link]]]:
        """Yield the label and the values of each keyword field that offers a choice."""
        for name, field in self.declared.items():
            chosen = [value for text in self.given.get(f"{FILTER}{name}", ()) if (value := keyword(text))]
            facet = self._facet(name)
            counts = dict(facet.counts) if facet else {}
            if field.type != "keyword" or (len(counts) < 2 and not chosen):
                continue
            others = self._others(name)
            links: list[Link] = [(self.every, None, self.url(others), not chosen)]
            for value in dict.fromkeys((*counts, *chosen)):
                narrowed = self.url({**others, f"{FILTER}{name}": value})
                # Unknown for other values, because only pages with the chosen value are counted.
                count = None if chosen and value not in chosen else counts.get(value, 0)
                links.append((value, count, narrowed, value in chosen))
            yield field.shown(name, self.language), links

    def ranges(self) -> Iterator[RangeForm]:
        """Yield a form for each number or date field with several values, or with a chosen range."""
        for name, field in self.declared.items():
            facet, given = self._facet(name), self._given(name)
            differs = facet is not None and facet.least != facet.most
            if field.type == "keyword" or not (differs or any(given)):
                continue
            kept = [
                (key, text)
                for key, texts in self._others(name).items()
                for text in ([texts] if isinstance(texts, str) else texts)
            ]
            yield RangeForm(
                field=name,
                label=field.shown(name, self.language),
                kind=field.type,
                least=_written(facet.least) if facet else "",
                most=_written(facet.most) if facet else "",
                given=given,
                kept=kept,
            )

    def _facet(self, name: str) -> Facet | None:
        return next((facet for facet in self.facets if facet.field == name), None)

    def _given(self, name: str) -> tuple[str, str]:
        """Return the chosen range; a single value is both ends."""
        both = self.given.get(f"{FILTER}{name}", ("",))
        start, end = (self.given.get(f"{FILTER}{name}.{end}", both)[0] for end in _ENDS)
        return start, end

    def _others(self, name: str) -> dict[str, str | Sequence[str]]:
        """Return the parameters without those of this field's filter."""
        others = {key: texts for key, texts in self.given.items() if key.split(".")[1] != name}
        return {**self.base, **others}


def _written(end: float | str | None) -> str:
    is_whole = isinstance(end, float) and end.is_integer()
    return "" if end is None else f"{end:.0f}" if is_whole else str(end)
