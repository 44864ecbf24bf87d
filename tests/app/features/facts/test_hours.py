"""Rules of opening hours say what is open at each minute of a year."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opening_hours import OpeningHours as Independent

from app.features.facts.holiday_calendar import HolidayCalendar
from app.features.facts.hours import HOLIDAY, OpeningHours, OpenState, Rule, Span, conflicts, state

YEAR: Final = 2026
BERLIN: Final = ZoneInfo("Europe/Berlin")
DAYS: Final = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su", "PH")
HESSE: Final = HolidayCalendar("DE-HE")

MINUTES = st.integers(0, 287).map(lambda each: 5 * each)
SPANS = (
    st.lists(MINUTES, min_size=2, max_size=4, unique=True).filter(lambda each: len(each) % 2 == 0).map(sorted)
)
"""The ends of one or two spans of a day."""


def hours(*rules: Rule) -> OpeningHours:
    return OpeningHours(rules=rules, starts=(0,))


def never(_day: date) -> bool:
    return False


@given(
    week=st.dictionaries(st.integers(0, 6), SPANS, min_size=1),
    holidays=st.none() | SPANS,
    minute=st.integers(0, 365 * 1_440 - 1),
)
def test_every_minute_of_a_year_is_as_another_program_says(
    week: dict[int, list[int]], holidays: list[int] | None, minute: int
) -> None:
    """The clock is put forward and back, and holidays are those of the whole country."""
    at = (datetime(YEAR, 1, 1, tzinfo=ZoneInfo("UTC")) + timedelta(minutes=minute)).astimezone(BERLIN)
    week = week | {HOLIDAY: holidays or []}
    ours = hours(*(Rule(days=frozenset((day,)), spans=_pairs(ends)) for day, ends in week.items()))
    local = at.replace(tzinfo=None)
    assert bool(state(ours, local, _is_national).is_open) == _independent(week).is_open(at)


@cache
def _is_national(day: date) -> bool:
    return _independent({HOLIDAY: [600, 660]}).is_open(
        datetime(day.year, day.month, day.day, 10, 30, tzinfo=BERLIN)
    )


def _pairs(ends: Sequence[int]) -> tuple[Span, ...]:
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def _independent(week: dict[int, list[int]]) -> Independent:
    """The same hours as OpenStreetMap writes them. What is said of holidays comes last and replaces."""
    told = [
        f"{DAYS[day]} " + (",".join(f"{_clock(start)}-{_clock(end)}" for start, end in _pairs(ends)) or "off")
        for day, ends in sorted(week.items())
    ]
    return Independent("; ".join(told), timezone=BERLIN, country="DE")


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def test_nothing_is_known_of_days_that_no_rule_has() -> None:
    monday = hours(Rule(days=frozenset((0,)), spans=((480, 720),)))
    at = datetime(2026, 11, 24, 9)
    assert state(monday, at, never) == OpenState(is_open=None, opens=datetime(2026, 11, 30, 8))


def test_nothing_is_known_of_a_holiday_unless_a_rule_names_it() -> None:
    fridays = Rule(days=frozenset((4,)), spans=((480, 720),))
    good_friday = date(2026, 4, 3)
    assert hours(fridays).on(good_friday, HESSE) is None
    assert hours(fridays, Rule(days=frozenset((HOLIDAY,)))).on(good_friday, HESSE) == ()


def test_it_is_open_past_midnight() -> None:
    bar = hours(Rule(days=frozenset((4,)), spans=((1_080, 1_560),)))
    saturday = datetime(2026, 11, 28, 1, 59)
    assert state(bar, saturday, never).until == datetime(2026, 11, 28, 2)
    assert state(bar, saturday + timedelta(minutes=1), never).is_open is None


def test_spans_that_meet_are_one() -> None:
    split = hours(Rule(days=frozenset((1,)), spans=((480, 720), (720, 960))))
    assert state(split, datetime(2026, 11, 24, 9), never).until == datetime(2026, 11, 24, 16)


def test_a_rule_of_fewer_days_replaces_what_it_overlaps_and_adds_to_the_rest() -> None:
    daily = Rule(days=frozenset(range(7)), spans=((540, 1_200),))
    wednesday, tuesday = date(2026, 11, 25), date(2026, 11, 24)
    late = hours(daily, Rule(days=frozenset((2,)), spans=((540, 1_260),)))
    evening = hours(daily, Rule(days=frozenset((2,)), spans=((1_260, 1_320),)))
    closed = hours(daily, Rule(days=frozenset((2,))))
    assert late.on(wednesday, never) == ((540, 1_260),)
    assert evening.on(wednesday, never) == ((540, 1_200), (1_260, 1_320))
    assert closed.on(wednesday, never) == ()
    assert late.on(tuesday, never) == ((540, 1_200),)
    halves = Rule(days=frozenset(range(5)), spans=((480, 720), (840, 960)))
    assert hours(Rule(days=frozenset((2,)), spans=((480, 720),)), halves).on(wednesday, never) == (
        (480, 720),
    )


@pytest.mark.parametrize(("nth", "day"), [(1, 7), (2, 14), (4, 28), (-1, 28)])
def test_a_rule_may_be_about_one_weekday_of_a_month(nth: int, day: int) -> None:
    saturdays = hours(Rule(days=frozenset((5,)), spans=((600, 720),), nth=frozenset((nth,))))
    found = [each for each in range(1, 31) if saturdays.on(date(2026, 11, each), never)]
    assert found == [day]


def test_a_weekday_is_told_for_all_weeks_alone() -> None:
    summer = hours(Rule(days=frozenset((2,)), spans=((540, 1_200),), months=frozenset((6, 7))))
    first = hours(Rule(days=frozenset((2,)), spans=((540, 1_200),), nth=frozenset((1,))))
    assert summer.weekly(2) is None
    assert summer.weekly(2, month=7) == ((540, 1_200),)
    assert summer.weekly(2, month=8) is None
    assert first.weekly(2) is None


def test_rules_contradict_where_they_say_something_else_of_the_same_time() -> None:
    morning, noon = (Rule(days=frozenset((0,)), spans=(span,)) for span in ((480, 720), (700, 800)))
    afternoon = Rule(days=frozenset((0,)), spans=((800, 900),))
    assert conflicts([(morning,), (noon,)])
    assert conflicts([(morning,), (Rule(days=frozenset((0,))),)])
    assert not conflicts([(morning,), (afternoon,)])
    assert not conflicts([(morning, noon)])
