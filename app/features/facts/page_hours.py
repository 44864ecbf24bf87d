"""Reads the opening hours on a page from its tables, lists and sentences.

A text is read only if every word between its days and times is known, and if it or its heading says that
something is open. Restrictions in other words ("except", "usually", "in the holidays") are left to the
visitor. So is a page that says anything else about being closed: its hours are doubtful. In doubt there are
none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

from app.features.facts import signs
from app.features.facts.calendar_notes import READ_CHARACTERS, calendar_notes, dated_and_doubtful
from app.features.facts.dated_hours import read_dated
from app.features.facts.doubts import (
    closed_days,
    doubtful_months,
    has_date,
    is_open,
    named_weekdays,
    plain,
    without_days,
)
from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours, Rule, Span, conflicts
from app.features.facts.hours_phrases import span_of
from app.features.facts.hours_rules import Reading, read_days, read_months, read_rules, read_spans, read_time
from app.features.facts.hours_section import NAME_CHARACTERS, HoursSection, season
from app.features.facts.hours_words import Word, hours_words, normalised, words_of
from app.features.facts.notices import (
    MOST_CHARACTERS,
    NoticedDays,
    contradicted_days,
    days_told_else,
    is_notice_name,
    is_of_some_months,
)
from app.features.facts.pipe_tables import read_cells
from ingest.blocks import Block, blocks
from ingest.text import sentences

CACHED_PAGES: Final = 64
MOST_LINES: Final = 40
"""The most lines for the hours of one thing; more belong to several things."""


class _Part(NamedTuple):
    """Hours from one line, column or sentence. ``is_besides``: in addition to others; ``doubtful``: days on
    which they are by appointment."""

    name: str
    text: str
    rules: tuple[Rule, ...]
    is_besides: bool = False
    doubtful: frozenset[int] = frozenset()


@lru_cache(maxsize=CACHED_PAGES)
def page_hours(markdown: str) -> tuple[OpeningHours, ...]:
    """Return the opening hours in the content of a page, in text order; empty if the page is very long."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    found: dict[tuple[Span, str, str], list[OpeningHours]] = {}
    besides: dict[tuple[Span, str, str], list[OpeningHours]] = {}
    sections: dict[Span, HoursSection] = {}
    for block in blocks(markdown):
        section = HoursSection.of(block, markdown)
        sections.setdefault(block.around, section)
        for part in _parts(block, markdown, section):
            told = besides if part.is_besides else found
            parts = told.setdefault((block.around, part.name, part.text), [])
            if not (part.text and parts):  # the lead of a list that is cut is repeated before each part
                parts.append(_hours(part, block, section))
    for key in besides.keys() & found.keys():
        found[key] += besides.pop(key)
    days = (rule.days for parts in besides.values() for each in parts for rule in each.rules)
    certain = _certain(found, sections, markdown, frozenset[int]().union(*days)) if found else ()
    return tuple(_of_all_seasons(certain))


def _of_all_seasons(told: Iterable[tuple[HoursSection, OpeningHours]]) -> Iterator[OpeningHours]:
    """The hours, with those below headings beside each other that name months merged as hours of one
    thing."""
    seasons: dict[object, list[OpeningHours]] = {}
    found = list(told)
    is_one_of_several = len({section.season_of or section.headings for section, _ in found}) > 1
    for section, hours in found:
        if is_one_of_several and not (hours.place or hours.text):
            hours = replace(hours, place=section.thing)  # noqa: PLW2901
        is_season = section.season_of is not None and not hours.text
        beside = (section.season_of, hours.place, hours.name) if is_season else hours
        seasons.setdefault(beside, []).append(hours)
    for each in seasons.values():
        if not conflicts([hours.rules for hours in each]):
            yield replace(
                each[0],
                rules=tuple(rule for hours in each for rule in hours.rules),
                starts=tuple(start for hours in each for start in hours.starts),
                dated=tuple(dict.fromkeys(dated for hours in each for dated in hours.dated)),
                doubtful=frozenset[int]().union(*(hours.doubtful for hours in each)),
                doubtful_days=frozenset[int]().union(*(hours.doubtful_days for hours in each)),
            )


