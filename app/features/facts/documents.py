"""The facts of a page as JSON."""

from typing import Any, Self

from app.document import Document, Sometimes
from app.features.facts.bring_lists import BringList
from app.features.facts.contacts import Contact
from app.features.facts.date_documents import DatesDocument, DeadlineDocument, ScheduleDocument
from app.features.facts.hours import ALL_MONTHS, DAY_MINUTES, DAYS, DatedHours, OpeningHours, Rule, Span
from app.features.facts.page_facts import PageFacts
from app.features.facts.price_lists import PagePrices, PriceRow


class SpanDocument(Document):
    """Start and end by the local clock; if ``closes`` is not later than ``opens``, it is on the next day."""

    opens: str
    closes: str

    @classmethod
    def of(cls, span: Span) -> Self:
        """Describe a span."""
        return cls(opens=_clock(span[0]), closes=_clock(span[1]))


class RuleDocument(Document):
    """Opening times on some days; no spans: closed. ``months``: 1 to 12, empty for all. ``nth``: only these
    of the weekdays in a month, -1 is the last; empty for all."""

    days: list[str]
    months: list[int]
    nth: list[int]
    spans: list[SpanDocument]

    @classmethod
    def of(cls, rule: Rule) -> Self:
        """Describe a rule."""
        return cls(
            days=[DAYS[day] for day in sorted(rule.days)],
            months=[] if rule.months == ALL_MONTHS else sorted(rule.months),
            nth=sorted(rule.nth),
            spans=[SpanDocument.of(span) for span in rule.spans],
        )


class DatedDocument(Document):
    """Opening times from the ``first`` to the ``last`` of some calendar days, such as ``12-24``. ``year``: of
    the first day, or null for every year. No spans: closed."""

    first: str
    last: str
    year: int | None
    spans: list[SpanDocument]

    @classmethod
    def of(cls, dated: DatedHours) -> Self:
        """Describe hours of calendar days."""
        first, last = (f"{month:02}-{day:02}" for month, day in (dated.first, dated.last))
        return cls(first=first, last=last, year=dated.year, spans=list(map(SpanDocument.of, dated.spans)))


class HoursDocument(Document):
    """Opening hours of one thing; a rule about fewer days replaces what it overlaps of the others. ``place``:
    the heading above them; ``name``: what distinguishes them from other hours. ``dated``: hours of calendar
    days, which take precedence. ``doubtful_months``, ``doubtful_days``: the page says something else about
    these, in words that are not understood."""

    place: str
    name: str
    is_phone: bool
    rules: list[RuleDocument]
    dated: list[DatedDocument]
    doubtful_months: list[int]
    doubtful_days: list[str]

    @classmethod
    def of(cls, hours: OpeningHours) -> Self:
        """Describe opening hours."""
        return cls(
            place=hours.place,
            name=hours.name,
            is_phone=hours.is_phone,
            rules=[RuleDocument.of(rule) for rule in hours.rules],
            dated=list(map(DatedDocument.of, hours.dated)),
            doubtful_months=sorted(hours.doubtful),
            doubtful_days=[DAYS[day] for day in sorted(hours.doubtful_days)],
        )


class PriceDocument(Document):
    """A row of a price table: its label, and its prices, each with the head of its column, which is empty if
    there is only one."""

    label: str
    prices: list[tuple[str, str]]

    @classmethod
    def of(cls, row: PriceRow) -> Self:
        """Describe a row."""
        return cls(label=row.label, prices=list(row.prices))


class PricesDocument(Document):
    """A price table or list: the ``headings`` above it, the sentence that leads to it, the head of the column
    of its labels (these are often empty), and its rows."""

    headings: list[str]
    lead: str
    name: str
    rows: list[PriceDocument]

    @classmethod
    def of(cls, found: PagePrices) -> Self:
        """Describe prices."""
        rows = list(map(PriceDocument.of, found.rows))
        return cls(headings=list(found.above), lead=found.lead, name=found.name, rows=rows)


