"""Dates that pages announce in lists, tables and sentences. Pure functions; in doubt there are none.

A date has a year only if the page gives it: beside the date, at the end of its enumeration, in a heading, in
the sentence that leads to the list, or in the title; and only if nothing beside it names another year. Lines
that are not understood are kept, so that a date is not chosen although such a line might be meant.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from app.features.facts.block_texts import (
    BULLET,
    DEFINITION,
    first_blocks,
    headings_above,
    lead_of,
    said,
    shown,
    text_spans,
)
from app.features.facts.calendar_days import day_groups
from app.features.facts.date_doubts import is_condition
from app.features.facts.date_sentences import is_bare
from app.features.facts.dates import (
    MOST_CHARACTERS,
    PARTS,
    READ_CHARACTERS,
    YEAR,
    PageDate,
    has_weekdays,
    is_changed,
    is_line,
    is_timed,
    line_dates,
    resolved,
    row_dates,
)
from app.features.facts.editing import is_edited, is_published, without_file_dates
from app.features.facts.hours import MonthDay
from app.features.facts.hours_words import months
from app.features.facts.note_marks import has_date_mark
from app.features.facts.pipe_tables import Cells, PipeTable, read_table
from ingest.blocks import Block, Span, rows

CACHED_PAGES: Final = 64

_SEMICOLON: Final = re.compile(r"(?<=;)\s")

_DAY_NUMBER: Final = re.compile(r"(?:[^\W\d_]{2,10}\.?,?\s)?\d{1,2}\.?")
_MAY: Final = re.compile(
    r"\b(?:können|kann|möglich|vorbehalten|falls|wenn|may|might|if|subject)\b|^fällt\b|\bbehalten\b",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"\s*(?:[-*+|]\s|\d+[.)]\s|\|)")
_PARAGRAPHS: Final = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|]|\d+[.)]))")
_INSTEAD: Final = re.compile(
    r"\b(?:statt|instead of|moved from|verschoben)\s*(?:vom|am|on)?\s*$", re.IGNORECASE
)
_NOTE: Final = re.compile(r"\s*(?:\\?\*|[¹²³]|\d\))\s*\w")
_CLOSES: Final = re.compile(
    r"schluss\b|frist\b|\bbis\b|deadline|clos(?:es|ing)|\bby\b|\buntil\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateList:
    """The ``dates`` of a list, of a table's column, or of a sentence, which is then the ``lead``.

    ``above``: the headings without the page's title. ``heads``: of the table's columns; ``column``: the head
    of this one if several have dates. ``unread``: lines that are not understood. ``is_closing``: something
    ends on these dates. ``is_first``: the sentence begins the section, and no other in its paragraph has
    dates. ``start``: offset in characters of the content.
    """

    above: tuple[str, ...]
    lead: str
    heads: str = ""
    column: str = ""
    dates: tuple[PageDate, ...]
    unread: tuple[str, ...]
    is_closing: bool = False
    is_sentence: bool = False
    is_first: bool = False
    start: int


@lru_cache(maxsize=CACHED_PAGES)
def page_dates(markdown: str, title: str) -> tuple[DateList, ...]:
    """Return the lists of dates in the content of a page with this ``title``, in text order."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    found = [each for block in first_blocks(markdown) for each in _Reader(block, markdown, title).lists()]
    return tuple({(each.start, each.column): each for each in reversed(found)}.values())[::-1]


@lru_cache(maxsize=CACHED_PAGES)
def changed_days(markdown: str) -> frozenset[MonthDay]:
    """Return the calendar days that a sentence or line says are cancelled or changed."""
    found: set[MonthDay] = set()
    for sentence in _changed(markdown):
        groups = day_groups(sentence[:MOST_CHARACTERS])
        before = [group for group in groups if _INSTEAD.search(sentence[: group.start])]
        found.update(day.first for group in before or groups for day in group.days)
    return frozenset(found)


@lru_cache(maxsize=CACHED_PAGES)
def changed_sentences(markdown: str) -> tuple[str, ...]:
    """Return the sentences of a page about cancellations or changes, without those in items and rows."""
    lines = (line for line in markdown.splitlines() if not _ITEM.match(line) and not is_line(shown(line)))
    return tuple(each for line in lines for each in _changed(line) if not _MAY.search(each))


def _changed(markdown: str) -> Iterator[str]:
    for line in markdown.splitlines():
        yield from (shown(each) for each in said(line) if is_changed(each))


