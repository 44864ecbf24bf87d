"""Opening hours as rules, and what they say about a day and a minute. Pure functions.

A rule gives the times for some days of the week, perhaps only in some months or, for example, on the first
Saturday of a month. Times are minutes after midnight by the local clock; times past 1,440 are on the next
day. A day that no rule covers is unknown, which is not the same as closed. A public holiday is unknown unless
a rule names holidays or every day.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations
from typing import Final

HOLIDAY: Final = 7
EVERY_DAY: Final = frozenset(range(8))
DAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "PublicHolidays",
)  # fmt: skip
"""Named as in schema.org (``DayOfWeek``)."""

ALL_MONTHS: Final = frozenset(range(1, 13))

DAY_MINUTES: Final = 1_440
LEAP_YEAR: Final = 2024
"""A year that has every day of the calendar."""

NEXT_DAYS: Final = 31
"""The next opening is looked for up to this many days ahead."""

Span = tuple[int, int]
"""Start and end in minutes after midnight; an end on the next day is more than 1,440."""

IsHoliday = Callable[[date], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Opening times on ``days`` (0 is Monday, 7 a public holiday) of ``months``.

    ``spans``: in order; empty if it is closed. ``nth``: only the nth of these weekdays in a month, -1 for the
    last; empty for all of them.
    """

    days: frozenset[int]
    spans: tuple[Span, ...] = ()
    months: frozenset[int] = ALL_MONTHS
    nth: frozenset[int] = frozenset()

    def applies_to(self, day: date, weekday: int) -> bool:
        """Return True if the rule is about ``day``, which counts as ``weekday``."""
        if weekday not in self.days or day.month not in self.months:
            return False
        return not self.nth or not self.nth.isdisjoint(_places(day))

    def reach(self) -> int:
        """Return roughly how many days of a year the rule is about."""
        return len(self.days) * len(self.months) * (len(self.nth) or 4)


def _places(day: date) -> tuple[int, int]:
    """The position of a day among the same weekdays of its month, from the start and from the end."""
    week = timedelta(days=7)
    from_end = -1
    later = day + week
    while later.month == day.month:
        from_end -= 1
        later += week
    return (day.day - 1) // 7 + 1, from_end


