"""Cards with dates, deadlines and schedules, as Markdown. Pure functions.

In German and English; in other languages there are none.
"""

from datetime import date, datetime
from typing import Final

from app.features.facts.asked_dates import AskedDates, asked_dates
from app.features.facts.asked_deadline import asked_deadline
from app.features.facts.card import CardTexts, card_texts, fact_card, label, points
from app.features.facts.dates import PageDate
from app.features.facts.deadlines import Deadline
from app.features.facts.schedules import AskedCell, asked_cell
from app.search.types import IndexedPage

NEAR_DAYS: Final = 14
"""Up to this many days ahead, the card says in how many days it is."""


def date_card(question: str, language: str, page: IndexedPage, now: datetime, cited: str) -> str:
    """Return a card with the dates, the deadline or the cell of a schedule that a question in ``language``
    asks for.

    Empty if the page has none. ``now``: the site's local time, without a zone. ``cited``: the number of the
    page, as it stands in an answer.
    """
    texts = card_texts().get(language)
    if texts is None:
        return ""
    if deadline := asked_deadline(question, language, page):
        return _deadline_card(deadline, page.title, cited, texts, now.date())
    if dates := asked_dates(question, language, page, now):
        return _dates_card(dates, page.title, cited, texts, now.date())
    cell = asked_cell(question, language, page)
    return _cell_card(cell, page.title, cited) if cell else ""


def _dates_card(asked: AskedDates, title: str, cited: str, texts: CardTexts, today: date) -> str:
    off = [label(line) for line in asked.off]
    if not asked.dates:
        return fact_card((title, asked.heading), points(off), cited, label(asked.lead))
    first, *others = asked.dates
    told = [
        f"{_days(first, texts)}{_ahead(first.first, texts, today)}",
        *(_days(each, texts) for each in others),
    ]
    before = ["", *(each.rest for each in asked.dates)]
    dates = [
        f"{day} – {label(each.rest)}" if _says(each.rest) and each.rest != last else day
        for day, each, last in zip(told, asked.dates, before, strict=False)
    ]
    if asked.is_over:
        rest = [label(first.rest)] if _says(first.rest) else []
        lines = [texts.last_date.format(date=_days(first, texts)), *rest]
    else:
        text = texts.running if first.first < today else texts.next_date
        lines = [text.format(date=dates[0]), *(texts.later_date.format(date=each) for each in dates[1:])]
    return fact_card((title, asked.heading), points([*lines, *off]), cited, label(asked.lead))


def _deadline_card(deadline: Deadline, title: str, cited: str, texts: CardTexts, today: date) -> str:
    told, at = "", 0
    for start, end in deadline.dates:
        told += f"{label(deadline.text[at:start])} **{label(deadline.text[start:end])}** "
        at = end
    told = f"{told}{label(deadline.text[at:])}".replace("** ,", "**,").replace("** .", "**.").strip()
    lines = [told]
    if deadline.last is not None and deadline.form != "due":
        day, ahead = _day(deadline.last, texts), _ahead(deadline.last, texts, today)
        lines = [texts.until.format(date=f"**{day}**{ahead}"), told] if ahead or day not in told else [told]
        lines += [texts.past] if deadline.last < today else []
    lead = deadline.lead if deadline.lead.endswith(":") else ""
    return fact_card((title, *deadline.above[-1:]), points(lines), cited, lead)


def _cell_card(asked: AskedCell, title: str, cited: str) -> str:
    head = f"{label(asked.label)} – {label(asked.head)}" if asked.head else label(asked.label)
    lines = [f"{head}: **{label(asked.cell)}**", *map(label, asked.notes)]
    return fact_card((title, asked.heading), points(lines), cited)


def _days(each: PageDate, texts: CardTexts) -> str:
    first, last = (_day(day, texts) for day in (each.first, each.last))
    return f"**{first if first == last else texts.from_to.format(first=first, last=last)}**"


def _says(text: str) -> bool:
    """Return True for a text with words."""
    return any(map(str.isalpha, text))


def _day(day: date, texts: CardTexts) -> str:
    weekday, month = texts.weekdays[day.weekday()], texts.months[day.month - 1]
    return texts.full_date.format(weekday=weekday, day=day.day, month=month, year=day.year)


def _ahead(day: date, texts: CardTexts, today: date) -> str:
    days = (day - today).days
    return f" ({texts.ahead[min(days, 2)].format(days=days)})" if 0 <= days <= NEAR_DAYS else ""