class ContactDocument(Document):
    """A contact of an office. ``heading``: above it, empty if it names nothing but a contact; ``lines``: the
    page's words; ``phone``, ``mail``, ``address``, ``room``: taken from them, empty if missing.
    ``is_stated``: given in JSON-LD only."""

    heading: str
    lines: list[str]
    phone: str
    mail: str
    address: str
    room: str
    is_stated: bool

    @classmethod
    def of(cls, contact: Contact) -> Self:
        """Describe a contact."""
        return cls.from_objects(contact, lines=list(contact.lines))


class BringListDocument(Document):
    """A list of what to bring: the ``headings`` above it, the sentence that leads to it (often empty), and
    its items as Markdown."""

    headings: list[str]
    lead: str
    text: str

    @classmethod
    def of(cls, found: BringList) -> Self:
        """Describe a list."""
        return cls.from_objects(found, headings=list(found.above))


class FactsDocument(Document):
    """The facts of a page. ``is_silent``: True if an editor has switched them off. ``json_ld``: a ``Place``
    of schema.org. It has hours only if they belong to one thing, apply all year and to every such weekday,
    and nothing makes them doubtful; and contact data only if the page has exactly one contact."""

    source: str
    id: str
    language: str
    url: str
    title: str
    is_silent: bool
    opening_hours: list[HoursDocument]
    prices: list[PricesDocument]
    contacts: list[ContactDocument]
    bring: list[BringListDocument]
    dates: list[DatesDocument]
    deadlines: list[DeadlineDocument]
    schedules: list[ScheduleDocument]
    json_ld: Sometimes[dict[str, Any]] = None

    @classmethod
    def of(cls, facts: PageFacts) -> Self:
        """Describe the facts of a page."""
        return cls.from_objects(
            facts.page.ref,
            facts.page,
            is_silent=facts.is_silent,
            opening_hours=list(map(HoursDocument.of, facts.hours)),
            prices=list(map(PricesDocument.of, facts.prices)),
            contacts=list(map(ContactDocument.of, facts.contacts)),
            bring=list(map(BringListDocument.of, facts.bring)),
            dates=list(map(DatesDocument.of, facts.dates)),
            deadlines=list(map(DeadlineDocument.of, facts.deadlines)),
            schedules=list(map(ScheduleDocument.of, facts.schedules)),
            json_ld=json_ld(facts),
        )


def json_ld(facts: PageFacts) -> dict[str, Any] | None:
    """Return the opening hours and the contact of a page in the vocabulary of schema.org, or ``None`` if it
    can express neither."""
    hours = [each for each in facts.hours if len(facts.hours) == 1 and _is_plain(each)]
    contacts = [each for each in facts.contacts if len(facts.contacts) == 1]
    said: dict[str, Any] = {}
    for contact in contacts:
        said |= {key: value for key, value in _reached(contact).items() if value}
    for each in hours:
        said["openingHoursSpecification"] = _specification(each)
    if not said:
        return None
    name = "".join([*(each.place for each in hours), *(each.name for each in contacts)][:1])
    return {
        "@context": "https://schema.org",
        "@type": "Place",
        "name": name or facts.page.title,
        "url": facts.page.url,
        **said,
    }


def _reached(contact: Contact) -> dict[str, str]:
    return {"telephone": contact.phone, "email": contact.mail, "address": contact.address}


def _specification(hours: OpeningHours) -> list[dict[str, Any]]:
    return [
        {
            "@type": "OpeningHoursSpecification",
            "dayOfWeek": [DAYS[day] for day in sorted(rule.days)],
            "opens": _clock(start),
            "closes": _clock(end),
        }
        for rule in hours.rules
        for start, end in rule.spans
    ]


def _is_plain(hours: OpeningHours) -> bool:
    """Return True for hours that apply all year and have no rules that replace others."""
    days = [day for rule in hours.rules for day in rule.days]
    is_doubtful = hours.dated or hours.doubtful or hours.doubtful_days or hours.is_phone
    is_special = hours.is_seasonal or any(rule.nth for rule in hours.rules)
    return not is_doubtful and not is_special and len(days) == len(set(days))


def _clock(minutes: int) -> str:
    hour, minute = divmod(minutes % DAY_MINUTES, 60)
    return f"{hour:02}:{minute:02}"
