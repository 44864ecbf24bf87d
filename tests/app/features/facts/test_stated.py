"""What a page states in JSON-LD is told where its text does not say it."""

import json
import time
from dataclasses import replace
from typing import Any, Final

import pytest

from app.features.facts.documents import json_ld
from app.features.facts.page_facts import page_facts
from app.features.facts.stated import stated_contacts, stated_hours, stated_prices
from app.search.types import IndexedPage
from ingest.types import JSON_LD
from tests.app.chat.pages import page
from tests.app.features.facts.test_hours_step import answer
from tests.app.features.facts.told import NOW, card

NODE: Final = {
    "@type": "GovernmentOffice",
    "name": "Library",
    "telephone": "+49 69 90009-180",
    "email": "library@town.example",
    "address": {"streetAddress": "Gerberufer 5", "postalCode": "00815", "addressLocality": "Otterfurt"},
    "openingHoursSpecification": [
        {"dayOfWeek": ["https://schema.org/Tuesday", "Friday"], "opens": "08:00", "closes": "12:00"},
        {"dayOfWeek": "Tuesday", "opens": "14:00:00", "closes": "18:00:00"},
    ],
    "offers": [{"name": "Visitor card", "price": "3", "priceCurrency": "EUR"}],
}


def stating(node: Any, text: str = "Borrow what you like.", language: str = "en") -> IndexedPage:
    found = page("library", title="Reading", content=f"# Reading\n\n{text}\n", language=language)
    return replace(found, metadata={JSON_LD: json.dumps([node])})


def test_hours_contact_and_price_are_told() -> None:
    found = stating(NODE)
    assert "* 8 am to 12 pm and 2 pm to 6 pm – open now" in answer("Is the library open now?", found)
    assert card("Where is the library?", found)[2:] == [
        "* Library",
        "* Gerberufer 5, 00815 Otterfurt",
        "* +49 69 90009-180",
        "* library@town.example [1]",
    ]
    assert card("How much is a visitor card?", found)[2:] == ["* Visitor card: **3.00 €** [1]"]


def test_all_pages_name_the_town_so_the_question_has_to_name_who_is_told() -> None:
    found = stating(NODE)
    assert not card("Where is the reading room?", found)
    assert not card("What is the phone number for reading?", found)
    assert not answer("Is reading open now?", found).startswith("**")


@pytest.mark.parametrize(
    ("text", "hours", "contacts", "prices"),
    [
        ("The library is closed in summer.", 0, 1, 1),
        ("Call us: +49 69 90009-555", 1, 0, 1),
        ("A card is €4.", 1, 1, 0),
    ],
)
def test_what_the_text_says_wins(text: str, hours: int, contacts: int, prices: int) -> None:
    found = stating(
        {**NODE, "email": "", "address": ""}, f"{text} Please read on, there is more to say of it."
    )
    told = len(stated_hours(found)), len(stated_contacts(found)), len(stated_prices(found))
    assert told == (hours, contacts, prices)


@pytest.mark.parametrize(
    "text",
    [
        "Wir sind dienstags von 8 bis 12 Uhr für Sie da.",
        "Heute haben wir wegen Krankheit zu.",
        "Mo–Fr 8–12",
        "Bitte nur nach Vereinbarung.",
        "Am 24.11. machen wir einen Ausflug.",
        "Wir machen Urlaub.",
        "We are here for you on Tuesdays.",
        "Come by between 8 am and noon.",
        "The house is shut for repairs.",
    ],
)
def test_hours_are_not_told_if_the_text_says_when_somebody_is_there(text: str) -> None:
    assert stated_hours(stating(NODE, "There is much to read here, for everybody."))
    assert not stated_hours(stating(NODE, f"There is much to read here. {text}"))


def test_the_same_number_in_the_text_is_no_contradiction() -> None:
    [contact] = stated_contacts(
        stating(NODE, "Would you call 069 90009-180 please, or come by, as you like?")
    )
    assert contact.phone == "+49 69 90009-180"


@pytest.mark.parametrize(
    "change",
    [
        {"validFrom": "2026-12-01"},
        {"opens": "8 am"},
        {"opens": "12:00"},
        {"opens": "25:00"},
        {"closes": None},
        {"dayOfWeek": "Mo"},
        {"dayOfWeek": []},
        {"dayOfWeek": [{"a": 1}]},
    ],
)
def test_hours_that_are_not_understood_are_not_told(change: dict[str, Any]) -> None:
    first, second = NODE["openingHoursSpecification"]
    assert isinstance(first, dict)
    assert not stated_hours(stating({**NODE, "openingHoursSpecification": [{**first, **change}, second]}))


