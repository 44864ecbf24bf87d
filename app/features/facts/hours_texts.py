"""Opening hours in words: times of a day, days of a week. Pure functions."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from app.features.facts.hours import DAY_MINUTES, DAYS, OpeningHours, Span

if TYPE_CHECKING:
    from app.features.facts.card import CardTexts

LEAST_RUN: Final = 3
"""From this many consecutive days or months up, only the first and the last are shown."""

NOON_HOUR: Final = 12


def week_lines(hours: OpeningHours, month: int, texts: "CardTexts") -> list[str]:
    """Return a line for each group of days with the same hours in a ``month``: "Monday–Friday: 8 am to noon".

    Empty if no rule is about this month, or if hours depend on the week of the month.
    """
    if any(rule.nth for rule in hours.rules):
        return []
    alike: dict[tuple[Span, ...], list[int]] = {}
    for day in range(len(DAYS)):
        if (spans := hours.weekly(day, month)) is not None:
            alike.setdefault(spans, []).append(day)
    names = (*texts.weekdays, texts.holidays)
    return [f"{', '.join(runs(days, names))}: {times_text(spans, texts)}" for spans, days in alike.items()]


def times_text(spans: Sequence[Span], texts: "CardTexts") -> str:
    """Return when something is open, such as "8 am to 12 pm", or that it is closed if there are no spans."""
    return texts.joint.join(_span(*span, texts) for span in spans) if spans else texts.closed


def _span(start: int, end: int, texts: "CardTexts") -> str:
    first = clock_text(start, texts).removesuffix(texts.told_once)
    return texts.times.format(start=first, end=clock_text(end, texts))


def clock_text(minutes: int, texts: "CardTexts") -> str:
    """Return a time of day in minutes after midnight, perhaps of the next day, such as "8:30 am"."""
    hour, minute = divmod(minutes if minutes <= DAY_MINUTES else minutes - DAY_MINUTES, 60)
    form = texts.minute if minute else texts.hour
    meridiem = "pm" if NOON_HOUR <= hour < 2 * NOON_HOUR else "am"
    if texts.is_twelve_hours:
        hour = (hour - 1) % NOON_HOUR + 1
    return form.format(hour=hour, minute=f"{minute:02}", meridiem=meridiem)


def runs(numbers: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the names of sorted numbers, with ``LEAST_RUN`` or more consecutive ones as a range."""
    ends = [
        0,
        *(at for at, (one, other) in enumerate(pairwise(numbers), start=1) if other != one + 1),
        len(numbers),
    ]
    told: list[str] = []
    for start, end in pairwise(ends):
        run = [names[number] for number in numbers[start:end]]
        told += [f"{run[0]}–{run[-1]}"] if len(run) >= LEAST_RUN else run
    return told
