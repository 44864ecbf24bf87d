"""Deadlines as pages tell them: "bis spätestens 31. März", "closing date: 30 April". Pure functions; in doubt
there is none.

A deadline is told with its whole sentence, line or row, as others may hold for some people. It is past only
where the sentence tells the year.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from app.features.facts.calendar_days import DayGroup, day_groups
from app.features.facts.dates import (
    BULLET,
    MOST_CHARACTERS,
    READ_CHARACTERS,
    YEAR,
    first_blocks,
    resolved,
    shown,
    told_sentences,
)
from app.features.facts.pipe_tables import Cells, read_table
from ingest.blocks import Block, Span, rows

CACHED_PAGES: Final = 64
NEAR_CHARACTERS: Final = 2_000
"""Of a section, before and behind a text, where it may say that a deadline was moved."""

_BEFORE: Final = re.compile(
    r"(?:\b(?:bis|spätestens|until|till|by|before|(?:no|not) later than|latest)"
    r"(?: (?:zum|spätestens|einschließlich|am|on|the|at the latest|\d{1,2}(?:[.:]\d\d)?\s?(?:[ap]m|noon"
    r"|uhr)))*"
    r"|(?:\b(?:deadline|closing date|last day|letzter tag|stichtag)|\b\w*(?:schluss|frist)\b)"
    r"(?:\s(?:für|for|of|to)\s[^.:;!?\d]{1,60})?(?::| ist| is| am| endet| ends)*(?: (?:der|the|on|am))?)\s*$",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"\b(?:zwischen|between)\s*(?:dem |the )?$", re.IGNORECASE)
DUE: Final = re.compile(
    r"\bfällig|\bzahlbar\b|\bdue\b|\bpayable\b|\bzu (?:be)?zahlen\b|\bpay\b|\bpaid\b|überweisen|abgebucht"
    r"|\bgezahlt\b|\braten\b|\binstal",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:ab|seit|frühestens|nach|since|after|from|von|vom)(?: dem| the)?\s*$", re.IGNORECASE
)
_CONDITION: Final = re.compile(r"\b(?:if|unless|wenn|falls|sofern|sollten?)\b[^,;:]*$", re.IGNORECASE)
"""Something may not have come "by 30 April", which is no deadline for whoever waits."""

_HEAD: Final = re.compile(
    r"schluss\b|frist\b|\bbis\b|deadline|closing date|\buntil\b|\bapply by\b|\bby\b", re.IGNORECASE
)
_PREPOSITION: Final = re.compile(r"^(?:am|an|zum|on|the)\s", re.IGNORECASE)
_POINT: Final = re.compile(r"(?:[^\W\d_]{4,}|\d{4})\.$")
_EXTENDED: Final = re.compile(
    r"verläng|\bextend|neue frist|new deadline|~~|geändert|changed|statt\b|instead|bisher|früher",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """A deadline: the headings ``above`` it but the page's title, the sentence that leads to it, its
    ``text``, and where the dates stand in that. ``heads``: of the table's columns. ``last``: the last day,
    where the text tells its year. ``is_due``: something has to be paid on these days."""

    above: tuple[str, ...]
    lead: str
    heads: str
    text: str
    dates: tuple[Span, ...]
    last: date | None
    is_due: bool
    is_certain: bool


@lru_cache(maxsize=CACHED_PAGES)
def page_deadlines(markdown: str, title: str) -> tuple[Deadline, ...]:
    """Return the deadlines in the content of a page with this ``title``, in text order."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    return tuple(
        dict.fromkeys(each for block in first_blocks(markdown) for each in _of_block(block, markdown, title))
    )


def _of_block(block: Block, markdown: str, title: str) -> Iterator[Deadline]:
    above = tuple(each for each in block.headings if each != title)
    own = block.wholes[-1] if block.kind in ("list", "table") else block.own
    spans = zip(block.spans[:-1], block.wholes[:-1], strict=True)
    lead = shown(" ".join(markdown[slice(*span)] for span, whole in spans if whole != own))
    start, end = (
        max(block.around[0], own[0] - NEAR_CHARACTERS),
        min(block.around[1], own[1] + NEAR_CHARACTERS),
    )
    is_extended = bool(_EXTENDED.search(markdown[start:end]))
    sentences = [("", shown(each), False) for told in told_sentences(block, markdown) for each in told]
    for heads, text, is_headed in (*sentences, *_texts(block, markdown[slice(*own)], lead)):
        if len(text) > MOST_CHARACTERS:
            continue
        groups = [
            (group, is_due) for group in day_groups(text) for is_due in _reading(text, group, is_headed)
        ]
        if not groups:
            continue
        told = [group for group, _ in groups]
        year = _year(text)
        days = resolved(text, told, year) if year else None
        yield Deadline(
            above=above,
            lead=lead,
            heads=heads,
            text=text,
            dates=tuple(_bold(text, group) for group in told),
            last=days[-1][1] if days else None,
            is_due=any(is_due for _, is_due in groups),
            is_certain=not is_extended and bool(days or not year) and all(each.days for each in told),
        )


def _texts(block: Block, text: str, lead: str) -> Iterator[tuple[str, str, bool]]:
    """The items or rows of a block, each with the heads of a table; True where one of these says
    that it tells deadlines."""
    if block.kind == "table" and (table := read_table(text)):
        for row in table.rows:
            yield from _row_texts(row, table.header)
    elif block.kind == "list" and DUE.search(lead) and (dates := _only_dates(text)):
        yield "", f"{lead} {', '.join(dates)}", False
    elif block.kind == "list":
        yield from (("", shown(BULLET.sub("", text[slice(*item)])), False) for item in rows(text, "list"))


def _row_texts(row: Cells, header: Cells) -> Iterator[tuple[str, str, bool]]:
    """A row with one date as a whole; of one with several the cells below a head of deadlines."""
    dated = [at for at, cell in enumerate(row) if day_groups(cell)]
    if len(dated) == 1:
        yield "\n".join(header), " – ".join(filter(None, row)), bool(_HEAD.search(header[dated[0]]))
        return
    label = ", ".join(cell for at, cell in enumerate(row) if cell and at not in dated)
    for at in dated:
        if _HEAD.search(header[at]):
            yield "", f"{label} – {header[at]}: {row[at]}", True


def _only_dates(text: str) -> list[str]:
    """The items of a list of nothing but dates."""
    items = [shown(BULLET.sub("", text[start:end])) for start, end in rows(text, "list")]
    groups = [day_groups(item) for item in items]
    is_all = all(
        len(found) == 1 and found[0].end - found[0].start == len(item)
        for found, item in zip(groups, items, strict=True)
    )
    return items if is_all else []


def _reading(text: str, group: DayGroup, is_headed: bool) -> Iterator[bool]:
    """How the days of a group are a deadline, if they are: False for a limit, True for days of payment."""
    before = text[: group.start]
    if _CONDITION.search(before):
        return
    is_range = any(each.first != each.last for each in group.days)
    if is_headed or is_range or _BEFORE.search(before) or _BETWEEN.search(before):
        yield False
    elif DUE.search(text) and not _OPEN.search(f"{before} {text[group.start :][:5]}"[: len(before) + 1]):
        yield True


def _bold(text: str, group: DayGroup) -> Span:
    """Where the days stand, without the preposition before them and the point that ends the sentence."""
    told = _PREPOSITION.sub("", text[group.start : group.end])
    point = _POINT.search(told)
    return group.end - len(told), group.end - bool(point)


def _year(text: str) -> int | None:
    years = set(YEAR.findall(text))
    told = "".join(years) if len(years) == 1 else ""
    return int(told) if told.isdigit() else None