@pytest.mark.parametrize(
    "offer",
    [{"price": "3"}, {"price": "ab 3", "priceCurrency": "EUR"}, {"price": [], "priceCurrency": "EUR"}, 7],
)
def test_a_price_that_is_not_understood_is_not_told(offer: object) -> None:
    assert not stated_prices(stating({"name": "Card", "offers": offer}))


CINEMA: Final = {
    "name": "Kino Otter",
    "offers": {"name": "Eintritt Kino Otter", "price": 8, "priceCurrency": "EUR"},
}


@pytest.mark.parametrize(
    ("times", "is_told"),
    [
        ({"priceValidUntil": "2024-12-31"}, False),
        ({"priceValidUntil": "2027-12-31"}, True),
        ({"validThrough": "2027-02-14T12:00:00+01:00"}, True),
        ({"validThrough": "2027-02-13"}, False),
        ({"validFrom": "2028-01-01"}, False),
        ({"validFrom": "2027-01-01", "validThrough": "soon"}, False),
        ({"lowPrice": 5, "highPrice": 9}, False),
    ],
)
def test_an_offer_of_another_time_is_not_told(times: dict[str, object], is_told: bool) -> None:
    offer = {**CINEMA, "offers": {**CINEMA["offers"], **times}}  # type: ignore[dict-item]
    found = stating(offer, "Filme am Abend.", "de")
    assert bool(card("Was kostet der Eintritt ins Kino Otter?", found)) == is_told


def test_of_two_offers_of_one_name_none_is_told() -> None:
    offers = [{"name": "Eintritt", "price": price, "priceCurrency": "EUR"} for price in (5, 9)]
    assert not card("Was kostet der Eintritt?", stating({"name": "Kino", "offers": offers}, "Filme.", "de"))


@pytest.mark.parametrize(
    "text",
    [
        "Der Eintritt kostet CHF 12.",
        "Der Eintritt beträgt fünf Euro.",
        "Eintritt: Fr. 12.–",
        "Der Eintritt ist frei.",
        "Die Preise hängen aus.",
        "Admission is twelve pounds.",
        "Eintritt gratis",
        "Der Eintritt kostet jetzt mehr.",
    ],
)
def test_any_word_on_prices_in_the_text_silences_the_offer(text: str) -> None:
    assert not stated_prices(stating(CINEMA, text, "de"))


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Das Kino ist an den Marktplatz 3 umgezogen.", False),
        ("Sie finden uns hier. Adresse: Am Markt 3, Otterfurt", False),
        ("Sie finden uns Am Markt 3 in Otterfurt.", False),
        ("Das Kino liegt in der Otterstr. 12a.", False),
        ("We are at 12 High Street.", False),
        ("Das Kino zieht im Mai um.", False),
        ("The cinema has moved.", False),
        ("Das Kino liegt im Weg 12.", False),
        ("Das Kino liegt im Weg 1.", True),
        ("Filme am Freitag 20–22 Uhr, ab 12 Jahren.", True),
        ("Das Kino wurde im Mai 1998 eröffnet.", True),
    ],
)
def test_a_street_in_the_text_silences_another_address(text: str, is_told: bool) -> None:
    address = {"streetAddress": "Weg 1", "postalCode": "12345", "addressLocality": "Ott"}
    found = stating({"name": "Kino Otter", "address": address}, text, "de")
    assert bool(card("Wo ist das Kino Otter?", found)) == is_told


def test_a_price_has_a_comma_on_a_german_page() -> None:
    [row] = stated_prices(stating(NODE, language="de"))
    assert row.prices == (("", "3,00 €"),)


def test_what_is_stated_is_a_fact_of_the_page_and_goes_with_its_version() -> None:
    facts = page_facts(stating(NODE), NOW.date())
    assert facts.hours
    assert facts.prices
    assert facts.contacts[0].is_stated
    said = json_ld(facts)
    assert said is not None
    assert said["telephone"] == "+49 69 90009-180"
    assert said["address"] == "Gerberufer 5, 00815 Otterfurt"
    assert json_ld(page_facts(replace(stating(NODE), metadata={}), NOW.date())) is None


def test_a_long_page_that_states_many_contacts_is_read_once() -> None:
    nodes = [{**NODE, "name": f"Office {number}"} for number in range(100)]
    found = stating({"@graph": nodes}, "Call us: 0123 456789, or write to a@town.example. " * 2_000)
    started = time.process_time()
    assert len(stated_contacts(found)) == 100
    assert time.process_time() - started < 5
