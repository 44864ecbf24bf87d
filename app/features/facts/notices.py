"""Finds what a page announces about its opening hours beside them, in words that are not understood: lists of
closing days, notes, other hours on some days. Pure functions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from app.features.facts import signs
from app.features.facts.calendar_days import day_groups
from app.features.facts.dated_hours import read_dated
from app.features.facts.doubts import begins_with_period, doubtful_months, has_date, named_weekdays, plain
from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours, conflicts
from app.features.facts.hours_rules import read_months, read_rules
from app.features.facts.hours_section import NAME_CHARACTERS
from app.features.facts.hours_words import words_of
from ingest.text import sentences

MOST_CHARACTERS: Final = 1_000
"""The longest sentence that is read."""

_CLOSING: Final = re.compile(
    r"schließ|schliess|streik|strike|\baway\b|abwesen|geschlossen|urlaub|ferien|\bzu\W*$|ruhetag|pause\b|ausfall|ausfälle|entfällt"
    r"|betriebsruhe|heute|diese woche|\bclos(?:ed|ing|ure)|shut|holiday|vacation|\btoday\b|this week",
    re.IGNORECASE,
)
"""In headings above what says only when something is closed."""

_CHANGED: Final = re.compile(
    r"\b(?:geändert|abweich|veränder|verkürzt|reduziert|eingeschränkt|sonder|ausnahme|vorübergehend|temporär|befristet|künftig)\w*|\bneu(?:e[nrs]?)?\b"
    r"|\b(?:changed?|changes|reduced|shorter|different|special|exceptions?|exceptional|temporary|new|revised|amended|upcoming)\b",
    re.IGNORECASE,
)
_NOTICE: Final = re.compile(
    r"hinweis|wichtig|achtung|aktuell|neuigkeit|nachricht|meldung|mitteilung|bekanntmach|bitte beachten"
    r"|änderung|\binfos?\b|feiertag|weihnacht|ostern|pfingst|jahreswechsel|silvester|advent|den jahren"
    r"|\bnews\b|notice|\bnotes?\b|attention|important|\balerts?\b|updates?\b|announce|warning|please note"
    r"|christmas|easter|good to know"
    r"|\bfreie?\b|\bnicht\b|\bkein\w*|brückentag|\bleave\b|\boff\b|\bnot?\b",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(r"zeiten\b|notbetrieb|notdienst|\b(?:hours|times)\b", re.IGNORECASE)
_EVENT: Final = re.compile(
    r"termin|sitzung|veranstalt|kurs|markt|fest\b|konzert|sprechtag|frist|abgabe|wahl|abfuhr|sammlung|gebühr|preis"
    r"|meeting|events?\b|dates\b|class|market|concert|deadline|election|collection|fees?\b|prices?\b|tour",
    re.IGNORECASE,
)
"""In headings above dates that are not about opening hours."""

_BARE_CHARACTERS: Final = 30
"""A line with a date and at most so many further characters says something short of it."""

_NO_NAME: Final = re.compile(
    r"\W*(?:neu|abweichend\w*|abweichung\w*|ausnahme\w*|ausnahmsweise|aktuell\w*|achtung|(?:\w+ )?hinweise?"
    r"|wichtig\w*|infos?|update|änderung\w*|geändert\w*|sonder\w*|einschränkung\w*|jedoch|aber|bitte|heute"
    r"|diese woche|jetzt|derzeit|zurzeit|momentan|ab|seit|bis|vorübergehend|stattdessen|dagegen|nun|beachten?"
    r"|nicht|kein\w*|außer\w*"
    r"|new|exceptions?|except\w*|different\w*|currently|note|please|important|attention|change\w*|temporar\w+"
    r"|special|this week|today|now|but|however|only|instead|notice|until|from|since|not|no)\b",
    re.IGNORECASE,
)
"""Begins what stands before the colon of a line if it does not name what is open."""

_OFF: Final = re.compile(
    r"streik|\bfrei\b|\bfällt\b|abgesagt|abweichend|stattdessen|jedoch|termin|vereinbarung|telefonisch"
    r"|\bbitte\b|\bnicht\b|\bkein|verschlossen|ausflug|\bplease\b|\bnot?\b|\bnever\b"
    r"|strike|\boff\b|cancelled|no service|instead|appointment",
    re.IGNORECASE,
)
_SHUT: Final = re.compile(r"geschlossen|schlie(?:ß|ss)|\bclos|\b(?:nur|erst|only)\b", re.IGNORECASE)

Headings = tuple[str, ...]


def is_notice(headings: Headings) -> bool:
    """Return True if a heading below the page's title announces closing days, changes or notes."""
    return any(map(_announces, headings[1:] or headings))


def _announces(heading: str) -> bool:
    if _CHANGED.search(heading):
        return True
    is_else = _TIMES.search(heading) and not signs.OTHER_TIMES.search(heading)
    is_notice = is_else or _NOTICE.search(heading) or _CLOSING.search(heading)
    return bool(is_notice and not signs.TITLE.search(heading))


def is_along(headings: Headings, other: Headings) -> bool:
    """Return True if a section is the text above another, below one of its headings, or part of it.

    Sections below the title alone are part of no other.
    """
    is_above = bool(headings) and other[: len(headings)] == headings
    return is_above or (bool(other[1:]) and headings[: len(other)] == other)


def is_bare_date(sentence: str, headings: Headings) -> bool:
    """Return True for a date with hardly a word, unless a heading says that it is that of an event."""
    text = plain(sentence)
    groups = day_groups(text)
    rest = len(text) - sum(group.end - group.start for group in groups)
    return bool(groups) and rest <= _BARE_CHARACTERS and not _EVENT.search(" ".join(headings[1:]))


