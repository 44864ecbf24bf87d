"""Reads the opening hours that a page gives, from its tables, lists and sentences.

A text is read only where every word between its days and times is known, and where it says that something is
open: in its heading, or itself. What restricts the hours in other words ("except", "usually", "in the
holidays") is left to the reader. In doubt there are none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from app.features.facts.hours import OpeningHours, Rule, conflicts
from app.features.facts.hours_rules import Reading, read_days, read_rules, read_spans
from app.features.facts.hours_words import Word, hours_words
from app.search.analysis import without_targets
from ingest.blocks import Block, blocks
from ingest.sentences import sentences

CACHED_PAGES: Final = 256
NAME_CHARACTERS: Final = 60
MOST_LINES: Final = 40
"""Of the hours of one thing; more are of many."""

_HEADING: Final = re.compile(
    r"(?:öffnungs|sprech|service|geschäfts|besuchs|kassen|telefon|bade|annahme|schalter|büro)zeit"
    r"|sprechstunde|\bopening (?:hours|times)|\b(?:office|business|visiting|service)? ?hours\b"
    r"|\bgeöffnet\b|\bwhen we are open",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:geöffnet|offen|öffnet|erreichbar|erreichen|besetzt|open|opens|staffed|available|reach(?:ed|able)?)\b"
    r"|sprechzeit|sprechstunde|öffnungszeit|opening hours",
    re.IGNORECASE,
)
_PHONE: Final = re.compile(
    r"telefon|\btel\b|hotline|rufnummer|besetzt|switchboard|telephone|\blines\b|phone|\bcall\b", re.IGNORECASE
)
_RESTRICTED: Final = re.compile(
    r"\b(?:nicht|kein\w*|außer\w*|ausgenommen|ferien\w*|gewöhnlich|meist\w*|in der regel|dürfen|darf|muss"
    r"|müssen|einlass|kassenschluss|wahl\w*|wenn|falls|halteverbot|ruhezeit\w*|vereinbarung|beginn\w*"
    r"|termine?|except|unless|not|no|usually|admission|must|if|(?-i:may)|school holidays?|course)\b",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(
    r"(?=.*\b(?:geschlossen|schlie(?:ß|ss)\w*|geänderte\w*|abweichend\w*|closed|closes|changed)\b)"
    r"(?=.*(?:\d{1,2}\.\s?(?:\d{1,2}\.|\w{3,9})|\b\d{1,2}(?:st|nd|rd|th)?\s[A-Z][a-z]{2,8}\b|ferien\b"
    r"|weihnacht|jahreswechsel|ostern|feiertag|christmas|easter|holidays?\b))",
    re.IGNORECASE | re.DOTALL,
)
_SEASON: Final = re.compile(r"(?=.*\b(?:saison|season)\b)(?=.*\d)", re.IGNORECASE | re.DOTALL)

_ROW_END: Final = re.compile(r"(?<!\\)\|")
_ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_DELIMITERS: Final = re.compile(r"^[\s|:-]+$")
_EMPHASIS: Final = re.compile(r"[*_`\\]")


@lru_cache(maxsize=CACHED_PAGES)
def page_hours(markdown: str) -> tuple[OpeningHours, ...]:
    """Return the opening hours in the content of a page, in its order."""
    found: list[OpeningHours] = []
    for block in blocks(markdown):
        own = markdown[slice(*block.own)]
        is_titled = bool(_HEADING.search(" ".join((*block.headings[-1:], block.before(markdown)))))
        read = _table if block.kind == "table" else _lines
        for name, text, rules in read(block, own, markdown, is_titled):
            hours = OpeningHours(
                rules=tuple(rules),
                start=block.own[0],
                end=block.own[1],
                name=name,
                text=text,
                is_phone=bool(_PHONE.search(f"{name} {text}")),
            )
            found.append(hours)
    return tuple(_with_doubts(_merged(found, markdown), markdown))


def _merged(found: Sequence[OpeningHours], markdown: str) -> Iterator[OpeningHours]:
    """Lines below each other with the same name are hours of one thing; none where they contradict."""
    together: dict[tuple[tuple[int, int], str, str], list[OpeningHours]] = {}
    around = {block.own: block.around for block in blocks(markdown)}
    for each in found:
        together.setdefault((around[each.start, each.end], each.name, each.text), []).append(each)
    for parts in together.values():
        if len(parts) <= MOST_LINES and not conflicts([part.rules for part in parts]):
            rules = tuple(rule for part in parts for rule in part.rules)
            yield replace(parts[0], rules=rules, end=parts[-1].end)


def _with_doubts(found: Iterator[OpeningHours], markdown: str) -> Iterator[OpeningHours]:
    """The hours; those that a dated sentence of the page may change are not certain on a day."""
    told = sentences(markdown)
    has_exceptions = any(map(_EXCEPTION.match, told))
    has_season = any(map(_SEASON.match, told))
    for each in found:
        yield replace(each, is_dated=has_exceptions or (has_season and each.is_seasonal))


def _lines(
    block: Block, own: str, markdown: str, is_titled: bool
) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    """Name, sentence and rules of each line or sentence. Lines of a titled block have no sentence."""
    for line in own.splitlines():
        plain = _plain(_ITEM.sub("", line))
        for text in sentences(plain) if block.kind == "text" else (plain,):
            words = hours_words(text)
            reading = read_rules(words)
            if not reading.rules or reading.is_unclear or reading.spans or _RESTRICTED.search(text):
                continue
            name = _name(text, words, reading)
            if is_titled and name is not None:
                yield name, "", reading.rules
            elif reading.has_units and _OPEN.search(text) and not _date_in(words):
                yield "", text, reading.rules


def _name(text: str, words: Sequence[Word], reading: Reading) -> str | None:
    """What stands before the hours of a line, up to a colon; ``None`` if something else does, or between or
    behind them."""
    if any(at > reading.first for at in reading.unknown):
        return None
    if not reading.unknown:
        return ""
    before, colon, _ = text[: words[reading.first].start].rpartition(":")
    is_name = colon and len(before) <= NAME_CHARACTERS and words[reading.unknown[-1]].start < len(before)
    return before.strip() if is_name else None


def _date_in(words: Sequence[Word]) -> bool:
    return any(word.kind == "date" for word in words)


def _table(
    block: Block, own: str, markdown: str, is_titled: bool
) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    """Name and rules of each column of a table with a row for each day, or of each row of one with a column
    for each day."""
    header = _cells(block.before(markdown).splitlines()[-2:])
    rows = _cells(own.splitlines())
    top = header[0] if header else ()
    if not rows or len({len(row) for row in (*rows, *header)}) != 1:
        return
    if not (
        is_titled or any(map(_HEADING.search, top)) or any("Uhr" in cell for row in rows for cell in row)
    ):
        return
    columns = [read_days(hours_words(cell)) for cell in top[1:]]
    if columns and all(columns):
        for row in rows:
            yield from _named(row[0], columns, row[1:])
        return
    days = [read_days(hours_words(row[0])) for row in rows]
    if all(days):
        for at in range(1, len(rows[0])):
            yield from _named(top[at] if len(top) > at else "", days, [row[at] for row in rows])


def _named(
    name: str, days: Sequence[frozenset[int]], cells: Sequence[str]
) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    told = [(on, cell) for on, cell in zip(days, cells, strict=True) if any(map(str.isalnum, cell))]
    spans = [read_spans(hours_words(cell)) for _, cell in told]
    known = [each for each in spans if each is not None]
    if len(known) == len(spans) and any(known):
        rules = [Rule(days=on, spans=at) for (on, _), at in zip(told, known, strict=True)]
        if not conflicts([(rule,) for rule in rules]):
            yield ("" if _HEADING.search(name) else name[:NAME_CHARACTERS]), "", rules


def _cells(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of the rows of a table."""
    rows = [line.strip() for line in lines if "|" in line and not _DELIMITERS.match(line)]
    return [tuple(_plain(cell).strip() for cell in _ROW_END.split(row.strip("|"))) for row in rows]


def _plain(markdown: str) -> str:
    return _EMPHASIS.sub("", without_targets(markdown)).strip()
