"""Reads opening hours from tables."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from app.features.facts import signs
from app.features.facts.hours import ALL_MONTHS, Rule, Span, conflicts
from app.features.facts.hours_lines import MOST_LINES, HoursPart, cleaned, is_restricted, parts_of_line
from app.features.facts.hours_phrases import span_of
from app.features.facts.hours_rules import read_days, read_months, read_spans, read_time
from app.features.facts.hours_section import NAME_CHARACTERS, HoursSection
from app.features.facts.hours_words import words_of
from app.features.facts.pipe_tables import read_cells
from ingest.blocks import Block


def parts_of_table(block: Block, markdown: str, section: HoursSection) -> Iterator[HoursPart]:
    """The hours of each column if the table has a row for each day, or of each row if it has a column for
    each day; empty if a column has times that are not understood."""
    header, rows = _header(block.before(markdown)), read_cells(markdown[slice(*block.own)].splitlines())
    if not rows or len({len(row) for row in (*rows, *filter(None, (header,)))}) != 1:
        return
    labelled = [row for row in (header, *rows) if len(row) == 2 and signs.TITLE.search(row[0])]
    if any(map(str.isdigit, "".join(cell for _, cell in labelled))):
        titled = replace(section, is_titled=True)
        for name, cell in labelled:
            yield from (part._replace(name=name) for part in parts_of_line(cleaned(cell), titled))
        return
    is_titled = section.is_titled or any(map(signs.TITLE.search, header)) or section.place
    if section.is_other or section.is_seasonal or not is_titled or any(map(is_restricted, header)):
        return
    columns = [read_days(words_of(cell)) for cell in header]
    if columns and all(columns):
        for row in rows:
            yield from _named("", columns, row)
    elif columns[1:] and all(columns[1:]):
        for row in rows:
            yield from _named(row[0], columns[1:], row[1:])
    else:
        yield from _by_day(header, rows)


def _by_day(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[HoursPart]:
    if header and read_days(words_of(header[0])):  # because Markdown tables always have a header
        header, rows = (), (header, *rows)
    days = [read_days(words_of(row[0])) for row in rows]
    if not all(days) or len(rows) > MOST_LINES:
        return
    if spans := _from_and_to(header, rows):
        yield HoursPart("", "", tuple(Rule(days=on, spans=at) for on, at in zip(days, spans, strict=True)))
        return
    columns = _columns(header, rows)
    read = [
        list(_named(name, days, column)) for name, column in zip_longest(header[1:], columns, fillvalue="")
    ]
    if all(
        found or not any(map(str.isalnum, "".join(column)))
        for found, column in zip(read, columns, strict=True)
    ):
        for found in read:
            yield from found


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The cells after the days, column by column; without a header they are joined into one column."""
    if header:
        return [[row[at] for row in rows] for at in range(1, len(rows[0]))]
    told = (dict.fromkeys(cell for cell in row[1:] if any(map(str.isalnum, cell))) for row in rows)
    return [[", ".join(cells) for cells in told]]


def _from_and_to(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[Span, ...]]:
    """The spans of rows with one column for opening and one for closing times; empty for other tables."""
    if len(header) != 3 or not signs.OPENS.search(header[1]):
        return []
    found: list[tuple[Span, ...]] = []
    for row in rows:
        start, end = (read_time(words_of(cell)) for cell in row[1:])
        span = span_of(start, end) if start and end else None
        if span is None:
            return []
        found.append((span,))
    return found


def _named(name: str, days: Sequence[frozenset[int]], column: Sequence[str]) -> Iterator[HoursPart]:
    words = words_of(name)
    months = read_months(words)
    if not months and any(word.kind in ("month", "date") for word in words):
        return
    told = [(on, cell) for on, cell in zip(days, column, strict=True) if any(map(str.isalnum, cell))]
    spans = [read_spans(words_of(cell)) for _, cell in told]
    known = [(on, at) for (on, _), at in zip(told, spans, strict=True) if at is not None]
    unknown = [each for each, at in zip(told, spans, strict=True) if at is None]
    is_known = all(signs.APPOINTMENT.search(cell) for _, cell in unknown)
    if not is_known or not any(at for _, at in known) or is_restricted(name):
        return
    rules = tuple(Rule(days=on, spans=at, months=months or ALL_MONTHS) for on, at in known)
    if not conflicts([(rule,) for rule in rules]):
        name = "" if months or signs.TITLE.search(name) else name[:NAME_CHARACTERS]
        yield HoursPart(name, "", rules, doubtful=frozenset[int]().union(*(on for on, _ in unknown)))


def _header(before: str) -> tuple[str, ...]:
    """The cells of the header above a table's rows."""
    found = read_cells(before.splitlines()[-2:])
    return found[0] if found else ()
