"""Sentences of a page about calendar days: hours of their own, or doubts. Pure functions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Final

from app.features.facts import signs
from app.features.facts.dated_hours import DatedSentence, is_general, named_days, read_dated
from app.features.facts.doubts import doubtful_months, has_date, plain
from app.features.facts.hours import ALL_MONTHS, DatedHours
from app.features.facts.hours_rules import read_months
from app.features.facts.hours_words import words_of
from app.features.facts.notices import (
    MOST_CHARACTERS,
    is_along,
    is_bare_date,
    is_closing_without_days,
    is_notice,
    noticed_months,
)
from app.features.facts.pipe_tables import read_cells
from ingest.blocks import Span, blocks
from ingest.text import sentences

READ_CHARACTERS: Final = 100_000
"""The longest page that is read, which takes some seconds in the worst case. Longer pages are not read in
part, because a remark on the hours may be anywhere."""

MOST_DAYS: Final = 60
"""The most days for one thing; more belong to several things."""

_OF_ALL: Final = re.compile(r"\b(?:alle\w*|beide\w*|sämtliche\w*|all|both|every|each)\b", re.IGNORECASE)
_BULLET: Final = re.compile(r"^\s*[-*+]\s+")

Headings = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CalendarNote:
    """A sentence about calendar days, in the section ``around`` it, below ``headings``.

    ``text``: the sentence as it stands. ``said``: what is understood of it. ``doubtful``: the months in which
    it casts doubt on other hours than its own; ``near``: those in which it does so on hours in its section,
    or in one above or below it; ``of_year``: those in which it does so on hours below a heading without
    months.
    """

    around: Span
    headings: Headings
    text: str
    said: DatedSentence | None
    doubtful: frozenset[int]
    near: frozenset[int]
    of_year: frozenset[int] = frozenset()

    def may_be_of(self, day: date) -> bool:
        """Return True if the sentence may be about this day in words that are not understood."""
        named = named_days(self.text) if self.doubtful != ALL_MONTHS else []
        return day.month in self.doubtful and (not named or any(each.includes(day) for each in named))

    def is_about(self, around: Span, headings: Headings, *, is_only: bool) -> bool:
        """Return True if the sentence is understood and about the hours of a section. ``is_only``: the page
        has no other hours."""
        if self.said is None:
            return False
        if self.said.subject:
            return any(map(self.said.is_about, headings if is_only else headings[-1:]))
        return self.around == around or (is_only and is_general("".join(self.headings[-1:])))

    def doubts(self, around: Span, headings: Headings) -> frozenset[int]:
        """Return the months in which the sentence casts doubt on the hours of a section."""
        is_near = self.around == around or is_along(self.headings, headings)
        doubtful = self.doubtful | self.near if is_near else self.doubtful
        is_of_year = self.of_year and self.around != around and not read_months(words_of(headings[-1]))
        return doubtful | self.of_year if is_of_year else doubtful

    def is_of_another(self, headings: Headings) -> bool:
        """Return True if the sentence continues the hours of a place beside the one below these headings: "Mo
        14–17 Uhr, in den Schulferien geschlossen"."""
        is_beside = headings[:-1] == self.headings[:-1] and headings != self.headings
        is_place = is_beside and not signs.TITLE.search(self.headings[-1]) and not is_notice(self.headings)
        return is_place and self.text[:1].islower() and not _OF_ALL.search(self.text)


def calendar_notes(markdown: str, sections: Mapping[Span, Headings]) -> tuple[CalendarNote, ...]:
    """Return the notes in the sections of a page."""
    found = [
        note
        for around, headings in sections.items()
        for note in _notes(around, headings, markdown[slice(*around)])
        if len(note.text) <= MOST_CHARACTERS
    ]
    return tuple(note for note in found if note.said or note.doubtful or note.near or note.of_year)


def _notes(around: Span, headings: Headings, section: str) -> Iterator[CalendarNote]:
    is_below_notice, heading = is_notice(headings), "".join(headings[1:][-1:])
    if has_date(words_of(heading)) and (months := doubtful_months(heading, is_near=True)):
        yield CalendarNote(around, headings, heading, None, months, months)
    elif is_closing_without_days(headings, section):
        yield CalendarNote(around, headings, heading, None, ALL_MONTHS, ALL_MONTHS)
    if signs.TITLE.search(heading) or signs.TITLE_END.search(heading):
        of_year = read_months(words_of(heading)) or (
            ALL_MONTHS if signs.SEASON.search(heading) else frozenset()
        )
        yield CalendarNote(around, headings, heading, None, frozenset(), frozenset(), of_year)
    for sentence in _sentences(section):
        own = doubtful_months(sentence)
        said = read_dated(plain(_BULLET.sub("", sentence))) if own != ALL_MONTHS else None
        is_noticed = is_below_notice or is_bare_date(_BULLET.sub("", sentence), headings)
        doubtful = own | (noticed_months(sentence) if is_noticed else frozenset())
        if said and not said.subject:
            doubtful = doubtful.union(*(each.months() for each in said.hours))
        yield CalendarNote(
            around, headings, sentence, said, doubtful, doubtful_months(sentence, is_near=True)
        )


def notes_on(markdown: str, day: date) -> tuple[CalendarNote, ...]:
    """Return the notes of a page that are understood and name this day.

    Empty if they disagree about it, or another sentence may be about it.
    """
    if len(markdown) > READ_CHARACTERS:
        return ()
    found = calendar_notes(markdown, {block.around: block.headings for block in blocks(markdown)})
    named = [(note, each) for note in found if note.said for each in note.said.hours if each.includes(day)]
    is_alike = len({each.spans for _, each in named}) == 1 and all(each.applies_to(day) for _, each in named)
    is_else = any(not note.said and note.may_be_of(day) for note in found)
    return tuple(note for note, _ in named) if is_alike and not is_else else ()


def dated_and_doubtful(
    notes: tuple[CalendarNote, ...], around: Span, headings: Headings, *, is_only: bool
) -> tuple[tuple[DatedHours, ...], frozenset[int]]:
    """Return the hours of calendar days that apply to a section, and the months in which its regular hours
    are doubtful.

    ``is_only``: as for :meth:`CalendarNote.is_about`.
    """
    about: list[CalendarNote] = []
    others: list[CalendarNote] = []
    for note in notes:
        if note.is_about(around, headings, is_only=is_only):
            about.append(note)
        elif not note.is_of_another(headings):
            others.append(note)
    dated = tuple(each for note in about if note.said for each in note.said.hours)
    doubtful = frozenset[int]().union(*(note.doubts(around, headings) for note in others))
    if len(dated) > MOST_DAYS or any(_contradict(one, other) for one, other in combinations(dated, 2)):
        return (), doubtful.union(*(each.months() for each in dated))
    return dated, doubtful


def _contradict(one: DatedHours, other: DatedHours) -> bool:
    return one.spans != other.spans and one.overlaps(other)


def _sentences(section: str) -> Iterator[str]:
    """The sentences of a section, and its table rows of two cells as sentences. A sentence is split into its
    lines if a line states dated hours."""
    for line in section.splitlines():
        for row in read_cells([line]):
            yield ": ".join(row)
    for sentence in sentences(section):
        lines = [_BULLET.sub("", line) for line in sentence.splitlines() if line.strip()]
        yield from (sentence,) if len(lines) < 2 or not any(map(read_dated, map(plain, lines))) else lines
