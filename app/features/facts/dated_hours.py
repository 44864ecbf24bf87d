"""Reads hours of days of the calendar: "Am 24. und 31. Dezember ist das Bad geschlossen". Pure functions.

A sentence is read as a whole or not at all.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from typing import Final

from app.features.facts.hours import LEAP_YEAR, DatedHours, MonthDay, Span
from app.features.facts.hours_rules import read_spans
from app.features.facts.hours_words import months, words_of

_MONTH: Final = "(?:" + "|".join(sorted(months(), key=len, reverse=True)) + r")\b\.?"
_FEASTS: Final = (
    (r"heilig(?:er )?abend|christmas eve", (12, 24)),
    (r"(?:1\.|ersten?r?) weihnachts(?:feier)?tag|christmas day", (12, 25)),
    (r"(?:2\.|zweiten?r?) weihnachts(?:feier)?tag|boxing day", (12, 26)),
    (r"silvester|new year['’]s eve", (12, 31)),
    (r"neujahr(?:stag)?|new year['’]s day", (1, 1)),
)
_FEAST: Final = "|".join(name for name, _ in _FEASTS)
_DAY: Final = (
    rf"(?:\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?\d{{4}}\b)?"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,\s\d{{4}}\b)?|(?:{_FEAST})(?:\s\d{{4}}\b)?"
    r"|\d{1,2}(?:\.|st|nd|rd|th)?(?![\d:]))"
)
_WEEKDAY: Final = r"(?:(?:\w+(?:tag|day)s?|mittwochs?),?\s)?"
_FROM: Final = r"(?:(?:am|an|vom|von|in der zeit vom|on|from|zum|the)\s)?"
_LINK: Final = (
    r"(?:\s?(?:,|und|sowie|and|&)\s?(?:sowie\s|and\s)?"
    r"|\s?(?:bis(?: zum| einschließlich)?|to|until|through|–|-)\s?)"
)
_GROUP: Final = re.compile(
    rf"\b{_FROM}(?P<weekday>{_WEEKDAY})(?P<days>{_DAY}(?:{_LINK}{_FROM}{_WEEKDAY}{_DAY})*)"
    rf"|\b(?P<between>zwischen weihnachten und neujahr|between christmas and new year)\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(rf"(?P<link>{_LINK}|^){_FROM}(?P<weekday>{_WEEKDAY})(?P<day>{_DAY})", re.IGNORECASE)
_TO: Final = re.compile(r"bis|to|until|through|–|-", re.IGNORECASE)
_BETWEEN: Final = ((12, 27), (12, 30))
_VERB: Final = r"(?:ist|sind|bleibt|bleiben|hat|haben|öffnet|öffnen|is|are|remains?|opens?)"
_STATE: Final = re.compile(
    rf"[\s:,]*(?:{_VERB}\b)?\s*(?P<subject>[^\d:;,]{{0,60}}?)\s*(?:{_VERB}\b)?\s*"
    r"(?:(?:ganztägig|jeweils|nur|only|auch|also|open)\s)?"
    r"(?P<state>geschlossen|closed|(?:von\s|from\s)?\d[^;]*?)\s*(?:geöffnet|offen|open|besetzt)?[\s.!,;]*",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"(?P<label>[^\d:]{1,60}):\s+(?=\S)")
_GENERAL: Final = re.compile(
    r"(?:(?:\w*(?:öffnungs|sprech)zeiten|opening (?:hours|times))(?: (?:an|zu|über|zwischen|im|at|over) .*)?"
    r"|(?:wichtiger )?hinweis\w*|achtung|bitte beachten(?: sie)?|weihnachten|feiertage|zwischen den jahren"
    r"|note|please note|christmas|holidays|wir|we)?",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_ARTICLES: Final = frozenset({"das", "der", "die", "unser", "unsere", "the", "our"})


@dataclass(frozen=True, slots=True)
class DatedSentence:
    """The hours that a sentence tells, and the words for what they are of, empty if it has none."""

    hours: tuple[DatedHours, ...]
    subject: str = ""

    def is_about(self, heading: str) -> bool:
        """True if a heading has every word of the subject but an article, alone or as the end of a compound:
        the café in the pool is not the pool."""
        subject = tuple(word for word in _WORD.findall(self.subject.casefold()) if word not in _ARTICLES)
        words = _WORD.findall(heading.casefold())
        return bool(subject) and all(any(word.endswith(each) for word in words) for each in subject)


def read_dated(sentence: str) -> DatedSentence | None:
    """Return what a sentence without markup says of days of the calendar; ``None`` if it says anything else,
    too, or nothing of them."""
    label = _LABEL.match(sentence)
    label = None if label and _dated_groups(label[0]) else label
    subject = "" if not label or is_general(label["label"]) else label["label"]
    text = sentence[label.end() :].strip() if label else sentence.strip()
    groups = _dated_groups(text)
    if not groups:
        return None
    if len(groups) == 1:
        states = [f"{text[: groups[0].start()]} {text[groups[0].end() :]}"]
    elif text[: groups[0].start()].strip():
        return None
    else:
        ends = [*(each.start() for each in groups[1:]), len(text)]
        states = [text[each.end() : end] for each, end in zip(groups, ends, strict=True)]
    found: list[DatedHours] = []
    for group, said in zip(groups, states, strict=True):
        state = _STATE.fullmatch(said)
        days, spans = _days(group), _spans(state["state"]) if state else None
        if state is None or spans is None or not days or (subject and state["subject"]):
            return None
        subject = subject or ("" if is_general(state["subject"]) else state["subject"])
        found += (DatedHours(first=first, last=last, year=year, spans=spans) for first, last, year in days)
    return DatedSentence(tuple(found), subject)


def named_days(sentence: str) -> list[DatedHours]:
    """Return the days of the calendar that a sentence without markup names, whatever it says of them."""
    days = (day for group in _dated_groups(sentence) for day in _days(group))
    return [DatedHours(first=first, last=last, year=year) for first, last, year in days]


def is_general(label: str) -> bool:
    """True for a label or heading that names nothing but notes on days."""
    return bool(_GENERAL.fullmatch(label.strip()))


def _dated_groups(text: str) -> list[re.Match[str]]:
    """The days beside each other that are named, of which one at least has a month."""
    return [
        group
        for group in _GROUP.finditer(text)
        if group["between"] or any(_month_day(each["day"]) for each in _ONE.finditer(group["days"]))
    ]


def _spans(state: str) -> tuple[Span, ...] | None:
    return read_spans(words_of(state))


def _days(group: re.Match[str]) -> list[tuple[MonthDay, MonthDay, int | None]]:
    """From and to of each part, and the year of the first; none if one of them is no day, or a certain
    weekday of a year that is not named."""
    if group["between"]:
        return [(*_BETWEEN, None)]
    told = list(_ONE.finditer(group["days"]))
    read = [_month_day(each["day"]) for each in told]
    years = [_year(each["day"]) for each in told]
    for at in range(len(told) - 2, -1, -1):  # "24. und 31. Dezember"
        following, number = read[at + 1], re.match(r"\d+", told[at]["day"])
        if read[at] is None and following and number:
            read[at], years[at] = (following[0], int(number[0])), years[at + 1]
    days = [each for each in read if each and _is_day(*each)]
    if len(days) < len(told):
        return []
    found: list[tuple[MonthDay, MonthDay, int | None]] = []
    for at, each in enumerate(told):
        if _TO.search(each["link"]) and found:
            first, _, year = found.pop()
            ends = years[at]
            begins = ends - (days[at] < first) if ends and not year else year
            found.append((first, days[at], begins))
        else:
            found.append((days[at], days[at], years[at]))
    weekdays = [group["weekday"] or told[0]["weekday"], *(each["weekday"] for each in told[1:])]
    is_of_one_year = any(day and year is None for day, year in zip(weekdays, years, strict=True))
    return [] if is_of_one_year else found


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(LEAP_YEAR, month)[1]


def _month_day(text: str) -> MonthDay | None:
    for name, day in _FEASTS:
        if re.match(name, text, re.IGNORECASE):
            return day
    if figures := re.match(r"(\d{1,2})\.\s?(\d{1,2})\.", text):
        return int(figures[2]), int(figures[1])
    name = next((word for word in re.findall(r"[^\W\d_]+", text) if word.casefold() in months()), "")
    number = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    return (months()[name.casefold()], int(number[0])) if name and number else None


def _year(text: str) -> int | None:
    found = re.search(r"\d{4}", text)
    return int(found[0]) if found else None