MonthDay = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedHours:
    """Opening times from the ``first`` to the ``last`` of some calendar days (month and day).

    ``year``: the year of the first day, or ``None`` for every year. ``spans``: empty if it is closed.
    """

    first: MonthDay
    last: MonthDay
    year: int | None = None
    spans: tuple[Span, ...] = ()

    def includes(self, day: date) -> bool:
        """Return True if this is one of the days, whatever its year."""
        at = day.month, day.day
        return self.first <= at <= self.last if self.first <= self.last else not self.last < at < self.first

    def applies_to(self, day: date) -> bool:
        """Return True if this is one of the days, in the right year."""
        begins = day.year - ((day.month, day.day) < self.first)
        return self.includes(day) and self.year in (None, begins)

    def overlaps(self, other: "DatedHours") -> bool:
        """Return True if both include the same calendar day in the same year."""
        starts = ((self, other.first), (other, self.first))
        is_same_year = None in (self.year, other.year) or self.year == other.year
        return is_same_year and any(each.includes(date(LEAP_YEAR, *first)) for each, first in starts)

    def months(self) -> frozenset[int]:
        """Return the months of these days."""
        count = (self.last[0] - self.first[0]) % 12
        return frozenset((self.first[0] - 1 + ahead) % 12 + 1 for ahead in range(count + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningHours:
    """Opening hours of one thing.

    * ``rules``: a rule about fewer days replaces what it overlaps of the others and adds to the rest
    * ``place``: the line in bold or heading above the hours if it does not say that they are hours, such as
      "Café"; else empty
    * ``name``: what distinguishes them from other hours, such as "Ohne Termin"; often empty
    * ``text``: the sentence that states them; empty for a table or list
    * ``is_phone``: True if they are the times at which somebody answers the telephone
    * ``dated``: hours of calendar days, which take precedence; no two cover the same day
    * ``doubtful``: months with days about which the page may say something else
    * ``doubtful_days``: weekdays about which the page says something else, in words that are not understood
    * ``starts``: offsets of their blocks, in characters of the page's content
    """

    rules: tuple[Rule, ...]
    starts: tuple[int, ...]
    place: str = ""
    name: str = ""
    text: str = ""
    is_phone: bool = False
    dated: tuple[DatedHours, ...] = ()
    doubtful: frozenset[int] = frozenset()
    doubtful_days: frozenset[int] = frozenset()

    def is_certain(self, day: date, *, is_unusual: bool = False) -> bool:
        """Return True if nothing else on the page may be about this day.

        ``is_unusual``: on this day many places are closed without saying so.
        """
        if any(each.includes(day) for each in self.dated):
            return any(each.applies_to(day) for each in self.dated)
        return not is_unusual and day.month not in self.doubtful and day.weekday() not in self.doubtful_days

    def is_doubtful_in(self, month: int) -> bool:
        """Return True if something else on the page may be about a day of this month that a rule names."""
        days = frozenset[int]().union(*(rule.days for rule in self.rules if month in rule.months))
        return month in self.doubtful or not self.doubtful_days.isdisjoint(days)

    @property
    def is_wholly_doubtful(self) -> bool:
        """True if something else on the page may be about every day that a rule names."""
        return all(
            rule.days - {HOLIDAY} <= self.doubtful_days or rule.months <= self.doubtful for rule in self.rules
        )

    @property
    def is_seasonal(self) -> bool:
        """True if a rule is limited to some months."""
        return any(rule.months != ALL_MONTHS for rule in self.rules)

    def on(self, day: date, is_holiday: IsHoliday) -> tuple[Span, ...] | None:
        """Return the spans in which it is open on this day, in order, or ``None`` if nothing says so."""
        for each in self.dated:
            if each.applies_to(day):
                return each.spans
        weekday = HOLIDAY if is_holiday(day) else day.weekday()
        applying = [rule for rule in self.rules if rule.applies_to(day, weekday)]
        return _open_on(applying) if applying else None

    def weekly(self, weekday: int, month: int | None = None) -> tuple[Span, ...] | None:
        """Return the spans of a weekday in an ordinary week, in ``month`` or in every month alike.

        ``None`` if the rules do not say, or if they hold only in some months or on some of these weekdays.
        """
        rules = [rule for rule in self.rules if weekday in rule.days]
        if month is not None:
            rules = [rule for rule in rules if month in rule.months]
        if not rules or any(rule.nth or (month is None and rule.months != ALL_MONTHS) for rule in rules):
            return None
        return _open_on(rules)


def _open_on(rules: Iterable[Rule]) -> tuple[Span, ...]:
    """The spans that result from rules about one day, applied from the most general to the most specific.

    Closed replaces everything before it, spans that overlap earlier ones replace them all, and other spans
    are added.
    """
    open_at: tuple[Span, ...] = ()
    for rule in sorted(rules, key=Rule.reach, reverse=True):
        replaces = not rule.spans or any(overlap(old, new) for old in open_at for new in rule.spans)
        open_at = rule.spans if replaces else tuple(sorted((*open_at, *rule.spans)))
    return open_at


def overlap(one: Span, other: Span) -> bool:
    """Return True if two spans share a minute."""
    return one[0] < other[1] and other[0] < one[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenState:
    """The state at a moment.

    ``is_open``: ``None`` if unknown. ``until``: when it closes, by the local clock. ``opens``: the next known
    opening, if it is not open.
    """

    is_open: bool | None
    until: datetime | None = None
    opens: datetime | None = None


def state(hours: OpeningHours, at: datetime, is_holiday: IsHoliday) -> OpenState:
    """Return the state at ``at``, a local time without a zone."""
    for day in (at.date() - timedelta(days=1), at.date()):
        for span in hours.on(day, is_holiday) or ():
            if _moment(day, span[0]) <= at < _moment(day, span[1]):
                return OpenState(is_open=True, until=_end(hours, _moment(day, span[1]), is_holiday))
    known = hours.on(at.date(), is_holiday) is not None
    opens = next((start for start in _openings(hours, at.date(), is_holiday) if start > at), None)
    return OpenState(is_open=False if known else None, opens=opens)


def _openings(hours: OpeningHours, first: date, is_holiday: IsHoliday) -> Iterator[datetime]:
    for ahead in range(NEXT_DAYS):
        day = first + timedelta(days=ahead)
        for start, _ in hours.on(day, is_holiday) or ():
            yield _moment(day, start)


def _end(hours: OpeningHours, end: datetime, is_holiday: IsHoliday) -> datetime:
    """The time at which it closes, counting spans that follow on without a gap as one."""
    for _ in range(NEXT_DAYS):
        following = (hours.on(end.date() - timedelta(days=back), is_holiday) or () for back in (0, 1))
        days = (end.date(), end.date() - timedelta(days=1))
        later = [
            _moment(day, until)
            for day, spans in zip(days, following, strict=True)
            for start, until in spans
            if _moment(day, start) <= end < _moment(day, until)
        ]
        if not later:
            break
        end = max(later)
    return end


def _moment(day: date, minutes: int) -> datetime:
    return datetime(day.year, day.month, day.day) + timedelta(minutes=minutes)


def conflicts(told: Sequence[Sequence[Rule]]) -> bool:
    """Return True if two of these sets of rules disagree about the same time: they belong to different
    things."""
    return any(_contradict(a, b) for one, other in combinations(told, 2) for a in one for b in other)


def _contradict(one: Rule, other: Rule) -> bool:
    if one.days.isdisjoint(other.days) or one.months.isdisjoint(other.months) or one.nth != other.nth:
        return False
    if not one.spans or not other.spans:
        return one.reach() == other.reach()
    return any(overlap(a, b) for a in one.spans for b in other.spans)