def _certain(
    found: dict[tuple[Span, str, str], list[OpeningHours]],
    sections: Mapping[Span, HoursSection],
    markdown: str,
    besides: frozenset[int],
) -> Iterator[tuple[HoursSection, OpeningHours]]:
    """The hours with their section, the page's other remarks on days, and without those that their section
    restricts. ``besides``: days with additional hours that may belong to these."""
    told = [sentence for sentence in sentences(markdown) if len(sentence) <= MOST_CHARACTERS]
    headings = {around: section.headings for around, section in sections.items()}
    notes = calendar_notes(markdown, headings)
    noticed = {at: NoticedDays.of(above, markdown[slice(*at)]) for at, above in headings.items()}
    is_only = len({sections[around].season_of or around for around, _, _ in found}) == 1
    elsewhere = besides | days_told_else(told)
    closed = {around: _closed_days(markdown[slice(*around)], section) for around, section in sections.items()}
    own = {around for around, _, text in found if not text}
    on_all = frozenset[int]().union(
        *(days & {HOLIDAY} if around in own else days for around, days in closed.items())
    )
    others = {around: _other_days(markdown[slice(*around)], sections[around]) for around, _, _ in found}
    merged: dict[Span, list[OpeningHours]] = {}
    for around, hours in _merged(found, markdown):
        merged.setdefault(around, []).append(hours)
    for around, hours in ((around, each) for around, listed in merged.items() for each in listed):
        days = others[around]
        if days is None and not hours.text:
            continue
        section = sections[around]
        dated, doubtful = dated_and_doubtful(notes, around, section.headings, is_only=is_only)
        doubtful_days = hours.doubtful_days | (days or frozenset()) | elsewhere
        named = (each.beside(section.headings) for at, each in noticed.items() if at != around)
        doubtful_days = doubtful_days.union(contradicted_days(hours, merged[around]), *named)
        doubted = replace(hours, dated=dated, doubtful=doubtful, doubtful_days=doubtful_days)
        if certain := without_days(on_all | closed[around], doubted):
            yield section, certain


def _closed_days(text: str, section: HoursSection) -> frozenset[int]:
    """The days on which a sentence or the heading of a section says that something is closed."""
    told = (*section.headings[-1:], *sentences(text))
    return frozenset[int]().union(*map(closed_days, (each for each in told if len(each) <= MOST_CHARACTERS)))


def _parts(block: Block, markdown: str, section: HoursSection) -> Iterator[_Part]:
    if block.kind == "table":
        yield from _table(block, markdown, section)
    elif block.kind != "code":
        yield from _lines(block, markdown, section)


def _other_days(text: str, section: HoursSection) -> frozenset[int] | None:
    """The weekdays about which a section says something else, in lines that are not understood. ``None`` if
    it restricts its hours without naming a weekday, or lists hours of several things below each other."""
    days, was_read, is_label = frozenset[int](), False, False
    for line in text.splitlines():
        if "|" in line or not line.strip() or len(line) > MOST_CHARACTERS:
            continue
        cleaned = _cleaned(line)
        section = section.below(cleaned)
        for sentence in () if season(cleaned) else sentences(cleaned):
            if any(_line(sentence, section)):
                if is_label and was_read:
                    return None
                was_read, is_label = True, False
                continue
            if signs.LAST_ENTRY.search(sentence):
                continue
            named = named_weekdays(sentence)
            dated = read_dated(plain(sentence))
            if dated and not dated.subject:
                continue
            is_told = doubtful_months(sentence) or closed_days(sentence) == {HOLIDAY}
            if not named and not is_told and _restricts(sentence):
                return None
            days |= frozenset() if is_of_some_months(sentence) else named
            is_label = not named and len(sentence) <= NAME_CHARACTERS
    return days


def _restricts(sentence: str) -> bool:
    """Return True if a line limits hours to certain times, or is about some month or day."""
    kinds = {word.kind for word in words_of(sentence) if word.kind != "time" or word.has_unit}
    return bool(kinds & {"time", "month", "date", "closed"}) or bool(signs.ONLY.search(sentence))


def _hours(part: _Part, block: Block, section: HoursSection) -> OpeningHours:
    return OpeningHours(
        rules=section.of_months(part.rules),
        starts=(block.own[0],),
        place="" if part.text else section.place,
        name=part.name,
        text=part.text,
        is_phone=bool(signs.PHONE.search(f"{part.name} {part.text} {'' if part.text else section.above}")),
        doubtful_days=part.doubtful,
    )


def _merged(
    found: dict[tuple[Span, str, str], list[OpeningHours]], markdown: str
) -> Iterator[tuple[Span, OpeningHours]]:
    """The hours, with lines of the same name below each other merged as hours of one thing, and the span of
    their section. Left out if they contradict each other, or if only the text around them names months."""
    names_months: dict[Span, bool] = {}
    for (around, _, text), parts in found.items():
        rules = tuple(rule for part in parts for rule in part.rules)
        if len(parts) > MOST_LINES or conflicts([part.rules for part in parts]):
            continue
        doubtful_days = frozenset[int]().union(*(part.doubtful_days for part in parts))
        hours = replace(parts[0], rules=rules, doubtful_days=doubtful_days)
        if around not in names_months:
            names_months[around] = any(map(_names_month, sentences(markdown[slice(*around)])))
        if text or hours.is_seasonal or not names_months[around]:
            yield around, hours


def _names_month(sentence: str) -> bool:
    """Return True if a sentence names a month, unless it is one that makes hours doubtful."""
    return any(word.kind == "month" for word in words_of(sentence)) and not doubtful_months(sentence)


