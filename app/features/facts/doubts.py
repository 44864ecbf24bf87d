"""Finds out when a page's opening hours may not apply, because a sentence says so in words that are not
parsed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours, Rule
from app.features.facts.hours_rules import read_rules
from app.features.facts.hours_words import Word, hours_words, months, normalised, words_of
from app.search.analysis import without_targets

_CLOSED: Final = re.compile(
    r"\b(?:geschlossen|schlie(?:ß|ss)\w*|betriebsferien|bis auf weiteres|geändert\w*"
    r"|entf(?:ä|a)ll\w*"
    r"|abweichend\w*|vorübergehend|zurzeit|derzeit|\w*ferien|kein\w* (?:betrieb|publikumsverkehr|sprech\w*)"
    r"|closed|closes|closing|closure|temporar\w+|until further notice|(?:bleibt|hat|haben|ist)\b.*\bzu)\b",
    re.IGNORECASE,
)
_BEFORE_CLOSING: Final = re.compile(
    r"\b(?:vor|before) (?:\w+ )?(?:schlie(?:ß|ss)(?:ung|en)|closing)\b", re.IGNORECASE
)
_DATED: Final = re.compile(r"öffn|offen|\bopen|saison|season|sprechzeit|betrieb|service", re.IGNORECASE)
_WEEKDAY: Final = re.compile(
    r"(montag)|(dienstag)|(mittwoch)|(donnerstag)|(freitag)|(samstag|sonnabend)|(sonntag)", re.IGNORECASE
)
_SHORT_WEEKDAY: Final = re.compile(r"\b(?:(Mo)|(Di)|(Mi)|(Do)|(Fr)|(Sa)|(So))\b(?=\.?\s)")
_ENGLISH_WEEKDAY: Final = re.compile(
    r"\b(?:(mon)|(tue)|(wed)|(thu)|(fri)|(sat)|(sun))(?:[a-z]*days?)?\b", re.IGNORECASE
)
_FEASTS: Final = (
    (re.compile(r"weihnacht|jahreswechsel|christmas|new year", re.IGNORECASE), frozenset((12, 1))),
    (re.compile(r"heiligabend|silvester", re.IGNORECASE), frozenset((12,))),
    (re.compile(r"neujahr", re.IGNORECASE), frozenset((1,))),
    (re.compile(r"\bostern|osterm|karfreitag|\beaster|good friday", re.IGNORECASE), frozenset((3, 4))),
)
_SCHOOL_HOLIDAYS: Final = (
    (re.compile(r"weihnachtsferien|christmas (?:school )?holidays", re.IGNORECASE), frozenset((12, 1))),
    (re.compile(r"(?:winter|faschings)ferien", re.IGNORECASE), frozenset((1, 2, 3))),
    (re.compile(r"osterferien|easter (?:school )?holidays", re.IGNORECASE), frozenset((3, 4))),
    (re.compile(r"pfingstferien", re.IGNORECASE), frozenset((5, 6))),
    (re.compile(r"sommerferien|summer (?:school )?holidays", re.IGNORECASE), frozenset((6, 7, 8, 9))),
    (re.compile(r"herbstferien", re.IGNORECASE), frozenset((10, 11))),
)
"""School holidays with the months that they fall in somewhere in Germany."""

_ALWAYS: Final = re.compile(
    r"ferien|holidays?\b|zurzeit|derzeit|weiteres|further notice|temporar", re.IGNORECASE
)
_OPEN_END: Final = re.compile(
    r"\b(?:ab|seit|bis|since|from|until|till)\s(?:(?:zum|dem|the)\s)?(?:\d{1,2}(?:\.|st|nd|rd|th)?\s(?:of\s)?)?$",
    re.IGNORECASE,
)
"""Precedes the only day that a sentence names."""

_PUBLIC_HOLIDAYS: Final = re.compile(r"\b(?:public|bank)\s+holidays?", re.IGNORECASE)
_EMPHASIS: Final = re.compile(r"[*_`\\]")


def closed_days(sentence: str) -> frozenset[int]:
    """Return the weekdays on which a sentence says that something is closed, if it says nothing else."""
    words = words_of(plain(sentence))
    reading = read_rules(words)
    is_weekly = not reading.is_unclear and not has_date(words)
    is_closed = reading.rules and not is_open(reading.rules) and is_weekly
    return frozenset[int]().union(*(rule.days for rule in reading.rules)) if is_closed else frozenset()


def without_days(closed: frozenset[int], hours: OpeningHours) -> OpeningHours | None:
    """Return the hours, without holidays if a sentence closes on those.

    ``None`` if a sentence closes, perhaps something else, on another day on which these hours are open.
    ``closed``: the days that sentences close on.
    """
    known = closed - {HOLIDAY}
    for rule in hours.rules:
        if rule.spans and any(hours.weekly(day, min(rule.months)) for day in rule.days & known):
            return None
    if HOLIDAY not in closed or any(HOLIDAY in rule.days and not rule.spans for rule in hours.rules):
        return hours
    rules = (replace(rule, days=rule.days - {HOLIDAY}) for rule in hours.rules)
    return replace(hours, rules=tuple(rule for rule in rules if rule.days))


def doubtful_months(sentence: str) -> frozenset[int]:
    """Return the months with days that a sentence names and on which hours may differ.

    All months if they differ from or until a single day, or if something is closed and the sentence names
    neither a day nor school holidays. Closing on weekdays only is no doubt if that is understood.
    """
    is_closed, is_dated = _CLOSED.search(_BEFORE_CLOSING.sub("", sentence)), _DATED.search(sentence)
    if "|" in sentence or not (is_closed or is_dated):
        return frozenset()
    text = normalised(plain(sentence))
    words = hours_words(text)
    feasts = [found for feast, found in (*_FEASTS, *_SCHOOL_HOLIDAYS) if feast.search(sentence)]
    is_special = bool(feasts) or has_date(words)
    if not (is_closed or has_date(words)) or (_closes_weekly(words) and not is_special):
        return frozenset()
    rest = _PUBLIC_HOLIDAYS.sub("", sentence)
    for holidays, _ in _SCHOOL_HOLIDAYS:
        rest = holidays.sub("", rest)
    dates = [word for word in words if word.kind in ("month", "date") and _month_of(word.text)]
    if _ALWAYS.search(rest) or (len(dates) == 1 and _OPEN_END.search(text[: dates[0].start])):
        return ALL_MONTHS
    if not (dates or feasts):
        return frozenset() if named_weekdays(sentence) else ALL_MONTHS
    ends = [_month_of(word.text) for word in (*dates[:1], *dates[-1:])]
    between = range(ends[0], ends[0] + (ends[1] - ends[0]) % 12 + 1) if ends else range(0)
    return frozenset((number - 1) % 12 + 1 for number in between).union(*feasts)


def _closes_weekly(words: Sequence[Word]) -> bool:
    """Return True if these words are understood from the first day or time to the last, or only close on
    holidays."""
    reading = read_rules(words)
    is_of_holidays = all(rule.days == {HOLIDAY} and not rule.spans for rule in reading.rules)
    is_known = reading.is_whole or (is_of_holidays and not has_date(words))
    return bool(reading.rules) and is_known and not (reading.is_unclear or reading.spans)


def _month_of(date: str) -> int:
    """The month of a name or of a numeric date; 0 if it is neither."""
    parts = date.replace(" ", "").split(".")
    number = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else months().get(date.casefold(), 0)
    return number if number in ALL_MONTHS else 0


def is_open(rules: Sequence[Rule]) -> bool:
    """Return True if some rule has opening times."""
    return any(rule.spans for rule in rules)


def has_date(words: Sequence[Word]) -> bool:
    """Return True if a calendar day is named."""
    return any(word.kind == "date" for word in words)


def plain(markdown: str) -> str:
    """Return a text without the markup of links and emphasis."""
    return _EMPHASIS.sub("", without_targets(markdown)).strip()


def named_weekdays(text: str) -> frozenset[int]:
    """Return the weekdays that a text names in any form, such as "Freitagnachmittag"."""
    patterns = (_WEEKDAY, _SHORT_WEEKDAY, _ENGLISH_WEEKDAY)
    found = (match.lastindex for pattern in patterns for match in pattern.finditer(text))
    return frozenset(number - 1 for number in found if number)


def begins_with_period(sentence: str) -> bool:
    """Return True if a sentence names calendar days, a month or holidays before any weekday.

    What it says about weekdays then applies only to that period.
    """
    patterns = (_WEEKDAY, _SHORT_WEEKDAY, _ENGLISH_WEEKDAY)
    starts = (match.start() for pattern in patterns for match in pattern.finditer(sentence))
    before = sentence[: min(starts, default=len(sentence))]
    is_of_holidays = any(feast.search(before) for feast, _ in (*_FEASTS, *_SCHOOL_HOLIDAYS))
    return is_of_holidays or any(word.kind in ("month", "date") for word in words_of(before))
