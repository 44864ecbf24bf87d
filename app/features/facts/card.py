"""The card above an answer, as Markdown: what opening hours say about the day asked for. Pure functions.

In German and English; in other languages there is none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final

from pydantic import BaseModel, ConfigDict

from app.features.facts.asked_day import AskedDay, following
from app.features.facts.holiday_calendar import HolidayCalendar
from app.features.facts.hours import DAY_MINUTES, HOLIDAY, OpeningHours, Span, state
from app.features.facts.hours_texts import clock_text, times_text, week_lines
from app.search.languages import read_by_language

LAST_MINUTES: Final = 90
"""From this many minutes before closing on, the card counts the minutes left."""

_MARKUP: Final = re.compile(r"[\[\]<>*`\\|#]|(?<![^\W_])_|_(?![^\W_])")
PLACE_CHARACTERS: Final = 80

NEAR_DAYS: Final = 6
"""Up to this many days ahead, the weekday alone names a day; later days have their date."""


class CardTexts(BaseModel):
    """The words of cards in one language, with placeholders such as ``{time}``.

    ``told_once``: the suffix of a time that the first of two times leaves out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    weekdays: tuple[str, ...]
    each_weekday: tuple[str, ...]
    months: tuple[str, ...]
    today: str
    tomorrow: str
    date: str
    day_of_year: str
    holiday: str
    in_month: str
    every_day_in: str
    every_week: str
    times: str
    joint: str
    closed: str
    unknown: str
    open_now: str
    open_until: str
    closing: tuple[str, str]
    opens_at: str
    closed_now: str
    next: str
    hour: str
    minute: str
    told_once: str
    holidays: str
    nth: tuple[str, ...]
    together: str
    full_date: str
    from_to: str
    ahead: tuple[str, str, str]
    next_date: str
    running: str
    later_date: str
    last_date: str
    until: str
    past: str
    is_twelve_hours: bool


@cache
def card_texts() -> Mapping[str, CardTexts]:
    """Return the words of cards, by language (ISO 639-1)."""
    found = read_by_language(__package__, "card_texts")
    return {language: CardTexts.model_validate(texts) for language, texts in found.items()}


def hours_card(
    hours: Sequence[OpeningHours],
    asked: AskedDay,
    *,
    now: datetime,
    holidays: HolidayCalendar,
    language: str,
    place: str = "",
    cited: str = "",
) -> str:
    """Return a card with what the hours say about the day asked for, as Markdown.

    Empty if they do not say, or in a language without words for cards. ``now``: the site's local time,
    without a zone. ``place``: the thing that has these hours; ``cited``: the number of their source, as it
    stands in an answer.
    """
    texts = card_texts().get(language)
    if texts is None or not hours:
        return ""
    card = _Card(texts, holidays, now, language, place if len(place) <= PLACE_CHARACTERS else "", cited)
    match asked.kind:
        case "weekday" | "month":
            return card.weekly(hours, asked)
        case _:
            day = asked.day or now.date()
            is_known = any(each.on(day, holidays) is not None for each in hours)
            if not is_known and not asked.is_named:
                return card.week(hours)
            if not is_known and all(each.is_wholly_doubtful for each in hours):
                return ""
            is_unusual = holidays.is_partial(day)
            is_certain = all(each.is_certain(day, is_unusual=is_unusual) for each in hours)
            return card.day(hours, day) if is_certain else ""


