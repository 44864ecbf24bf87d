"""Facts that a page states in JSON-LD, in the vocabulary of schema.org. Pure functions.

The page's text takes precedence. Stated hours and prices count only if the text says nothing of that kind; a
stated number or address only if the text has none, or the same one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from app.chat.text.render import contact_links
from app.features.facts import signs
from app.features.facts.calendar_notes import READ_CHARACTERS
from app.features.facts.contact_lines import POSTAL, plain_line
from app.features.facts.contacts import Contact
from app.features.facts.doubts import has_date, named_weekdays
from app.features.facts.hours import DAY_MINUTES, DAYS, OpeningHours, Rule, Span
from app.features.facts.hours_words import words_of
from app.features.facts.price_lists import PriceRow
from app.features.facts.price_tables import PRICE
from app.search.types import IndexedPage
from ingest.types import JSON_LD

CACHED_TEXTS: Final = 64
SAME_DIGITS: Final = 6
"""Telephone numbers are the same if their last digits are, so that a country code does not matter."""

_CLOCK: Final = re.compile(r"(\d{1,2}):(\d\d)(?::\d\d)?")
_AMOUNT: Final = re.compile(r"\d{1,6}(?:\.\d{1,2})?")
_MONEY: Final = re.compile(
    r"[€£$]|\b(?:eur|euros?|cents?|chf|sfr|franken|dollars?|usd|pounds?|gbp)\b|\bfr\.\s?\d|koste|preis|gebühr"
    r"|entgelt|gratis|\bfrei(?:er?|en)? eintritt|eintritt\w* (?:ist |sind )?frei|\bfree\b|\bprice|\bcosts?\b"
    r"|\bfees?\b|\bfare|\bcharge|admission",
    re.IGNORECASE,
)
"""In texts that say something of prices."""

_UNTIL: Final = ("priceValidUntil", "validThrough", "availabilityEnds")
_FROM: Final = ("validFrom", "availabilityStarts")
_RANGE: Final = frozenset({"lowPrice", "highPrice", "minPrice", "maxPrice"})
_PLACE: Final = re.compile(
    r"(?:\b[A-ZÄÖÜ][\w.'’-]+|(?i:str\.|stra(?:ß|ss)e|weg|platz|allee|gasse))\s\d{1,3}\s?[a-z]?\b"
    r"(?!\s?(?:[:%€–]|\.\s?\d|-\s?\d|(?i:uhr|euro|jahre?|prozent|days?|years?|hours?|[ap]\.?m\b)))"
    r"|\b\d{1,3}[a-z]?,?\s(?:[A-Z]\w+\s)+(?:Street|Road|Lane|Avenue|Square|Way|Place|Court|St|Rd)\b"
    r"|(?i:umgezogen|zieh\w* (?:\w+ ){0,4}um\b|neue[rnm]? (?:adresse|anschrift|standort)|\bmov(?:ed|ing)\b"
    r"|\bmoves?\b|relocat|new (?:address|location)|adresse:|anschrift:|address:)"
)
"""In texts that say where something is, or that it moved."""

_CURRENCIES: Final = {"EUR": "€", "GBP": "£", "USD": "$", "CHF": "CHF"}

Node = Mapping[str, Any]


def stated_hours(page: IndexedPage) -> tuple[OpeningHours, ...]:
    """Return the opening hours that a page states, if its text says nothing about being open or attended."""
    if not _nodes(page) or _says_when(page.fields.get("content", "")):
        return ()
    read = ((_text(node, "name"), _rules(node)) for node, _ in _nodes(page))
    return tuple(OpeningHours(rules=rules, starts=(0,), place=name) for name, rules in read if name and rules)


@lru_cache(maxsize=CACHED_TEXTS)
def _says_when(text: str) -> bool:
    """Return True if a text may say when somebody is there: in words, or by a weekday or a time of day."""
    if len(text) > READ_CHARACTERS or any(
        sign.search(text) for sign in (signs.OPEN_OR_CLOSED, signs.TITLE, signs.ATTENDED, signs.LIMITED)
    ):
        return True
    words = words_of(text)
    is_timed = any(
        word.kind in ("days", "closed") or (word.kind == "time" and word.has_unit) for word in words
    )
    return is_timed or has_date(words) or bool(named_weekdays(text))


def stated_contacts(page: IndexedPage) -> tuple[Contact, ...]:
    """Return the contacts that a page states, without what contradicts its text."""
    nodes = _nodes(page)
    shown = _shown(page.fields.get("content", "") if nodes else "")
    found = (_contact(node, name, shown) for node, name in nodes)
    return tuple(dict.fromkeys(filter(None, found)))


def stated_prices(page: IndexedPage, today: date | None = None) -> tuple[PriceRow, ...]:
    """Return the offers that a page states, if its text says nothing of prices.

    ``today``: without the offers that do not hold on it, or may not.
    """
    text = page.fields.get("content", "")
    if PRICE.search(text) or _MONEY.search(text):
        return ()
    nodes = [each for each in _nodes(page) if today is None or _holds(each[0], today)]
    found = (_price(node, name, page.ref.language) for node, name in nodes)
    return tuple(dict.fromkeys(filter(None, found)))


def _holds(node: Node, today: date) -> bool:
    """Return True unless an offer is over, still to come, or of a time that is not understood."""
    until, begins = ([node[key] for key in keys if key in node] for keys in (_UNTIL, _FROM))
    try:
        return all(_day(each) >= today for each in until) and all(_day(each) <= today for each in begins)
    except ValueError:
        return False


def _day(value: Any) -> date:
    """Raises ``ValueError``."""
    return date.fromisoformat(str(value)[:10])


def _nodes(page: IndexedPage) -> tuple[tuple[Node, str], ...]:
    return _read(page.metadata.get(JSON_LD, ""))


@lru_cache(maxsize=CACHED_TEXTS)
def _read(said: str) -> tuple[tuple[Node, str], ...]:
    """Every object, outer ones first, with its own name or that of the nearest object around it."""
    return tuple(_within(json.loads(said), "")) if said else ()


def _within(value: Any, outer: str) -> Iterator[tuple[Node, str]]:
    if isinstance(value, dict):
        name = _text(value, "name") or outer
        yield value, name
        for inner in value.values():
            yield from _within(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _within(inner, outer)


def _text(node: Node, key: str) -> str:
    value = node.get(key)
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _rules(node: Node) -> tuple[Rule, ...]:
    """The rules of an object's hours; empty if some hold only for a limited period, or are not understood."""
    spans: dict[int, list[Span]] = {}
    for each in _list(node.get("openingHoursSpecification", [])):
        span = _span(each) if isinstance(each, dict) else None
        days = [str(day).rpartition("/")[2] for day in _list(each.get("dayOfWeek", []))] if span else []
        if span is None or not days or not set(days) <= set(DAYS):
            return ()
        for day in days:
            spans.setdefault(DAYS.index(day), []).append(span)
    if "specialOpeningHoursSpecification" in node or any(map(_overlap, spans.values())):
        return ()
    alike: dict[tuple[Span, ...], set[int]] = {}
    for weekday, times in spans.items():
        alike.setdefault(tuple(sorted(times)), set()).add(weekday)
    return tuple(Rule(days=frozenset(days), spans=times) for times, days in alike.items())


