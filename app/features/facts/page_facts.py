"""All facts of a page, for editors and other programs. Pure functions."""

from dataclasses import dataclass
from datetime import date

from app.features.facts.asked_dates import is_of_something
from app.features.facts.bring_lists import BringList, page_bring_lists
from app.features.facts.contacts import Contact, page_contacts
from app.features.facts.date_lists import DateList, page_dates
from app.features.facts.deadlines import Deadline, page_deadlines
from app.features.facts.hours import OpeningHours
from app.features.facts.page_hours import page_hours
from app.features.facts.price_lists import PagePrices, page_prices
from app.features.facts.schedules import Schedule, page_schedules
from app.features.facts.stated import stated_contacts, stated_hours, stated_prices
from app.search.types import IndexedPage


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """The facts of a page.

    ``prices``: those of each price table. ``bring``: lists of what to bring. ``dates``, ``deadlines``,
    ``schedules``: when things take place or are due. ``is_silent``: an editor has switched its facts off.
    """

    page: IndexedPage
    hours: tuple[OpeningHours, ...]
    prices: tuple[PagePrices, ...]
    contacts: tuple[Contact, ...] = ()
    bring: tuple[BringList, ...] = ()
    dates: tuple[DateList, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    is_silent: bool = False


def contacts_of(page: IndexedPage) -> tuple[Contact, ...]:
    """Return the contacts that the page shows, otherwise those that it states in JSON-LD."""
    return page_contacts(page.fields.get("content", ""), page.title) or stated_contacts(page)


def page_facts(page: IndexedPage, today: date, *, is_silent: bool = False) -> PageFacts:
    """Return all facts that can be read from a page. ``today``: prices of another time are left out."""
    content = page.fields.get("content", "")
    stated = stated_prices(page, today)
    return PageFacts(
        page=page,
        hours=page_hours(content) or stated_hours(page),
        prices=(*page_prices(page, today), *((PagePrices(rows=stated),) if stated else ())),
        contacts=contacts_of(page),
        bring=page_bring_lists(content, page.title),
        dates=tuple(each for each in page_dates(content, page.title) if each.dates and is_of_something(each)),
        deadlines=tuple(each for each in page_deadlines(content, page.title) if each.is_certain),
        schedules=page_schedules(content, page.title),
        is_silent=is_silent,
    )