def _lines(block: Block, markdown: str, section: HoursSection) -> Iterator[_Part]:
    """The hours in each line or sentence. Lines with nothing but hours have no text."""
    lead = block.before(markdown).splitlines()
    for line in (*lead, *markdown[slice(*block.own)].splitlines()):
        if len(line) > MOST_CHARACTERS:
            continue
        text = _cleaned(line)
        section = section.below(text)
        for sentence in sentences(text) if line in lead or block.kind == "text" else (text,):
            yield from _line(sentence, section)


def _cleaned(line: str) -> str:
    """A line without markup and asides, and without the full stops of short weekdays, which would end a
    sentence."""
    told = signs.BY_APPOINTMENT.sub("", signs.ASIDE.sub("", line))
    return signs.SHORT_DAY.sub(r"\1", plain(signs.ITEM.sub("", told)))


def _line(sentence: str, section: HoursSection) -> Iterator[_Part]:
    text = normalised(sentence)
    words = hours_words(text)
    reading = read_rules(words)
    if not reading.is_whole or reading.is_unclear or reading.spans or signs.RESTRICTED.search(text):
        return
    rules, name = section.of_months(reading.rules), _name(text, words, reading)
    is_listed = name is not None and not section.is_other and (section.is_titled or section.place)
    is_besides = bool(signs.BESIDES.search(text))
    is_of_all_year = any(rule.months == ALL_MONTHS for rule in rules)
    if (
        rules
        and is_listed
        and not (_is_restricted(name or "") or is_notice_name(name or ""))
        and not (section.is_seasonal and is_of_all_year)
    ):
        yield _Part(name or "", "", rules, is_besides)
    elif is_open(rules) and reading.has_units and signs.OPEN.search(text) and not has_date(words):
        yield _Part("", sentence.strip(), rules, is_besides)


def _name(text: str, words: Sequence[Word], reading: Reading) -> str | None:
    """The name before the hours of a line, up to a colon; empty if there is none. ``None`` if anything else
    or a date precedes the hours, or anything follows them."""
    if any(at > reading.last or words[at].kind == "date" for at in reading.unknown):
        return None
    if not reading.unknown:
        return ""
    before, colon, _ = text[: words[reading.first].start].rpartition(":")
    is_name = colon and len(before) <= NAME_CHARACTERS and words[reading.unknown[-1]].start < len(before)
    return before.strip() if is_name else None


def _table(block: Block, markdown: str, section: HoursSection) -> Iterator[_Part]:
    """The hours of each column if the table has a row for each day, or of each row if it has a column for
    each day; empty if a column has times that are not understood."""
    header, rows = _header(block.before(markdown)), read_cells(markdown[slice(*block.own)].splitlines())
    if not rows or len({len(row) for row in (*rows, *filter(None, (header,)))}) != 1:
        return
    labelled = [row for row in (header, *rows) if len(row) == 2 and signs.TITLE.search(row[0])]
    if any(map(str.isdigit, "".join(cell for _, cell in labelled))):
        titled = replace(section, is_titled=True)
        for name, cell in labelled:
            yield from (part._replace(name=name) for part in _line(_cleaned(cell), titled))
        return
    is_titled = section.is_titled or any(map(signs.TITLE.search, header)) or section.place
    if section.is_other or section.is_seasonal or not is_titled or any(map(_is_restricted, header)):
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


def _is_restricted(name: str) -> bool:
    return bool(signs.OTHER_TIMES.search(name) or signs.SEASON.search(name))


def _by_day(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[_Part]:
    if header and read_days(words_of(header[0])):  # because Markdown tables always have a header
        header, rows = (), (header, *rows)
    days = [read_days(words_of(row[0])) for row in rows]
    if not all(days) or len(rows) > MOST_LINES:
        return
    if spans := _from_and_to(header, rows):
        yield _Part("", "", tuple(Rule(days=on, spans=at) for on, at in zip(days, spans, strict=True)))
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


def _named(name: str, days: Sequence[frozenset[int]], column: Sequence[str]) -> Iterator[_Part]:
    words = words_of(name)
    months = read_months(words)
    if not months and any(word.kind in ("month", "date") for word in words):
        return
    told = [(on, cell) for on, cell in zip(days, column, strict=True) if any(map(str.isalnum, cell))]
    spans = [read_spans(words_of(cell)) for _, cell in told]
    known = [(on, at) for (on, _), at in zip(told, spans, strict=True) if at is not None]
    unknown = [each for each, at in zip(told, spans, strict=True) if at is None]
    is_known = all(signs.APPOINTMENT.search(cell) for _, cell in unknown)
    if not is_known or not any(at for _, at in known) or _is_restricted(name):
        return
    rules = tuple(Rule(days=on, spans=at, months=months or ALL_MONTHS) for on, at in known)
    if not conflicts([(rule,) for rule in rules]):
        name = "" if months or signs.TITLE.search(name) else name[:NAME_CHARACTERS]
        yield _Part(name, "", rules, doubtful=frozenset[int]().union(*(on for on, _ in unknown)))


def _header(before: str) -> tuple[str, ...]:
    """The cells of the header above a table's rows."""
    found = read_cells(before.splitlines()[-2:])
    return found[0] if found else ()