@lru_cache(maxsize=CACHED_PAGES)
def _counted(text: str) -> tuple[Counter[str], int]:
    """The years that a text names, and the number of its sentences about cancellations or changes."""
    told = (each for part in _PARAGRAPHS.split(text) for each in said(part) if not _NOTE.match(each))
    changed = sum(is_changed(each) and not _MAY.search(each.strip()) for each in told)
    return Counter(YEAR.findall(text)), changed


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the dates in a block of a page."""

    block: Block
    markdown: str
    title: str

    def lists(self) -> Iterator[DateList]:
        """Yield the lists in the block; none below a heading such as *Last updated* or *Press releases*."""
        if any(map(is_published, self.block.headings[-1:])):
            return
        span = self.block.wholes[-1]
        text = self.markdown[slice(*span)]
        if self.block.kind == "list":
            yield from self._listed(span, [BULLET.sub("", text[slice(*item)]) for item in rows(text, "list")])
        elif self.block.kind == "table" and (table := read_table(text)):
            yield from self._table(
                span, _with_days(table), [text[slice(*row)] for row in rows(text, "table")]
            )
        for part in text_spans(self.block, self.markdown):
            yield from self._text(part)

    def _listed(self, span: Span, items: Sequence[str]) -> Iterator[DateList]:
        items = list(map(without_file_dates, items))
        lines, day = list(map(shown, items)), self._day
        year = self._year(self._years_beside(span), f"{self._lead} {day}", lines)
        read = [
            None if day_groups(line) and has_date_mark(item) else line_dates(line, year, item, day)
            for line, item in zip(lines, items, strict=True)
        ]
        yield from self._list(span, list(zip(lines, read, strict=True)))

    def _table(self, span: Span, table: PipeTable, lines: Sequence[str]) -> Iterator[DateList]:
        columns = range(len(table.header))
        marked = [has_date_mark(line) for line in lines]
        dated = [
            at
            for at in columns
            if any(day_groups(row[at]) for row in table.rows) and not is_edited(table.header[at])
        ]
        years = self._years_beside(span)
        timed = [at for at in columns if any(is_timed(table.header[at], row[at]) for row in table.rows)]
        for at in dated:
            year = self._year(years, f"{self._lead} {table.header[at]}", [row[at] for row in table.rows])
            read = [
                (
                    " ".join(row),
                    None if is_marked and day_groups(row[at]) else row_dates(row, table.header, at, year),
                )
                for row, is_marked in zip(table.rows, marked, strict=True)
            ]
            heads = "\n".join(table.header[each] for each in columns if each == at or each not in timed)
            for each in self._list(span, read):
                column = table.header[at] if len({*dated, *timed}) > 1 else ""
                is_closing = bool(_CLOSES.search(table.header[at]))
                yield replace(each, heads=heads, column=column, is_closing=is_closing)

    def _list(self, span: Span, read: Sequence[tuple[str, Sequence[PageDate] | None]]) -> Iterator[DateList]:
        found = tuple(each for _, dates in read for each in dates or ())
        unread = tuple(line for line, dates in read if dates is None)
        if len(unread) > 1 or self._is_doubtful(span) or is_condition(self._lead):
            found, unread = (), tuple(line for line, dates in read if dates != [])
        if found or unread:
            yield DateList(above=self._above, lead=self._lead, dates=found, unread=unread, start=span[0])

    def _text(self, span: Span) -> Iterator[DateList]:
        """Yield lists from the lines of a paragraph that begin with a date or a name, from the parts of one
        line, or from its sentences."""
        text = DEFINITION.sub(": ", self.markdown[slice(*span)])
        lines = [line for line in text.splitlines() if line.strip()]
        if all(is_line(shown(line)) for line in lines):
            yield from self._listed(span, lines)
            return
        if len(lines) == 1 and PARTS in lines[0]:
            for each in self._listed(span, lines[0].split(PARTS)):
                told = tuple(replace(date, line=shown(lines[0]), rest=shown(lines[0])) for date in each.dates)
                yield replace(each, dates=told)
            return
        sentences = [without_file_dates(part) for each in said(text) for part in _SEMICOLON.split(each)]
        yield from self._sentences(span, sentences, set(map(shown, lines)))

    def _sentences(self, span: Span, told: Sequence[str], lines: Collection[str]) -> Iterator[DateList]:
        """Yield a list for each sentence with dates. A date alone is one only if it is one of the ``lines``,
        and not the end of a paragraph about something else."""
        dated = [at for at, each in enumerate(told) if day_groups(shown(each)[:MOST_CHARACTERS])]
        off = [at for at, each in enumerate(told) if is_changed(each) and not _MAY.search(each)]
        is_beginning = not self.markdown[self.block.around[0] : span[0]].strip()
        years = self._years_beside(span)
        for at in dated:
            sentence = shown(told[at]).removesuffix(";")
            read = line_dates(sentence, self._year(years, sentence, [sentence]), told[at])
            is_part = _is_date(sentence) and sentence not in lines
            is_off = any(other != at and other - at <= 1 for other in off)
            is_unread = is_off or is_part or has_date_mark(told[at]) or not read
            if read is None or read:
                dates = [replace(each, rest=_rest(each, sentence, len(read or ()))) for each in read or ()]
                yield DateList(
                    above=self._above,
                    lead="" if is_line(sentence) else sentence,
                    dates=() if is_unread else tuple(dates),
                    unread=(sentence,) if is_unread else (),
                    is_sentence=not is_line(sentence),
                    is_first=is_beginning and at == 0 and len(dated) == 1,
                    start=span[0] + at,
                )

    @property
    def _above(self) -> tuple[str, ...]:
        return headings_above(self.block, self.title)

    @property
    def _day(self) -> str:
        """The last heading, if it is a date."""
        heading = "".join(self.block.headings[-1:])
        return heading if _is_date(heading) else ""

    @property
    def _lead(self) -> str:
        """The sentence that leads to a list or table; often empty."""
        return shown(lead_of(self.block, self.markdown))

    def _is_doubtful(self, span: Span) -> bool:
        """Return True if a sentence beside a list says that something in it is cancelled or changed."""
        return self._beside(span)[1] > 0

    def _years_beside(self, span: Span) -> set[str]:
        return set(self._beside(span)[0])

    def _beside(self, span: Span) -> tuple[Counter[str], int]:
        """Return the years, and the number of sentences about changes, in the section of a span but outside
        it."""
        (years, changed), (own, own_changed) = (
            _counted(self.markdown[slice(*each)]) for each in (self.block.around, span)
        )
        return years - own, changed - own_changed

    def _year(self, others: set[str], lead: str, lines: Sequence[str]) -> int | None:
        """Return the only year in lead, headings and title, if nothing beside them names another.

        Of several years, return the only one in which all dates fall on the weekdays in the lines.
        """
        years = set(YEAR.findall("\n".join((self.title, *self.block.headings, lead))))
        found = [int(each) for each in years | others if years and each.isdigit()]
        if len(found) < 2 or len(found) < len(years | others):
            return found[0] if len(found) == len(years | others) == 1 else None
        dated = [line for line in lines if day_groups(line)]
        fitting = [each for each in found if all(resolved(line, day_groups(line), each) for line in dated)]
        return fitting[0] if len(fitting) == 1 and all(map(has_weekdays, dated)) else None


def _is_date(text: str) -> bool:
    """Return True for a date and nothing else."""
    groups = day_groups(text)
    return len(groups) == 1 and not f"{text[: groups[0].start]}{text[groups[0].end :]}".strip(" ,:.")


def _rest(date: PageDate, sentence: str, dates: int) -> str:
    """The text shown beside a date of a sentence: the sentence if it has one date; otherwise what remains
    without the dates."""
    if dates == 1:
        return sentence
    return "" if is_bare(date.rest) else date.rest


def _with_days(table: PipeTable) -> PipeTable:
    """The table, with day and month joined if they are in two columns."""
    columns = range(len(table.header))
    named = [at for at in columns if all(row[at].casefold() in months() for row in table.rows)]
    numbered = [at for at in columns if all(_DAY_NUMBER.fullmatch(row[at]) for row in table.rows)]
    if len(named) != 1 or len(numbered) != 1:
        return table
    [month], [day] = named, numbered

    def joined(row: Cells) -> Cells:
        date = f"{row[day].rstrip('.')}. {row[month]}"
        return tuple(date if at == day else cell for at, cell in enumerate(row) if at != month)

    header = tuple(head for at, head in enumerate(table.header) if at != month)
    return PipeTable(header, tuple(map(joined, table.rows)))
