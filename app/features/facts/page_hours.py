"""Reads the opening hours that a page gives, from its tables, lists and sentences.

A text is read only where every word between its days and times is known, and where it says that something is
open: in its heading, or itself. What restricts the hours in other words ("except", "usually", "in the
holidays") is left to the reader. In doubt there are none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile, zip_longest
from typing import Final

from app.features.facts.hours import ALL_MONTHS, OpeningHours, Rule, Span, conflicts
from app.features.facts.hours_rules import (
    Reading,
    read_days,
    read_months,
    read_rules,
    read_spans,
    read_time,
    span_between,
)
from app.features.facts.hours_words import Word, hours_words, months
from app.search.analysis import without_targets
from ingest.blocks import Block, blocks
from ingest.sentences import sentences

CACHED_PAGES: Final = 64
NAME_CHARACTERS: Final = 60
MOST_CHARACTERS: Final = 1_000
"""Of a sentence or line; longer ones are not read."""

MOST_LINES: Final = 40
"""Of the hours of one thing; more are of many."""

_HEADING: Final = re.compile(
    r"\b(?!\w*(?:abfuhr|abhol|arbeit|bring|fahr|gottesdienst|kern|kurs|liefer|park|probe|ruhe|sperr|training|warte))"
    r"\w*zeiten\b|sprechstunde|\bopening times|(?<!quiet )(?<!working )(?<!rush )\bhours\b|\bgeöffnet\b"
    r"|\bwhen we are open",
    re.IGNORECASE,
)
_NO_OPENING: Final = re.compile(
    r"kurs|training|proben?\b|gottesdienst|messe\b|halteverbot|abfuhr|leerung|sammlung|ruhezeit|termine\b|treff"
    r"|programm|veranstaltung|führung|liefer|unterricht|fahrplan|abfahrt|bringzeit|abholzeit|arbeitszeit"
    r"|\bclass(?:es)?\b|course|lesson|rehears|service times|quiet|parking|collection|events?\b|tours?\b"
    r"|what.s on|timetable|working|worship|departures",
    re.IGNORECASE,
)
"""Headings of times that are no opening hours."""

_OPEN: Final = re.compile(
    r"\b(?:geöffnet|offen|öffnet|erreichbar|erreichen|besetzt|open|opens|staffed|available|reach(?:ed|able)?)\b"
    r"|sprechzeit|sprechstunde|öffnungszeit|opening hours|\bgeschlossen\b|\bclosed\b",
    re.IGNORECASE,
)
_PHONE: Final = re.compile(
    r"telefon|\btel\b|hotline|rufnummer|besetzt|switchboard|telephone|\blines\b|phone|\bcall\b", re.IGNORECASE
)
_RESTRICTED: Final = re.compile(
    r"\b(?:nicht|kein\w*|außerhalb|ferien\w*|gewöhnlich|meist\w*|in der regel|dürfen|darf|muss"
    r"|müssen|einlass|kassenschluss|wahl\w*|wenn|falls|halteverbot|ruhezeit\w*|vereinbarung|beginn\w*"
    r"|termine?|anfang|mitte|ende|mid|early|late|unless|not|no|usually|admission|must|if|(?-i:may)"
    r"|school holidays?|course)\b",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(
    r"(?=.*\b(?:geschlossen|schlie(?:ß|ss)\w*|geänderte\w*|abweichend\w*|closed|closes|changed)\b)"
    r"(?=.*(?:\d{1,2}\.\s?(?:\d{1,2}\.|\w{3,9})|\b\d{1,2}(?:st|nd|rd|th)?\s[A-Z][a-z]{2,8}\b|ferien\b"
    r"|weihnacht|jahreswechsel|ostern|christmas|easter|(?<!public )(?<!bank )holidays?\b))",
    re.IGNORECASE | re.DOTALL,
)
_FEASTS: Final = (
    (re.compile(r"weihnacht|jahreswechsel|christmas|new year", re.IGNORECASE), frozenset((12, 1))),
    (re.compile(r"\bostern|\beaster", re.IGNORECASE), frozenset((3, 4))),
)
_ANY_TIME: Final = re.compile(r"ferien|(?<!public )(?<!bank )\bholidays?\b", re.IGNORECASE)
_SEASON: Final = re.compile(r"(?=.*\b(?:saison|season)\b)(?=.*\d)", re.IGNORECASE | re.DOTALL)

_ASIDE: Final = re.compile(
    r"\([^()]*\b(?:kasse|einlass|eintritt|küche|admission|entry|kitchen|last)\b[^()]*\)", re.IGNORECASE
)
_SHORT_DAY: Final = re.compile(
    r"\b(Mo|Di|Mi|Do|Fr|Sa|So|Mon|Tue|Tues|Wed|Thu|Thurs|Fri|Sat|Sun)\.(?=\s*[\d,/+&-]|\su)"
)
"""The point does not end a sentence."""

_CLOCK: Final = re.compile(r"\d\s*(?:[:.]\s?\d\d|Uhr|[–-]\s?\d|[ap]\.?m\b)", re.IGNORECASE)
_ROW_END: Final = re.compile(r"(?<!\\)\|")
_ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_DELIMITERS: Final = re.compile(r"^[\s|:-]+$")
_EMPHASIS: Final = re.compile(r"[*_`\\]")


_Parts = dict[tuple[tuple[int, int], str, str], list[OpeningHours]]
"""Hours of the same section, name and sentence."""


@lru_cache(maxsize=CACHED_PAGES)
def page_hours(markdown: str) -> tuple[OpeningHours, ...]:
    """Return the opening hours in the content of a page, in its order."""
    found: list[OpeningHours] = []
    for block in blocks(markdown):
        section = _Section.of(block, markdown)
        read = _table if block.kind == "table" else _lines
        for name, text, rules in read(block, markdown, section):
            hours = OpeningHours(
                rules=section.of_months(rules),
                start=block.own[0],
                end=block.own[1],
                name=name,
                text=text,
                is_phone=bool(_PHONE.search(f"{name} {text}")),
            )
            found.append(hours)
    return tuple(_with_doubts(_merged(found, markdown), markdown))


@dataclass(frozen=True, slots=True)
class _Section:
    """What stands above a block. ``is_titled``: it is about hours; ``is_other``: about times of another kind;
    ``name``: of what the hours are, where the heading names that; ``months``: in which they hold."""

    is_titled: bool
    is_other: bool
    name: str
    months: frozenset[int]

    @classmethod
    def of(cls, block: Block, markdown: str) -> "_Section":
        heading, lead = "".join(block.headings[-1:]), block.before(markdown)
        outer, months = "".join(block.headings[-2:-1]), read_months(hours_words(heading))
        titled = f"{heading} {lead}"
        is_titled = bool(_HEADING.search(titled) or (months and _HEADING.search(outer)))
        is_other = bool(_NO_OPENING.search(" ".join((*block.headings, lead))))
        has_name = not is_titled and len(block.headings) > 1
        return cls(is_titled, is_other, heading[:NAME_CHARACTERS] if has_name else "", months)

    def of_months(self, rules: Iterable[Rule]) -> tuple[Rule, ...]:
        """The rules, those of every month in those of the section alone."""
        if not self.months:
            return tuple(rules)
        return tuple(
            replace(rule, months=self.months) if rule.months == ALL_MONTHS else rule for rule in rules
        )


def _merged(found: Sequence[OpeningHours], markdown: str) -> Iterator[OpeningHours]:
    """Lines below each other with the same name are hours of one thing; none where they contradict, or where
    the text around them says something else of some months."""
    together: _Parts = {}
    around = {block.own: block.around for block in blocks(markdown)}
    for each in found:
        parts = together.setdefault((around[each.start, each.end], each.name, each.text), [])
        if not (each.text and parts):  # the lead of a list that is cut stands before each part
            parts.append(each)
    for (section, _, text), parts in _with_closed(together).items():
        lines = [part.rules for part in parts if part.text == text]
        if len(parts) <= MOST_LINES and not conflicts(lines):
            rules = tuple(rule for part in parts for rule in part.rules)
            hours = replace(parts[0], rules=rules, end=parts[-1].end)
            if text or hours.is_seasonal or not _names_months(markdown[slice(*section)]):
                yield hours


def _with_closed(together: _Parts) -> _Parts:
    """The hours; sentences that only say when it is closed belong to the only hours of their section."""
    closed = {key for key in together if key[2] and not any(r.spans for p in together[key] for r in p.rules)}
    of_section: dict[tuple[int, int], list[tuple[tuple[int, int], str, str]]] = {}
    for key in together.keys() - closed:
        of_section.setdefault(key[0], []).append(key)
    found = {key: parts for key, parts in together.items() if key not in closed}
    for key in closed:
        if len(others := of_section.get(key[0], [])) == 1:
            found[others[0]] = [*found[others[0]], *together[key]]
    return found


def _names_months(text: str) -> bool:
    """True if a section says something of months that was not read as hours."""
    return any(word.kind == "month" for word in hours_words(text))


def _with_doubts(found: Iterator[OpeningHours], markdown: str) -> Iterator[OpeningHours]:
    """The hours, with the months in which a sentence of the page names days that may differ."""
    told = [sentence for sentence in sentences(markdown) if len(sentence) <= MOST_CHARACTERS]
    exceptions = frozenset[int]().union(*(_months_of(each) for each in told if _EXCEPTION.match(each)))
    if any(map(_closes_between, told)):
        exceptions = ALL_MONTHS
    season = frozenset[int]().union(*(_months_of(each) for each in told if _SEASON.match(each)))
    for each in found:
        yield replace(each, doubtful=exceptions | season if each.is_seasonal else exceptions)


def _closes_between(sentence: str) -> bool:
    """True if it is closed for some hours: "closed on Wednesdays from 2 pm"."""
    words = [word for word in hours_words(sentence) if word.kind != "glue"]
    return any(
        following.kind == "time" and following.has_unit
        for at, word in enumerate(words)
        if word.kind == "closed"
        for following in takewhile(lambda each: each.kind in ("days", "time", "from"), words[at + 1 :])
    )


def _months_of(sentence: str) -> frozenset[int]:
    """The months of the days that a sentence names; all if it names school holidays or no month."""
    words = hours_words(sentence)
    named = [number for word in words if word.kind in ("month", "date") and (number := _month_of(word.text))]
    feasts = [months for feast, months in _FEASTS if feast.search(sentence)]
    if _ANY_TIME.search(sentence) or not (named or feasts):
        return ALL_MONTHS
    first, last = named[0] if named else 1, named[-1] if named else 0
    between = range(first, first + (last - first) % 12 + 1) if named else range(0)
    return frozenset((number - 1) % 12 + 1 for number in between).union(*feasts)


def _month_of(date: str) -> int:
    """The month of a name, or of a day in figures; 0 if it is none."""
    parts = date.replace(" ", "").split(".")
    number = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else months().get(date.casefold(), 0)
    return number if number in ALL_MONTHS else 0


def _lines(block: Block, markdown: str, section: _Section) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    """Name, sentence and rules of each line or sentence. Lines of nothing but hours have no sentence."""
    lead = block.before(markdown).splitlines()
    for line in (*lead, *markdown[slice(*block.own)].splitlines()):
        plain = _SHORT_DAY.sub(r"\1", _plain(_ITEM.sub("", _ASIDE.sub("", line))))
        for text in sentences(plain) if line in lead or block.kind == "text" else (plain,):
            if len(text) > MOST_CHARACTERS:
                continue
            words = hours_words(text)
            reading = read_rules(words)
            if not reading.rules or reading.is_unclear or reading.spans or _RESTRICTED.search(text):
                continue
            name = _name(text, words, reading)
            if name is not None and not section.is_other and (section.is_titled or section.name):
                yield name or section.name, "", reading.rules
            elif _is_told(reading) and _OPEN.search(text) and not _date_in(words):
                yield "", text, reading.rules


def _name(text: str, words: Sequence[Word], reading: Reading) -> str | None:
    """What stands before the hours of a line, up to a colon; ``None`` if something else does, or between or
    behind them."""
    if any(at > reading.first or words[at].kind == "date" for at in reading.unknown):
        return None
    if not reading.unknown:
        return ""
    before, colon, _ = text[: words[reading.first].start].rpartition(":")
    is_name = colon and len(before) <= NAME_CHARACTERS and words[reading.unknown[-1]].start < len(before)
    return before.strip() if is_name else None


def _is_told(reading: Reading) -> bool:
    """True if times are told as such, or none at all: it is closed."""
    return reading.has_units or not any(rule.spans for rule in reading.rules)


def _date_in(words: Sequence[Word]) -> bool:
    return any(word.kind == "date" for word in words)


def _table(block: Block, markdown: str, section: _Section) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    """Name and rules of each column of a table with a row for each day, or of each row of one with a column
    for each day; none where one column has times that are not understood."""
    header, rows = _header(block.before(markdown)), _cells(markdown[slice(*block.own)].splitlines())
    if not rows or len({len(row) for row in (*rows, *filter(None, (header,)))}) != 1 or section.is_other:
        return
    has_clock = bool(section.name) or any("Uhr" in cell for row in rows for cell in row)
    if not (section.is_titled or any(map(_HEADING.search, header)) or has_clock):
        return
    columns = [read_days(hours_words(cell)) for cell in header]
    if columns and all(columns):
        for row in rows:
            yield from _named(section.name, columns, row)
    elif columns[1:] and all(columns[1:]):
        for row in rows:
            yield from _named(row[0], columns[1:], row[1:])
    else:
        yield from _by_day(header, rows)


def _by_day(
    header: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[str, str, Sequence[Rule]]]:
    days = [read_days(hours_words(row[0])) for row in rows]
    if not all(days) or len(rows) > MOST_LINES:
        return
    if spans := _from_and_to(rows):
        yield "", "", [Rule(days=on, spans=at) for on, at in zip(days, spans, strict=True)]
        return
    columns = [[row[at] for row in rows] for at in range(1, len(rows[0]))]
    read = [list(_named(name, days, cells)) for name, cells in zip_longest(header[1:], columns, fillvalue="")]
    if all(found or not any(map(_CLOCK.search, cells)) for found, cells in zip(read, columns, strict=True)):
        for found in read:
            yield from found


def _from_and_to(rows: Sequence[Sequence[str]]) -> list[tuple[Span, ...]]:
    """The times of rows that have one column for when it opens and one for when it closes; else none."""
    found = []
    for row in rows:
        times = [read_time(hours_words(cell)) for cell in row[1:]]
        if len(times) != 2 or times[0] is None or times[1] is None:
            return []
        if (span := span_between(times[0], times[1])) is None:
            return []
        found.append(span)
    return found


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


def _header(before: str) -> tuple[str, ...]:
    """The cells of the header that a table is read with."""
    found = _cells(before.splitlines()[-2:])
    return found[0] if found else ()


def _cells(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of the rows of a table."""
    rows = [line.strip() for line in lines if "|" in line and not _DELIMITERS.match(line)]
    return [tuple(_plain(cell).strip() for cell in _ROW_END.split(row.strip("|"))) for row in rows]


def _plain(markdown: str) -> str:
    return _EMPHASIS.sub("", without_targets(markdown)).strip()
