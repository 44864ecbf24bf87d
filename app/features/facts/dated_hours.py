"""Reads hours of calendar days: "Am 24. und 31. Dezember ist das Bad geschlossen". Pure functions.

A sentence is understood as a whole or not at all.
"""

import re
from dataclasses import dataclass
from typing import Final

from app.features.facts.calendar_days import CalendarDays, DayGroup, day_groups
from app.features.facts.hours import DatedHours, Span
from app.features.facts.hours_rules import read_spans
from app.features.facts.hours_words import words_of

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
    """The hours in a sentence, and the words for the thing that has them, empty if there are none."""

    hours: tuple[DatedHours, ...]
    subject: str = ""

    def is_about(self, heading: str) -> bool:
        """Return True if a heading has every word of the subject except articles, alone or as the end of a
        compound.

        The café in the pool is not the pool.
        """
        subject = tuple(word for word in _WORD.findall(self.subject.casefold()) if word not in _ARTICLES)
        words = _WORD.findall(heading.casefold())
        return bool(subject) and all(any(word.endswith(each) for word in words) for each in subject)


def read_dated(sentence: str) -> DatedSentence | None:
    """Return the hours of calendar days in a sentence without markup, or ``None`` if it says anything else as
    well, or nothing about them."""
    label = _LABEL.match(sentence)
    label = None if label and day_groups(label[0]) else label
    subject = "" if not label or is_general(label["label"]) else label["label"]
    text = sentence[label.end() :].strip() if label else sentence.strip()
    groups = day_groups(text)
    if not groups:
        return None
    if len(groups) == 1:
        states = [f"{text[: groups[0].start]} {text[groups[0].end :]}"]
    elif text[: groups[0].start].strip():
        return None
    else:
        ends = [*(each.start for each in groups[1:]), len(text)]
        states = [text[each.end : end] for each, end in zip(groups, ends, strict=True)]
    found: list[DatedHours] = []
    for group, said in zip(groups, states, strict=True):
        state = _STATE.fullmatch(said)
        days, spans = _days(group), _spans(state["state"]) if state else None
        if state is None or spans is None or not days or (subject and state["subject"]):
            return None
        subject = subject or ("" if is_general(state["subject"]) else state["subject"])
        found += (DatedHours(first=each.first, last=each.last, year=each.year, spans=spans) for each in days)
    return DatedSentence(tuple(found), subject)


def named_days(sentence: str) -> list[DatedHours]:
    """Return the calendar days that a sentence without markup names, whatever it says about them."""
    days = (day for group in day_groups(sentence) for day in _days(group))
    return [DatedHours(first=each.first, last=each.last, year=each.year) for each in days]


def is_general(label: str) -> bool:
    """Return True for a label or heading that says only that notes on certain days follow."""
    return bool(_GENERAL.fullmatch(label.strip()))


def _spans(state: str) -> tuple[Span, ...] | None:
    return read_spans(words_of(state))


def _days(group: DayGroup) -> tuple[CalendarDays, ...]:
    """The days of a group; empty if it gives a weekday without the year, because it then applies to one year
    only."""
    is_of_one_year = any(
        any(day is not None for day in each.weekdays) and not each.year for each in group.days
    )
    return () if is_of_one_year else group.days
