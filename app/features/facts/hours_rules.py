"""Reads rules of opening hours from the words of a sentence, line or cell."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, starmap
from typing import Final

from app.features.facts.hours import ALL_MONTHS, DAY_MINUTES, EVERY_DAY, HOLIDAY, Rule, Span, overlap
from app.features.facts.hours_phrases import days_from, months_from, next_time, span_of
from app.features.facts.hours_words import Kind, Word, month_words

NTH_REACH: Final = 5
"""The word "month" must follow "first Saturday" within this many words; otherwise it is a single Saturday."""

_CLOSED: Final = Rule(days=EVERY_DAY)


@dataclass(slots=True)
class Reading:
    """The meaning of the words of a text.

    ``rules``: with days; ``spans``: times without any. ``first``, ``last``: positions of the first and the
    last word that was understood; ``unknown``: positions of other words. ``is_unclear``: there is a time that
    is not a span, such as "from 6:30 am". ``has_units``: some time is written as one ("8 am").
    """

    rules: list[Rule] = field(default_factory=list)
    spans: tuple[Span, ...] = ()
    first: int = -1
    last: int = -1
    unknown: list[int] = field(default_factory=list)
    is_unclear: bool = False
    has_units: bool = False

    @property
    def is_whole(self) -> bool:
        """True if every word from the first to the last is understood."""
        return not any(self.first < at < self.last for at in self.unknown)


def read_rules(words: Sequence[Word]) -> Reading:
    """Read the rules of a sentence or line."""
    return _Reader(words).read()


def read_days(words: Sequence[Word]) -> frozenset[int]:
    """Return the weekdays that these words name; empty if they say anything else."""
    days, at = days_from(words, 0)
    rest = [word for word in words[at:] if word.kind != "glue"]
    return frozenset() if rest else days


def read_time(words: Sequence[Word]) -> Word | None:
    """Return the time, if these words are one time and nothing else."""
    told = [word for word in words if word.kind != "glue"]
    return told[0] if len(told) == 1 and told[0].kind == "time" else None


def read_months(words: Sequence[Word]) -> frozenset[int]:
    """Return the months that these words name among others; empty if they name none, or a calendar day."""
    places = [at for at, word in enumerate(words) if word.kind == "month"]
    if not places or any(word.kind == "date" for word in words):
        return frozenset()
    months, after = months_from(words, places[0])
    return months if places[-1] < after else frozenset()


def read_spans(words: Sequence[Word]) -> tuple[Span, ...] | None:
    """Return the times in a table cell, empty if it says closed, or ``None`` if it says anything else."""
    told = [word for word in words if word.kind != "glue"]
    if told and all(word.kind == "closed" for word in told):
        return ()
    reading = read_rules(words)
    is_else = bool(reading.unknown or reading.rules) or reading.is_unclear
    is_else |= any(starmap(overlap, combinations(reading.spans, 2)))
    return None if is_else or not reading.spans else reading.spans


class _Reader:
    """Reads word by word. Within a clause, either days precede their times or times precede their days."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._reading = Reading()
        self._days: frozenset[int] | None = None
        self._nth: frozenset[int] = frozenset()
        self._months = ALL_MONTHS
        self._named_months: set[int] = set()
        self._excepted: frozenset[int] = frozenset()
        self._outside: tuple[frozenset[int] | None, frozenset[int], frozenset[int]] | None = None
        self._is_times_first = False
        self._clause = 0
        self._goes_on = False

    def read(self) -> Reading:
        at = 0
        self._begin_clause(0)
        while at < len(self._words):
            at = self._take(at)
        self._end_clause()
        if self._excepted and self._reading.rules:
            self._reading.rules.append(Rule(days=self._excepted))
        self._reading.is_unclear |= any(starmap(_is_part, combinations(self._reading.rules, 2)))
        return self._reading

    def _take(self, at: int) -> int:
        """Read the word at this place, and those that go with it. Returns the next place."""
        word = self._words[at]
        match word.kind:
            case "days":
                return self._take_days(at, frozenset())
            case "nth":
                return self._take_nth(at)
            case "month":
                return self._take_months(at)
            case "time":
                return self._take_time(at)
            case "closed":
                return self._take_closed(at)
            case _:
                return self._take_other(word, at)

    def _take_other(self, word: Word, at: int) -> int:
        match word.kind:
            case "except":
                return self._take_exception(at)
            case "otherwise":
                self._months = ALL_MONTHS - self._named_months
                self._reading.is_unclear |= not self._named_months or not self._months
                self._reading.is_unclear |= self._next_kind(at + 1) == "closed"
                self._said(at)
            case "from":  # an open end, except in "ab 9 bis 17 Uhr"
                self._reading.is_unclear |= next_time(self._words, at + 2) is None
            case "word" | "date":
                self._reading.unknown.append(at)
                self._goes_on = False
            case _:
                self._take_sign(word.text, at)
        return at + 1

    def _take_sign(self, text: str, at: int) -> None:
        """End a clause, or enter or leave brackets: days and months in brackets apply only within them."""
        if text == ";":
            self._end_clause()
            self._begin_clause(at + 1)
        elif text == "(":
            self._outside = self._days, self._nth, self._months
        elif text == ")" and self._outside is not None and self._outside[0] is not None:
            self._days, self._nth, self._months = self._outside
            self._outside = None

    def _begin_clause(self, at: int) -> None:
        self._is_times_first = self._next_kind(at, "month") == "time"
        self._clause = len(self._reading.rules)
        self._days, self._nth = None, frozenset()

    def _end_clause(self) -> None:
        """Mark the reading unclear if there are times without days beside times with days."""
        self._reading.is_unclear |= bool(self._reading.spans and self._reading.rules)

    def _next_kind(self, at: int, *others: Kind) -> Kind | None:
        """Return the kind of the next word in the clause that is about days or times, or one of ``others``. A
        bare number is not a time."""
        for place, word in enumerate(self._words[at:], start=at):
            if word.text == ";":
                return None
            is_time = word.kind == "time" and (word.has_unit or next_time(self._words, place + 1) is not None)
            if is_time or word.kind in ("days", "closed", "nth", *others):
                return word.kind
        return None

    def _said(self, first: int, last: int | None = None) -> None:
        reading = self._reading
        reading.first = first if reading.first < 0 else reading.first
        reading.last = first if last is None else last
        self._goes_on = False

    def _take_days(self, at: int, nth: frozenset[int]) -> int:
        days, after = days_from(self._words, at)
        before = next((word for word in reversed(self._words[:at]) if word.kind != "glue"), None)
        is_beside = before is not None and before.kind == "days"  # "Mo. Di. 8-12 Uhr"
        self._reading.is_unclear |= is_beside and not days <= (self._days or days)
        self._said(at, after - 1)
        self._days, self._nth = days, nth
        if self._reading.spans:
            spans, self._reading.spans = self._reading.spans, ()
            self._reading.rules.append(self._rule(spans))
        return after

    def _take_exception(self, at: int) -> int:
        """Read days that are excepted from "every day", because it is closed on them."""
        days, after = days_from(self._words, at + 1)
        if not days or self._days is None or (self._reading.rules and not self._reading.rules[-1].spans):
            self._reading.is_unclear = True
            return at + 1
        self._said(at, after - 1)
        self._days -= days | {HOLIDAY}
        self._excepted |= days
        return after

    def _take_nth(self, at: int) -> int:
        """Read positions of a weekday in the month: "first and third Tuesday of the month"."""
        words, places = self._words, [self._words[at].number]
        day = at + 1
        while day + 1 < len(words) and words[day].kind == "and" and words[day + 1].kind == "nth":
            places.append(words[day + 1].number)
            day += 2
        later = [word.text.casefold() for word in words[day : day + NTH_REACH]]
        if day < len(words) and words[day].kind == "days" and not month_words().isdisjoint(later):
            after = self._take_days(day, frozenset(places))
            is_behind = self._next_kind(after) != "time" and not self._is_times_first
            self._reading.is_unclear |= is_behind and self._clause < len(self._reading.rules)
            return after
        self._reading.unknown.append(at)
        return at + 1

    def _take_months(self, at: int) -> int:
        """Read months. They apply to what follows in the clause, or to what precedes them if nothing does."""
        months, after = months_from(self._words, at)
        self._named_months |= months
        self._said(at, after - 1)
        rules, following = self._reading.rules, self._next_kind(after)
        before = {rule.days for rule in rules[self._clause :]}
        self._reading.is_unclear |= following == "closed" or (following is not None and len(before) > 1)
        if before and following is None:
            rules[self._clause :] = [_in_months(rule, months) for rule in rules[self._clause :]]
        else:
            self._months = months
        return after

    def _take_time(self, at: int) -> int:
        end = next_time(self._words, at + 1)
        if end is not None:
            span = span_of(self._words[at], self._words[end])
            self._reading.has_units |= self._words[at].has_unit or self._words[end].has_unit
            self._add(span, at, end)
            return end + 1
        before = self._words[at - 1] if at else None
        if before is not None and before.kind == "to" and self._reading.rules and self._days is not None:
            self._until(self._words[at].minutes, at)
        elif self._words[at].has_unit:
            self._reading.is_unclear = True
        else:
            self._reading.unknown.append(at)
        return at + 1

    def _add(self, span: Span | None, at: int, end: int) -> None:
        rules, goes_on = self._reading.rules, self._goes_on
        if span is None or (goes_on and rules and not rules[-1].spans):  # would mean closed for some hours
            self._reading.is_unclear = True
            return
        self._said(at, end)
        if self._is_times_first or (self._days is None and self._months == ALL_MONTHS):
            self._reading.spans = (*self._reading.spans, span)
        elif goes_on and rules:
            self._reading.is_unclear |= span[0] < rules[-1].spans[-1][1]
            rules[-1] = replace(rules[-1], spans=(*rules[-1].spans, span))
        else:
            rules.append(self._rule((span,)))
        self._goes_on = True

    def _until(self, minutes: int, at: int) -> None:
        """Add the last rule's hours with another end, on other days or in other months."""
        days = EVERY_DAY - {HOLIDAY} if self._days is None else self._days - {HOLIDAY}
        same = (rule for rule in reversed(self._reading.rules) if days <= rule.days)
        *kept, (start, _) = next(same, _CLOSED).spans or ((DAY_MINUTES, DAY_MINUTES),)
        if minutes <= start:
            self._reading.is_unclear = True
            return
        self._said(at)
        self._reading.rules.append(self._rule((*kept, (start, minutes))))

    def _take_closed(self, at: int) -> int:
        """Read "closed", which applies to the days before it or to the days that follow."""
        after = at + 1
        while after < len(self._words) and self._words[after].kind == "glue":
            after += 1
        following = self._words[after].kind if after < len(self._words) else None
        if following == "days" and (self._days is None or self._clause < len(self._reading.rules)):
            after = self._take_days(after, frozenset())
        elif following == "month" or self._days is None:
            self._reading.is_unclear = True
            return after
        self._said(at, after - 1)
        self._reading.rules.append(self._rule(()))
        self._goes_on = True
        return after

    def _rule(self, spans: tuple[Span, ...]) -> Rule:
        days = EVERY_DAY if self._days is None else self._days
        return Rule(days=days, spans=tuple(sorted(spans)), months=self._months, nth=self._nth)


def _is_part(general: Rule, special: Rule) -> bool:
    """Return True if a rule for fewer days replaces one of several times: whether the other times still apply
    is unknown."""
    is_special = special.days < general.days and len(special.spans) < len(general.spans)
    return is_special and any(overlap(one, two) for one in general.spans for two in special.spans)


def _in_months(rule: Rule, months: frozenset[int]) -> Rule:
    return replace(rule, months=months) if rule.months == ALL_MONTHS else rule