def is_notice_name(name: str) -> bool:
    """Return True if what stands before the hours of a line is no name, such as "Abweichend davon"."""
    return bool(_NO_NAME.match(name))


def noticed_months(sentence: str) -> frozenset[int]:
    """Return the months in which a sentence below a heading of notices makes hours doubtful.

    All months if it says when something is open but names no day.
    """
    months, words = doubtful_months(sentence, is_near=True), words_of(plain(sentence))
    if months or signs.LAST_ENTRY.search(sentence) or names_weekday(sentence):
        return months
    if any(word.kind == "month" for word in words):
        return read_months(words) or ALL_MONTHS
    is_timed = any(word.kind == "time" and word.has_unit for word in words)
    return ALL_MONTHS if is_timed and signs.OPEN_OR_CLOSED.search(sentence) else frozenset()


def is_closing_without_days(headings: Headings, section: str) -> bool:
    """Return True if a heading says that something is closed, and nothing in its section says when."""
    is_closing = bool(headings[1:] and _CLOSING.search(headings[-1]) and not signs.TITLE.search(headings[-1]))
    return is_closing and not any(map(_names_day, (headings[-1], *sentences(section))))


def _names_day(sentence: str) -> bool:
    is_dated = any(word.kind in ("date", "month") for word in words_of(plain(sentence)))
    is_feast = doubtful_months(sentence, is_near=True) not in (frozenset(), ALL_MONTHS)
    return is_dated or is_feast or names_weekday(sentence)


def names_weekday(sentence: str) -> bool:
    """Return True if a sentence names weekdays or public holidays, or groups of them such as "weekdays"."""
    return bool(named_weekdays(sentence) or any(word.kind == "days" for word in words_of(plain(sentence))))


@dataclass(frozen=True, slots=True)
class NoticedDays:
    """Weekdays that a section names below ``headings``: ``noticed`` ones in a notice, ``limited`` ones in
    sentences that limit hours."""

    headings: Headings
    noticed: frozenset[int]
    limited: frozenset[int]

    @classmethod
    def of(cls, headings: Headings, section: str) -> Self:
        """Read the weekdays of a section."""
        told = [(each, _all_weekdays(each)) for each in (*headings[1:][-1:], *sentences(section))]
        return cls(
            headings,
            noticed=frozenset[int]().union(*(days for _, days in told if is_notice(headings))),
            limited=frozenset[int]().union(*(days for each, days in told if days and _limits(each))),
        )

    def beside(self, headings: Headings) -> frozenset[int]:
        """Return the days that are doubtful in another section."""
        return self.noticed | (self.limited if is_along(self.headings, headings) else frozenset())


def _limits(sentence: str) -> bool:
    """Return True if a sentence is short, or says that something is closed or off."""
    is_limit = signs.LIMITED.search(sentence) or _SHUT.search(sentence) or _OFF.search(sentence)
    return bool(is_limit) or len(sentence) <= NAME_CHARACTERS


def _all_weekdays(sentence: str) -> frozenset[int]:
    """The weekdays in a sentence, unless they are those of calendar days or months that it names."""
    if len(sentence) > MOST_CHARACTERS:
        return frozenset()
    words = words_of(plain(sentence))
    if has_date(words) or is_of_some_months(sentence):
        return frozenset()
    groups = (word.days for word in words if word.kind == "days")
    return named_weekdays(sentence).union(*groups) - {HOLIDAY}


def days_told_else(told: Iterable[str]) -> frozenset[int]:
    """Return the weekdays of sentences that say in words that are not understood when something is open or
    closed."""
    return frozenset[int]().union(*(_limited_weekdays(each) for each in told if _says_else(each)))


def _limited_weekdays(sentence: str) -> frozenset[int]:
    """The weekdays that a sentence names, with groups such as "weekdays" if it limits hours."""
    is_limit = signs.LIMITED.search(sentence) or _SHUT.search(sentence)
    return named_weekdays(sentence) | (_all_weekdays(sentence) if is_limit else frozenset())


def _says_else(sentence: str) -> bool:
    is_line = "|" not in sentence and "\n" not in sentence.strip()
    if (
        not is_line
        or is_of_some_months(sentence)
        or not (signs.OPEN_OR_CLOSED.search(sentence) or signs.LIMITED.search(sentence))
        or read_dated(plain(sentence))
    ):
        return False
    reading = read_rules(words_of(plain(sentence)))
    return (
        not reading.rules
        or not reading.is_whole
        or reading.is_unclear
        or bool(signs.RESTRICTED.search(sentence))
    )


def is_of_some_months(sentence: str) -> bool:
    """Return True if what a sentence says about weekdays affects only the months that it names."""
    return begins_with_period(sentence) and doubtful_months(sentence) not in (frozenset(), ALL_MONTHS)


def contradicted_days(hours: OpeningHours, beside: Iterable[OpeningHours]) -> frozenset[int]:
    """Return the days for which hours beside these give other times, unless both have names.

    It is uncertain then which of them apply.
    """
    others = (
        each
        for each in beside
        if not (each.is_phone or hours.is_phone or (each.text and hours.text))
        and (signs.NO_NAME.fullmatch(each.name) or signs.NO_NAME.fullmatch(hours.name))
    )
    pairs = ((one, other) for each in others for one in hours.rules for other in each.rules)
    return frozenset[int]().union(
        *(
            one.days & other.days
            for one, other in pairs
            if one.spans != other.spans and conflicts([[one], [other]])
        )
    )