@dataclass(frozen=True, slots=True)
class _Card:
    texts: CardTexts
    holidays: HolidayCalendar
    now: datetime
    language: str
    place: str
    cited: str

    def day(self, hours: Sequence[OpeningHours], day: date) -> str:
        """Return what the hours say about a day and, if it is today, about this minute."""
        is_today = day == self.now.date()
        known = [each for each in hours if each.on(day, self.holidays) is not None]
        told = [(each.name, self._day_times(each, day, is_today=is_today)) for each in known]
        opens = [self._opens(each) for each in hours] if is_today else []
        is_over = is_today and not any(self._is_open_later(each) for each in hours)
        after = min(filter(None, opens), default=None) if is_over else None
        told = told or [("", self.texts.unknown)]
        return self._markdown(self._headline(day), told, self._next(after) if after else "")

    def weekly(self, hours: Sequence[OpeningHours], asked: AskedDay) -> str:
        """Return what the hours say about weekdays or a month in any year.

        Seasonal hours are those of ``asked.month`` or, if there is none, of the month of the next such
        weekday.
        """
        parts, month = [], asked.month
        if month is None and any(each.is_seasonal for each in hours):
            month = following(self.now.date(), asked.weekdays[0]).month
        for days, weekdays in self._asked_weekdays(replace(asked, month=month)):
            told = [(each.name, self._weekly_times(each, weekdays, month)) for each in hours]
            known = [(name, times) for name, times in told if times]
            if known:
                parts.append(self._markdown(days, known))
        return "\n\n".join([*parts, *self._exceptions(hours, asked, month)] if parts else [])

    def week(self, hours: Sequence[OpeningHours]) -> str:
        """Return the hours of every week in the month of the next day that has any, and the days of the next
        week that differ; empty if something else may be about one of their days."""
        today = self.now.date()
        ahead = (today + timedelta(days=each) for each in range(7))
        known = [day for day in ahead if any(each.on(day, self.holidays) is not None for each in hours)]
        month = (known or [today])[0].month
        told: list[tuple[str, str]] = []
        for each in hours:
            lines = [] if each.is_doubtful_in(month) else week_lines(each, month, self.texts)
            if not lines:
                return ""
            told += [(each.name, "; ".join(lines))] if each.name else [("", line) for line in lines]
        headline = self.texts.every_week
        if any(each.is_seasonal for each in hours):
            headline = self.texts.in_month.format(days=headline, month=self.texts.months[month - 1])
        days = {day for each in hours for rule in each.rules for day in rule.days if day != HOLIDAY}
        asked = AskedDay(kind="weekday", weekdays=tuple(sorted(days)))
        return "\n\n".join([self._markdown(headline, told), *self._exceptions(hours, asked, None)])

    def _exceptions(self, hours: Sequence[OpeningHours], asked: AskedDay, month: int | None) -> Iterator[str]:
        """Yield a card for the next of each weekday if that day differs from the usual, for example on a
        public holiday."""
        for weekday in () if asked.month else asked.weekdays:
            day = following(self.now.date(), weekday)
            is_partial = self.holidays.is_partial(day)
            weekly = [(each, each.weekly(weekday, month)) for each in hours]
            usual = [(each, spans) for each, spans in weekly if spans is not None]
            if is_partial or any(each.on(day, self.holidays) != spans for each, spans in usual):
                certain = [each for each in hours if each.is_certain(day, is_unusual=is_partial)]
                yield self.day(certain, day)

    def _asked_weekdays(self, asked: AskedDay) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield the headlines of weekdays, with the weekdays that each covers."""
        month = self.texts.months[asked.month - 1] if asked.month else ""
        if not asked.weekdays:
            yield self.texts.every_day_in.format(month=month), range(7)
        for weekday in asked.weekdays:
            days = self.texts.each_weekday[weekday]
            yield self.texts.in_month.format(days=days, month=month) if month else days, (weekday,)

    def _weekly_times(self, hours: OpeningHours, weekdays: Sequence[int], month: int | None) -> str:
        """Return the times that all these weekdays share; empty if they differ or are unknown."""
        first, *others = {hours.weekly(weekday, month) for weekday in weekdays}
        is_doubtful = (month or self.now.month) in hours.doubtful
        is_doubtful = is_doubtful or not hours.doubtful_days.isdisjoint(weekdays)
        return "" if first is None or others or is_doubtful else self._times(first)

    def _day_times(self, hours: OpeningHours, day: date, *, is_today: bool) -> str:
        spans = hours.on(day, self.holidays) or ()
        times = self._times(spans)
        note = self._note(hours) if is_today and spans else ""
        return f"{times} – {note}" if note else times

    def _note(self, hours: OpeningHours) -> str:
        """Return whether it is open at this minute, and until or from when."""
        texts, now = self.texts, state(hours, self.now, self.holidays)
        if not now.is_open or now.until is None:
            is_later = now.opens is not None and now.opens.date() == self.now.date()
            return texts.opens_at.format(time=self._time(now.opens)) if is_later else texts.closed_now
        left = -(-(now.until - self.now) // timedelta(minutes=1))
        if left > DAY_MINUTES:
            return texts.open_now
        if left > LAST_MINUTES:
            return texts.open_until.format(time=self._time(now.until))
        return texts.closing[left > 1].format(minutes=left)

    def _opens(self, hours: OpeningHours) -> datetime | None:
        """Return the next opening, if it is certain."""
        at = state(hours, self.now, self.holidays).opens
        if at is None:
            return None
        is_unusual = self.holidays.is_partial(at.date())
        return at if hours.is_certain(at.date(), is_unusual=is_unusual) else None

    def _is_open_later(self, hours: OpeningHours) -> bool:
        now = state(hours, self.now, self.holidays)
        return bool(now.is_open) or (now.opens is not None and now.opens.date() == self.now.date())

    def _headline(self, day: date) -> str:
        told, ahead = self._date(day), (day - self.now.date()).days
        if name := self.holidays.name(day, self.language):
            told = self.texts.holiday.format(date=told, name=name)
        return {0: self.texts.today, 1: self.texts.tomorrow}.get(ahead, "{date}").format(date=told)

    def _next(self, at: datetime) -> str:
        is_near = (at.date() - self.now.date()).days <= NEAR_DAYS
        told = self.texts.weekdays[at.weekday()] if is_near else self._date(at.date())
        return self.texts.next.format(date=told, time=self._time(at))

    def _date(self, day: date) -> str:
        weekday, month = self.texts.weekdays[day.weekday()], self.texts.months[day.month - 1]
        return self.texts.date.format(weekday=weekday, day=day.day, month=month)

    def _times(self, spans: Sequence[Span]) -> str:
        return times_text(spans, self.texts)

    def _time(self, at: datetime | None) -> str:
        return clock_text(60 * at.hour + at.minute, self.texts) if at else ""

    def _markdown(self, headline: str, told: Sequence[tuple[str, str]], after: str = "") -> str:
        """Return one line for hours without a name, otherwise a list."""
        ((name, times), *others) = told
        if not (others or name or self.place):
            return " ".join(filter(None, (f"**{headline}:** {times}.", after, self.cited)))
        lines = "\n".join(f"* {label(name)}: {times}" if name else f"* {times}" for name, times in told)
        below = f"\n\n{after} {self.cited}" if after else f" {self.cited}"
        headline = " – ".join(filter(None, (headline, label(self.place))))
        return f"**{headline}**\n\n{lines}{below}".rstrip()


def label(text: str) -> str:
    """Return a text of a page without markup, and without brackets that would look like the number of a
    source."""
    text = text.replace(" | ", " – ")  # between the title of a page and the website's name
    return " ".join(_MARKUP.sub("", text).split())


def fact_card(names: Sequence[str], listed: str, cited: str, lead: str = "") -> str:
    """Return a card with a fact of a page as Markdown.

    ``names``: of the page and what is above the fact. ``lead``: the sentence before what is ``listed``.
    ``cited``: the number of the page, as it stands in an answer.
    """
    headline = " – ".join(dict.fromkeys(filter(None, map(label, names))))
    return "\n\n".join(filter(None, (f"**{headline}**", lead, f"{listed} {cited}")))


def points(lines: Iterable[str]) -> str:
    """Return lines of Markdown as the items of a list."""
    return "\n".join(f"* {line}" for line in lines)
