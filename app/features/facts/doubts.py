"""Finds out when a page's opening hours may not apply, because a sentence says so in words that are not
parsed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours, Rule
from app.features.facts.hours_phrases import between
from app.features.facts.hours_rules import read_rules
from app.features.facts.hours_words import Word, hours_words, months, normalised, words_of
from app.search.analysis import without_targets

CACHED_SENTENCES: Final = 4_096
"""Sentences of a page, each of which is asked for several times."""

_CLOSED: Final = re.compile(
    r"\b(?:geschlossen|schlie(?:ß|ss)\w*|betriebsferien|bis auf weiteres|geändert\w*"
    r"|entf(?:ä|a)ll\w*"
    r"|abweichend\w*|vorübergehend|zurzeit|derzeit|\w*ferien|kein\w* (?:betrieb|publikumsverkehr|sprech\w*)"
    r"|closed|closes|closing|closure|temporar\w+|until further notice|(?:bleibt|hat|haben|ist)\b.*\bzu"
    r"|(?:betriebs|kollektiv)urlaub|(?:wir|team|büro|amt|praxis)\b.*\burlaub|ab sofort|eingestellt|aufgelöst"
    r"|dissolved|shut|(?:we|staff|team)\b.*\b(?:on holiday|on leave|away)|with immediate effect)\b",
    re.IGNORECASE,
)
_THESE_DAYS: Final = re.compile(
    r"\b(?:heute|(?:diese|kommende|nächste)[rn]? (?:tage|woche|monat)\w*|monatsende|jahresende|bis ende"
    r"|today|(?:this|next) (?:week|month)|end of the (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_LIMITS: Final = re.compile(
    r"\b(?:nur|erst|bereits|schon|nicht|kein\w*|niemand|leider|krank\w*|no|not|nobody|only|sorry|until|noon|\w*öffn\w*"
    r"|opens?|offen|zu|\d+ ?(?:uhr|[ap]m))\b",
    re.IGNORECASE,
)
_BEFORE_CLOSING: Final = re.compile(
    r"\b(?:vor|before) (?:\w+ )?(?:schlie(?:ß|ss)(?:ung|en)|closing)\b", re.IGNORECASE
)
_DATED: Final = re.compile(
    r"öffn|offen|\bopen|\bclos|saison|season|sprech(?:zeit|stunde)|betrieb|service|urlaub|holiday|besetzt|erreichbar"
    r"|niemand|nobody|no one|\bfür (?:sie|euch|dich) da\b|\b(?:fällt|fallen)\b.*\baus\b|dienstfrei|\bfrei\b"
    r"|personalversammlung|ausflug|inventur|training day|unavailable|unattended|unstaffed|staffed|away\b"
    r"|\bgilt\b|\bgelten\b|\bappl(?:y|ies)\b|\bzu\W*$"
    r"|\b(?:nur|erst|bereits|schon|only)\b.*\d\s?(?:uhr|[ap]\.?m\b)",
    re.IGNORECASE,
)
"""Words about being open or attended, or about a change of it."""

_WEEKDAY: Final = re.compile(
    r"(montag)|(dienstag)|(mittwoch)|(donnerstag)|(freitag)|(samstag|sonnabend)|(sonntag)", re.IGNORECASE
)
_SHORT_WEEKDAY: Final = re.compile(
    r"\b(?:(M[oO])|(D[iI])|(M[iI])|(D[oO])|(F[rR])|(S[aA])|(S[oO]))\b(?=\.?(?:[\s,;:/+&)–—-]|$))"
)
_ENGLISH_WEEKDAY: Final = re.compile(
    r"\b(?:(mon)|(tue)|(wed)|(thu)|(fri)|(sat)|(sun))(?:[a-z]*days?)?\b", re.IGNORECASE
)
_TO_DAY: Final = re.compile(r"[^\d.!?]{0,30}?(?:\b(?:bis|to|through|thru|until|till)\b|[–—-])[^\d.!?]{0,30}")
"""Between the first and the last weekday of a range."""

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
    r"ferien|holidays?\b|zurzeit|derzeit|weiteres|further notice|temporar"
    r"|\bkw\b|kalenderwoche|woche (?:vom|ab|nach)|\bweek (?:of|from|beginning|\d)"
    r"|\bfor \w+ (?:days|weeks|months)|\b\w+ (?:tage|wochen|monate) lang|\bfür \w+ (?:tage|wochen|monate)"
    r"|\b(?:wurden?|worden|has been|have been|was|were)\b.*\b(?:geschlossen|closed)"
    r"|dauerhaft|endgültig|für immer|permanently|for good|eingestellt|aufgelöst|aufgegeben|ausgezogen"
    r"|moved out|dissolved"
    r"|[a-z](?<! is)(?<! are)(?<! be)(?<! remain)(?<! remains)(?<! stays) closed (?:on|in) .*\b20\d\d",
    re.IGNORECASE,
)
_SINCE: Final = "ab|seit|vom|von|nach|mit|since|from|after|starting|beginning|effective|as of"
_UP_TO: Final = "bis|zum|per|vor|until|till|through|before|by"
_BEFORE_DATE: Final = (
    r"\s(?:(?:zum|dem|den|the|einschließlich)\s)?(?:[^\W\d_]{2,10}\.?,?\s(?:(?:den|dem|the)\s)?)?"
    r"(?:\d{1,2}(?:\.|st|nd|rd|th)?\s(?:of\s)?)?$"
)
_OPEN_START: Final = re.compile(rf"(?<!\d\.\s)(?<!\d\s)(?<!th\s)\b(?:{_UP_TO}){_BEFORE_DATE}", re.IGNORECASE)
"""Precedes the first day that a sentence names, if it ends something."""

_OPEN_END: Final = re.compile(rf"\b(?:{_SINCE}){_BEFORE_DATE}", re.IGNORECASE)
"""Precedes a day from which something holds."""

_TO_DATE: Final = re.compile(r"\b(?:bis|to|until|till|through|thru)\b|[–—-]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\b(?:zwischen|between)\b", re.IGNORECASE)
_LONG_AGO: Final = re.compile(r"\b(?:1[5-9]\d\d|20[01]\d)\b")
_UNREAD_DATE: Final = re.compile(
    r"\bkw\s?\d|kalenderwoche|\bweek \d|\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b"
    r"|(?:^|\b(?:am|vom|ab|bis|zum|den|dem|seit|und)\s)\d{1,2}\.(?:0?[1-9]|1[0-2])(?![.\d]|\s?(?:uhr|h\b|€|euro|[–-]|bis))",
    re.IGNORECASE,
)
"""Dates in forms that :mod:`hours_words` does not know."""

_PUBLIC_HOLIDAYS: Final = re.compile(r"\b(?:public|bank)\s+holidays?", re.IGNORECASE)
_EMPHASIS: Final = re.compile(r"[_`\\]|(?<![(*])\*+|\*+(?![)*])")
"""Stars alone in brackets are the mark of a note."""


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


@lru_cache(maxsize=CACHED_SENTENCES)
def doubtful_months(sentence: str, *, is_near: bool = False) -> frozenset[int]:
    """Return the months with days that a sentence names and on which hours may differ.

    All months if they differ from or until a single day, or if something is closed and the sentence names
    neither a day nor school holidays. Closing on weekdays only is no doubt if that is understood.
    ``is_near``: the sentence stands with the hours, so any day that it names counts.
    """
    is_closed = _CLOSED.search(_BEFORE_CLOSING.sub("", sentence)) or _is_of_these_days(sentence)
    is_near = is_near and not _LONG_AGO.search(sentence)
    is_told = is_near or _DATED.search(sentence)
    if "|" in sentence or not (is_closed or is_told):
        return frozenset()
    text = normalised(plain(sentence))
    words = hours_words(text)
    feasts = [found for feast, found in (*_FEASTS, *_SCHOOL_HOLIDAYS) if feast.search(sentence)]
    is_dated, is_unread = has_date(words), bool(_UNREAD_DATE.search(text))
    is_special = bool(feasts) or is_dated or is_unread
    if not (is_closed or is_dated or is_unread or (is_near and feasts)) or (
        _closes_weekly(words) and not is_special
    ):
        return frozenset()
    rest = _PUBLIC_HOLIDAYS.sub("", sentence)
    for holidays, _ in _SCHOOL_HOLIDAYS:
        rest = holidays.sub("", rest)
    dates = [word for word in words if word.kind in ("month", "date") and _month_of(word.text)]
    if is_unread or _ALWAYS.search(rest) or _is_of_these_days(sentence) or _has_open_end(text, dates):
        return ALL_MONTHS
    if not (dates or feasts):
        return frozenset() if named_weekdays(sentence) else ALL_MONTHS
    return _months_between(text, dates).union(*feasts)


def _is_of_these_days(sentence: str) -> bool:
    """Return True if a sentence limits hours at a time that only its readers know, such as "this week"."""
    return bool(_THESE_DAYS.search(sentence) and _LIMITS.search(_THESE_DAYS.sub("", sentence)))


def _has_open_end(text: str, dates: Sequence[Word]) -> bool:
    """Return True if something begins or ends on a single day."""
    is_ended = [
        bool(_TO_DATE.search(text[one.start + len(one.text) : other.start])) for one, other in pairwise(dates)
    ]
    begins = (_OPEN_END.search(text[: date.start]) for date in dates)
    return bool(dates and _OPEN_START.search(text[: dates[0].start])) or any(
        begin and not ended for begin, ended in zip(begins, [*is_ended, False], strict=False)
    )


def _months_between(text: str, dates: Sequence[Word]) -> frozenset[int]:
    """The months of these dates, and those within a range of them."""
    found = {_month_of(date.text) for date in dates}
    for one, other in pairwise(dates):
        if _BETWEEN.search(text) or _TO_DATE.search(text[one.start + len(one.text) : other.start]):
            found |= {each + 1 for each in between(_month_of(one.text) - 1, _month_of(other.text) - 1, 12)}
    return frozenset(found)


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
    """Return the weekdays that a text names in any form, such as "Freitagnachmittag", and those between the
    ends of ranges."""
    found = sorted(_weekdays(text))
    ranges = (
        between(one[2], other[2], 7)
        for one, other in pairwise(found)
        if _TO_DAY.fullmatch(text[one[1] : other[0]])
    )
    return frozenset(day for _, _, day in found).union(*ranges)


def _weekdays(text: str) -> Iterator[tuple[int, int, int]]:
    """The start, the end and the number of each weekday."""
    for pattern in (_WEEKDAY, _SHORT_WEEKDAY, _ENGLISH_WEEKDAY):
        for match in pattern.finditer(text):
            yield match.start(), match.end(), (match.lastindex or 1) - 1


def begins_with_period(sentence: str) -> bool:
    """Return True if a sentence names calendar days, a month or holidays before any weekday.

    What it says about weekdays then applies only to that period.
    """
    before = sentence[: min((start for start, _, _ in _weekdays(sentence)), default=len(sentence))]
    is_of_holidays = any(feast.search(before) for feast, _ in (*_FEASTS, *_SCHOOL_HOLIDAYS))
    return is_of_holidays or any(word.kind in ("month", "date") for word in words_of(before))
