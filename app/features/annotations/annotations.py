"""People's annotations: where a text is cut into chunks, and which units of law it refers to.

An annotation belongs to a text. It is found by page, language and the text's hash; in law by act and unit, so
that it applies to every version of the act with this text, however often it is imported, and to no other
text. An annotation replaces what is found automatically.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from app.errors import InputError
from app.law.annotations import Span
from app.law.links import Target
from app.law.units import law_unit
from app.search.types import IndexedPage
from ingest.types import Page

MOST_CUTS: Final = 200
MOST_REFERENCES: Final = 50
CHUNK_CHARACTERS: Final = 4_000
"""The longest chunk, because embedders ignore longer text."""

_REFERENCE: Final = re.compile(
    r"(?:(?P<chunk>[1-9][0-9]{0,2}):)?(?P<celex>[0-9][0-9A-Z()/-]{3,40})/(?P<unit>[A-Za-z0-9_.-]{1,100})"
)

Key = tuple[str, str, str, str]
"""Source, act (CELEX number), unit and language; for a page that is not a unit of law, no act and the page's
id as the unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A stored annotation.

    * ``cuts``: the characters of the text (Markdown) at which chunks begin, except the first
    * ``references``: ``CELEX/unit``, most important first; a reference of a single chunk starts with its
      number (``2:32024R1689/art_3``)
    * ``None`` for either: found automatically
    * ``version``: starts at 1 and grows with each change
    """

    number: int
    source: str
    act: str
    unit: str
    language: str
    text: str
    cuts: tuple[int, ...] | None
    references: tuple[str, ...] | None
    version: int
    changed_by: str
    changed_at: datetime

    @property
    def key(self) -> Key:
        """The key under which it is stored, apart from the text."""
        return self.source, self.act, self.unit, self.language

    @property
    def name(self) -> str:
        """The unit with its act, or the page's id."""
        return f"{self.act}/{self.unit}" if self.act else self.unit

    def targets(self, near: Sequence[Span]) -> list[Target]:
        """Return the units referred to.

        References of single chunks count only if one of the ``near`` slices overlaps the chunk; without
        slices all count.
        """
        read = self._chunks_of(near)
        found = (_REFERENCE.fullmatch(reference) for reference in self.references or ())
        return list(
            dict.fromkeys(
                Target(celex=each["celex"], unit=each["unit"])
                for each in found
                if each and (read is None or each["chunk"] is None or int(each["chunk"]) in read)
            )
        )

    def _chunks_of(self, near: Sequence[Span]) -> set[int] | None:
        """Return the numbers (from 1) of the chunks that the slices overlap, or ``None`` without slices."""
        if not near:
            return None
        bounds = [len(self.text[:cut].encode()) for cut in (0, *(self.cuts or ()), len(self.text))]
        return {
            number
            for number, (start, end) in enumerate(pairwise(bounds), start=1)
            if any(start < last and first < end for first, last in near)
        }


def key_of(page: IndexedPage | Page) -> Key:
    """Return the key of annotations of the page's text."""
    unit, ref = law_unit(page), page.ref
    return (
        (ref.source, unit.celex, unit.unit, ref.language) if unit else (ref.source, "", ref.id, ref.language)
    )


def without_chunks(references: Sequence[str]) -> tuple[str, ...]:
    """Return the references, with those of single chunks turned into references of the whole text."""
    return tuple(dict.fromkeys(reference.rpartition(":")[2] for reference in references))


def check(text: str, cuts: Sequence[int] | None, references: Sequence[str] | None) -> None:
    """Raise ``InputError`` if a text cannot be cut like this, or may not have these references."""
    if cuts is not None:
        _check_cuts(text, cuts)
    if references is None:
        return
    if len(references) > MOST_REFERENCES:
        raise InputError("references: use at most {count}", count=MOST_REFERENCES)
    chunks = 0 if cuts is None else len(cuts) + 1
    for reference in references:
        found = _REFERENCE.fullmatch(reference)
        if not found:
            raise InputError(
                "references: {name!r} is not a reference: use CELEX/unit, such as 32024R1689/art_3",
                name=reference,
            )
        if found["chunk"] and int(found["chunk"]) > chunks:
            raise InputError(
                "references: {name!r} belongs to a chunk that does not exist: only {count} are set by hand",
                name=reference,
                count=chunks,
            )
    if len(set(references)) < len(references):
        raise InputError("references: one appears twice")


def _check_cuts(text: str, cuts: Sequence[int]) -> None:
    if len(cuts) > MOST_CUTS:
        raise InputError("cuts: use at most {count}", count=MOST_CUTS)
    bounds = [0, *cuts, len(text)]
    for start, end in pairwise(bounds):
        if not 0 <= start < end <= len(text):
            raise InputError(
                "cuts: use increasing numbers from 1 to {count}, not {end} after {start}",
                count=len(text) - 1,
                end=end,
                start=start,
            )
        if not text[start:end].strip():
            raise InputError("cuts: there is no text between {start} and {end}", start=start, end=end)
        if end - start > CHUNK_CHARACTERS:
            raise InputError(
                "cuts: the chunk from {start} to {end} is longer than {count} characters: cut it",
                start=start,
                end=end,
                count=CHUNK_CHARACTERS,
            )


class AnnotatedTexts:
    """A snapshot of all annotations: an :class:`app.law.annotations.UnitAnnotations`."""

    def __init__(self, found: Sequence[Annotation] = ()) -> None:
        self._by_unit: dict[Key, dict[str, Annotation]] = defaultdict(dict)
        for annotation in found:
            self._by_unit[annotation.key][annotation.text] = annotation

    def cuts(self, page: Page) -> tuple[int, ...] | None:
        """Return the cuts that people made in the page's text, or ``None`` if there are none."""
        found = self._of(page)
        return None if found is None else found.cuts

    def references(self, page: IndexedPage, near: Sequence[Span] = ()) -> list[Target] | None:
        """Return the references that people gave the page, or its chunks that the ``near`` slices overlap.

        ``None`` if they gave none.
        """
        found = self._of(page)
        return None if found is None or found.references is None else found.targets(near)

    def _of(self, page: IndexedPage | Page) -> Annotation | None:
        """Return the annotation of the page's text, if it has one."""
        if not self._by_unit:
            return None
        key = key_of(page)
        return self._by_unit[key].get(page.fields.get("content", "")) if key in self._by_unit else None
