"""Reads the opening hours on a page from its tables, lists and sentences.

A text is read only if every word between its days and times is known, and if it or its heading says that
something is open. Restrictions in other words ("except", "usually", "in the holidays") are left to the
visitor. So is a page that says anything else about being closed: its hours are doubtful. In doubt there are
none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from app.features.facts import signs
from app.features.facts.calendar_notes import READ_CHARACTERS, calendar_notes, dated_and_doubtful
from app.features.facts.dated_hours import read_dated
from app.features.facts.doubts import closed_days, doubtful_months, named_weekdays, plain, without_days
from app.features.facts.hours import HOLIDAY, OpeningHours, Span, conflicts
from app.features.facts.hours_lines import MOST_LINES, HoursPart, parts_of_line, parts_of_lines, placed
from app.features.facts.hours_section import NAME_CHARACTERS, HoursSection, season
from app.features.facts.hours_tables import parts_of_table
from app.features.facts.hours_words import words_of
from app.features.facts.notices import (
    MOST_CHARACTERS,
    NoticedDays,
    contradicted_days,
    days_told_else,
    is_of_some_months,
)
from ingest.blocks import Block, blocks
from ingest.text import sentences

CACHED_PAGES: Final = 64


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
            parts = told.setdefault((block.around, f"{part.place}\n{part.name}", part.text), [])
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


def _parts(block: Block, markdown: str, section: HoursSection) -> Iterator[HoursPart]:
    if block.kind == "table":
        yield from parts_of_table(block, markdown, section)
    elif block.kind != "code":
        yield from parts_of_lines(block, markdown, section)


def _other_days(text: str, section: HoursSection) -> frozenset[int] | None:
    """The weekdays about which a section says something else, in lines that are not understood. ``None`` if
    it restricts its hours without naming a weekday, or lists hours of several things below each other."""
    days, was_read, is_label = frozenset[int](), False, False
    for line, told, here in placed(text.splitlines(), section):
        for sentence in () if "|" in line or season(told) else sentences(told):
            if any(parts_of_line(sentence, replace(here, label=""))):
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


def _hours(part: HoursPart, block: Block, section: HoursSection) -> OpeningHours:
    above = "" if part.text else f"{part.place} {section.above}"
    return OpeningHours(
        rules=section.of_months(part.rules),
        starts=(block.own[0],),
        place="" if part.text else part.place or section.place,
        name=part.name,
        text=part.text,
        is_phone=part.is_phone or bool(signs.PHONE.search(f"{part.name} {part.text} {above}")),
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