def _span(each: Node) -> Span | None:
    opens, closes = (_CLOCK.fullmatch(_text(each, key)) for key in ("opens", "closes"))
    if not opens or not closes or {"validFrom", "validThrough"} & each.keys():
        return None
    start, end = (60 * int(clock[1]) + int(clock[2]) for clock in (opens, closes))
    is_clock = start < DAY_MINUTES and end <= DAY_MINUTES and start != end
    return (start, end if end > start else end + DAY_MINUTES) if is_clock else None


def _overlap(spans: list[Span]) -> bool:
    ordered = sorted(spans)
    return any(before[1] > after[0] for before, after in pairwise(ordered))


class _Shown(NamedTuple):
    """Contact data in a text: last digits of telephone numbers, e-mail addresses, postal codes, streets."""

    phones: frozenset[str]
    mails: frozenset[str]
    postals: frozenset[str]
    places: frozenset[str]


@lru_cache(maxsize=CACHED_TEXTS)
def _shown(text: str) -> _Shown:
    plain = "\n".join(map(plain_line, text.splitlines()))
    links = [plain[start:end] for start, end, _ in contact_links(plain)]
    return _Shown(
        phones=frozenset(_digits(each) for each in links if "@" not in each),
        mails=frozenset(each.casefold() for each in links if "@" in each),
        postals=frozenset(POSTAL.findall(plain)),
        places=frozenset(found[0].casefold() for found in _PLACE.finditer(plain)),
    )


def _contact(node: Node, name: str, shown: _Shown) -> Contact | None:
    phone, mail = _text(node, "telephone"), _text(node, "email").removeprefix("mailto:")
    address = _address(node.get("address"))
    phone = phone if _digits(phone) in shown.phones or not shown.phones else ""
    mail = mail if mail.casefold() in shown.mails or not shown.mails else ""
    address = address if not shown.postals or any(postal in address for postal in shown.postals) else ""
    address = address if _is_only_place(address, shown.places) else ""
    if not name or not (phone or mail or address):
        return None
    lines = tuple(filter(None, (name, address, phone, mail)))
    return Contact(lines=lines, phone=phone, mail=mail, address=address, is_stated=True)


def _is_only_place(address: str, places: frozenset[str]) -> bool:
    """Return True if the text has no other street."""
    street = address.partition(",")[0].casefold()
    return all(street.endswith(place) for place in places)


def _digits(number: str) -> str:
    return "".join(filter(str.isdecimal, number))[-SAME_DIGITS:]


def _address(value: Any) -> str:
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    town = " ".join(filter(None, (_text(value, "postalCode"), _text(value, "addressLocality"))))
    street = _text(value, "streetAddress")
    return f"{street}, {town}" if street and town else ""


def _price(node: Node, name: str, language: str) -> PriceRow | None:
    item = node.get("itemOffered")
    label = _text(node, "name") or (_text(item, "name") if isinstance(item, dict) else "") or name
    amount, currency = str(node.get("price", "")), _CURRENCIES.get(_text(node, "priceCurrency"))
    if not _RANGE.isdisjoint(node) or not label or not currency or not _AMOUNT.fullmatch(amount):
        return None
    told = f"{float(amount):.2f} {currency}"
    return PriceRow(label, (("", told.replace(".", ",") if language == "de" else told),))
