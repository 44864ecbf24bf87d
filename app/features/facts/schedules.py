"""Tables of pages that give recurring times: weekdays, weeks, dates. Pure functions.

A cell is shown as it stands, with its row and its column's head. The next date is left to the visitor to work
out, because a sentence elsewhere may move it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.features.facts.block_texts import headings_above, lead_of
from app.features.facts.calendar_days import day_groups
from app.features.facts.called import of_dates, with_parts, without_brackets
from app.features.facts.date_questions import ASKS, BESIDE
from app.features.facts.dates import READ_CHARACTERS
from app.features.facts.doubts import named_weekdays, plain
from app.features.facts.named import NamedSubjects
from app.features.facts.pipe_tables import read_table
from app.features.facts.price_tables import PRICE
from app.search import analysis, dictionary
from app.search.answer_kinds import asked_kinds
from app.search.types import IndexedPage
from ingest.blocks import Block, blocks
from ingest.text import sentences

CACHED_PAGES: Final = 64
CELL_CHARACTERS: Final = 120
MOST_NOTES: Final = 2
NOTE_CHARACTERS: Final = 300

_PERIOD: Final = r"(?:tage?|wochen?|monate?n?|quartale?|jahre?n?|days?|weeks?|months?|quarters?|years?)\b"
_AGAIN: Final = re.compile(
    r"\b(?:täglich|\w*wöchentlich|14-täg\w+|\w*monatlich|\w*jährlich|daily|(?:bi-?)?weekly|fortnight\w*|monthly"
    r"|quarterly|yearly|annually)\b"
    rf"|\b(?:jede[nrsm]?|alle|every|each|per|pro|je)\s(?:[\w.]+\s){{0,2}}{_PERIOD}"
    rf"|(?:mal|\b(?:once|twice|times))\s(?:\w+\s)?(?:in der|im|pro|an?|per|each|every)\s{_PERIOD}"
    r"|gerade\w*\s(?:kalender)?wochen?\b|\b(?:even|odd)(?:[\s-]numbered)?\sweeks?\b"
    r"|\b(?:\d\.|\d(?:st|nd|rd|th)|erste\w*|zweite\w*|dritte\w*|vierte\w*|letzte\w*|first|second|third|fourth"
    r"|last)\s(?:woche\b.*\bmonat|week\b.*\bmonth)",
    re.IGNORECASE,
)
"""Says that something takes place again and again, unlike "Year 2" or "30 years"."""

_NOTHING: Final = re.compile(r"\W*")
_SHIFTS: Final = re.compile(
    r"feiertag|holiday|verschieb|verleg|\bshift|\bmove|ausnahme|ferien|\bexcept|\baußer\b|\bentfäll"
    r"|\bfäll\w+ .*aus\b|cancel",
    re.IGNORECASE,
)
_ASKS_ELSE: Final = re.compile(
    r"\b(?:seit|ab|bis) wann\b|\b(?:since|from|until|till|by) when\b|\bwarum\b|\bwhy\b|\bwie\b|\bhow\b"
    r"|\bnicht\b|\bkein"
    r"|\bnot\b|\bno\b|n['’]t\b|\boder\b|\bor\b|\bwas\b|\bwurde|\bheute\b|\bmorgen\b|\btoday\b|\btomorrow\b"
    r"|feiertag|holiday"
    r"|weihnacht|christmas|ostern|easter|ferien\b|\bdid\b|\bwar\b|\bwhat time\b|\buhrzeit|\bnächste"
    r"|\bnext\b|\bweek|(?<!welchen )(?<!welcher )\bwoche",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A table of recurring times.

    ``above``: the headings without the page's title. ``lead``: the sentence that leads to it. ``names``: the
    heads of the columns that name its rows; ``heads``: those of the other columns. ``notes``: the sentences
    beside it.
    """

    above: tuple[str, ...]
    lead: str
    names: str
    heads: tuple[str, ...]
    rows: tuple["ScheduleRow", ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """A row of a schedule."""

    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCell:
    """The cell that a question asks for.

    ``head``: of its column; ``label``: of its row; ``heading``: the last one above the table; ``notes``:
    sentences that may be about it.
    """

    heading: str
    label: str
    head: str
    cell: str
    notes: tuple[str, ...]


@lru_cache(maxsize=CACHED_PAGES)
def page_schedules(markdown: str, title: str) -> tuple[Schedule, ...]:
    """Return the schedules in the content of a page with this ``title``, in text order."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    tables = {block.wholes[-1]: block for block in blocks(markdown) if block.kind == "table"}
    return tuple(each for block in tables.values() for each in _of_block(block, markdown, title))


def _of_block(block: Block, markdown: str, title: str) -> Iterator[Schedule]:
    whole = block.wholes[-1]
    table = read_table(markdown[slice(*whole)])
    if table is None:
        return
    columns = range(1, len(table.header))
    told = [at for at in columns if _is_schedule([row[at] for row in table.rows])]
    names = [at for at in range(len(table.header)) if at not in told]
    labels = [", ".join(row[at] for at in names if row[at]) for row in table.rows]
    if (
        not told
        or len(set(labels)) != len(labels)
        or any(map(named_weekdays, (row[0] for row in table.rows)))
    ):
        return
    beside = f"{markdown[block.around[0] : whole[0]]}\n\n{markdown[whole[1] : block.around[1]]}"
    yield Schedule(
        above=headings_above(block, title),
        lead=plain(lead_of(block, markdown)),
        names="\n".join(table.header[at] for at in names),
        heads=tuple(table.header[at] for at in told),
        rows=tuple(
            ScheduleRow(label=label, cells=tuple(row[at] for at in told))
            for label, row in zip(labels, table.rows, strict=True)
        ),
        notes=tuple(plain(" ".join(each.split())) for each in sentences(beside) if each.strip()),
    )


def _is_schedule(cells: list[str]) -> bool:
    told = [cell for cell in cells if not _NOTHING.fullmatch(cell)]
    return sum(map(_is_time, told)) > len(told) / 2


def _is_time(cell: str) -> bool:
    is_again = _AGAIN.search(cell) and not PRICE.search(cell)
    is_told = named_weekdays(cell) or day_groups(cell) or is_again
    return bool(is_told) and len(cell) <= CELL_CHARACTERS


def asked_cell(question: str, language: str, page: IndexedPage) -> AskedCell | None:
    """Return the cell that a question in ``language`` names by row and column, or ``None`` if it names none
    or several."""
    kinds = {kind.name for kind in asked_kinds(question)}
    if (
        not ASKS.search(question)
        or _ASKS_ELSE.search(question)
        or not kinds <= {"when"}
        or day_groups(question)
    ):
        return None
    tables = page_schedules(page.fields.get("content", ""), page.title)
    for asked in dict.fromkeys((question, of_dates(question))):
        named = NamedSubjects.of(asked, language, page.ref.language, BESIDE)
        found = [cell for each in tables if named.words.words for cell in _cells(each, named, page.title)]
        if found:
            return found[0] if len(found) == 1 and len(found[0].notes) <= MOST_NOTES else None
    return None


def _cells(table: Schedule, named: NamedSubjects, title: str) -> Iterator[AskedCell]:
    above = with_parts("\n".join((title, *table.above, table.lead, table.names)))
    known = named.found_in(above)
    for row in table.rows:
        row_label = without_brackets(row.label)
        of_row = _called(row_label, named) - known
        for head, cell in zip(table.heads, row.cells, strict=True):
            of_head = _called(head, named) - known
            is_named = of_row and (of_head or len(table.heads) == 1)
            if (
                not is_named
                or not _is_time(cell)
                or not named.is_in(with_parts(f"{above}\n{row_label}\n{head}"))
            ):
                continue
            notes = tuple(
                each
                for each in table.notes
                if _SHIFTS.search(each) or named.found_in(each) & (of_row | of_head)
            )
            if all(len(each) <= NOTE_CHARACTERS for each in notes):
                heading = "".join(table.above[-1:])
                yield AskedCell(heading=heading, label=row.label, head=head, cell=cell, notes=notes)


def _called(text: str, named: NamedSubjects) -> frozenset[str]:
    """The words that a label contains on their own, not only in a compound."""
    languages = named.words.languages
    stems = {stem for language in languages for stem in analysis.tokens(with_parts(text), language)}
    return frozenset(
        word for word in named.words.words if not dictionary.forms(word, *languages).isdisjoint(stems)
    )
