"""Opening hours as rules, and what they say about a day and a minute. Pure functions.

A rule says when it is open on some days, in some months, or on the first Saturday of each. Times are minutes
after midnight by the clock on the wall; past 1,440 they are of the next day. Where no rule has a day, nothing
is known of it, which is not the same as closed; and of a public holiday nothing is known unless a rule names
holidays or every day.
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
"""As schema.org names them (``DayOfWeek``)."""

ALL_MONTHS: Final = frozenset(range(1, 13))

DAY_MINUTES: Final = 1_440
LEAP_YEAR: Final = 2024
"""Has every day of the calendar."""

NEXT_DAYS: Final = 31
"""How far ahead the next opening is looked for."""

Span = tuple[int, int]
"""From and to, in minutes after midnight; what ends the next day ends after 1,440."""

IsHoliday = Callable[[date], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When it is open on ``days`` (0 is Monday, 7 a public holiday) of ``months``. ``nth``: only on the nth
    of these weekdays in a month, -1 is the last; none: on each. ``spans``: in order; none: it is closed."""

    days: frozenset[int]
    spans: tuple[Span, ...] = ()
    months: frozenset[int] = ALL_MONTHS
    nth: frozenset[int] = frozenset()

    def holds(self, day: date, weekday: int) -> bool:
        """True if the rule is about ``day``, which counts as ``weekday``."""
        if weekday not in self.days or day.month not in self.months:
            return False
        return not self.nth or not self.nth.isdisjoint(_places(day))

    def reach(self) -> int:
        """Roughly how many days of a year the rule is about."""
        return len(self.days) * len(self.months) * (len(self.nth) or 4)


def _places(day: date) -> tuple[int, int]:
    """The place of a day among the same weekdays of its month, from the beginning and from the end."""
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
    """When it is open from the ``first`` to the ``last`` of these days of a year (months and days), in every
    year or in the ``year`` of the first; no span: it is closed."""

    first: MonthDay
    last: MonthDay
    year: int | None = None
    spans: tuple[Span, ...] = ()

    def names(self, day: date) -> bool:
        """True for one of these days in any year."""
        at = day.month, day.day
        return self.first <= at <= self.last if self.first <= self.last else not self.last < at < self.first

    def holds(self, day: date) -> bool:
        """True for one of these days in its year."""
        begins = day.year - ((day.month, day.day) < self.first)
        return self.names(day) and self.year in (None, begins)

    def overlaps(self, other: "DatedHours") -> bool:
        """True if they are of some day both."""
        starts = ((self, other.first), (other, self.first))
        is_same_year = None in (self.year, other.year) or self.year == other.year
        return is_same_year and any(each.names(date(LEAP_YEAR, *first)) for each, first in starts)

    def months(self) -> frozenset[int]:
        """The months of these days."""
        count = (self.last[0] - self.first[0]) % 12
        return frozenset((self.first[0] - 1 + ahead) % 12 + 1 for ahead in range(count + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningHours:
    """Opening hours of one thing.

    ``rules``: one about fewer days replaces what it overlaps of the others and adds to the rest. ``place``:
    the heading of hours that stand below one that names no hours, such as "Café"; else empty. ``name``: what
    they are called beside others, such as "Ohne Termin", often empty. ``text``: the sentence that says so,
    empty for a table or list of hours. ``is_phone``: they say when somebody answers the telephone.
    ``dated``: those of days of the calendar, which win; no two are of one day.
    ``doubtful``: months in which the page names days on which they may not hold; ``doubtful_days``: days of
    the week on which it says something else, in words that are not understood. ``starts``: of the blocks that
    they are in, in characters of the page's content.
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
        """True if nothing else on the page may be about this day. ``is_unusual``: many are closed on it
        without saying so."""
        if any(each.names(day) for each in self.dated):
            return any(each.holds(day) for each in self.dated)
        return not is_unusual and day.month not in self.doubtful and day.weekday() not in self.doubtful_days

    @property
    def is_seasonal(self) -> bool:
        """True if some rule is about some months only."""
        return any(rule.months != ALL_MONTHS for rule in self.rules)

    def on(self, day: date, is_holiday: IsHoliday) -> tuple[Span, ...] | None:
        """When it is open on this day, in order; ``None`` where nothing says so."""
        for each in self.dated:
            if each.holds(day):
                return each.spans
        weekday = HOLIDAY if is_holiday(day) else day.weekday()
        holding = [rule for rule in self.rules if rule.holds(day, weekday)]
        return _open_on(holding) if holding else None

    def weekly(self, weekday: int, month: int | None = None) -> tuple[Span, ...] | None:
        """When it is open on a weekday of an ordinary week, in a month or in every month alike; ``None``
        where the rules do not say, or say so of some months or of some of these days only."""
        rules = [rule for rule in self.rules if weekday in rule.days]
        if month is not None:
            rules = [rule for rule in rules if month in rule.months]
        if not rules or any(rule.nth or (month is None and rule.months != ALL_MONTHS) for rule in rules):
            return None
        return _open_on(rules)


def _open_on(rules: Iterable[Rule]) -> tuple[Span, ...]:
    """The spans of rules about one day, from the most general to the most special one: closed replaces all
    before it, spans that overlap others replace them all, and those that do not are added."""
    open_at: tuple[Span, ...] = ()
    for rule in sorted(rules, key=Rule.reach, reverse=True):
        replaces = not rule.spans or any(overlap(old, new) for old in open_at for new in rule.spans)
        open_at = rule.spans if replaces else tuple(sorted((*open_at, *rule.spans)))
    return open_at


def overlap(one: Span, other: Span) -> bool:
    """True if two spans share a minute."""
    return one[0] < other[1] and other[0] < one[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenState:
    """Whether it is open at a moment: ``None`` where nobody knows. ``until``: by the clock on the wall, the
    end of what it is open for; ``opens``: the next known opening, if it is not open."""

    is_open: bool | None
    until: datetime | None = None
    opens: datetime | None = None


def state(hours: OpeningHours, at: datetime, is_holiday: IsHoliday) -> OpenState:
    """The state at ``at``, a time by the clock on the wall without a zone."""
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
    """The end of being open, where one span goes on where another ends."""
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
    """True if two of these say something else of the same time: they are hours of two things."""
    return any(_contradict(a, b) for one, other in combinations(told, 2) for a in one for b in other)


def _contradict(one: Rule, other: Rule) -> bool:
    if one.days.isdisjoint(other.days) or one.months.isdisjoint(other.months) or one.nth != other.nth:
        return False
    if not one.spans or not other.spans:
        return one.reach() == other.reach()
    return any(overlap(a, b) for a in one.spans for b in other.spans)
