"""The nearest text above a contact or opening hours says what they are about."""

from typing import Final

import pytest

from app.features.facts.contacts import page_contacts
from app.features.facts.page_hours import page_hours
from tests.app.chat.pages import page
from tests.app.features.facts.told import card

PHONE: Final = "Telefon 069 90009-77"


@pytest.mark.parametrize(
    ("above", "headline"),
    [
        (f"**Sorgentelefon**\n\n{PHONE}", "Hilfe – Sorgentelefon"),
        (f"**Sorgentelefon:**\n  \n{PHONE}", "Hilfe – Sorgentelefon"),
        (f"**Sorgentelefon**\n\nNachts ist jemand da.\n\n{PHONE}", "Hilfe – Sorgentelefon"),
        (f"**Sorgentelefon**\n\n**Kontakt**\n\n{PHONE}", "Hilfe – Sorgentelefon"),
        (f"Das Sorgentelefon hilft nachts:\n\n* {PHONE}", "Hilfe"),
        (f"**Tipp:** Nachts hilft das Sorgentelefon:\n\n* {PHONE}", "Hilfe"),
        (f"Sorgentelefon\n\n{PHONE}", "Hilfe"),
    ],
)
@pytest.mark.parametrize("heading", ["Weitere Informationen", "Lesen Sie auch", "Wichtige Nummern:"])
def test_a_contact_is_named_by_the_line_above_it_and_not_by_a_heading_that_names_nothing(
    heading: str, above: str, headline: str
) -> None:
    content = f"# Hilfe\n\nWir helfen.\n\n### {heading}\n\n{above}\n"
    one = page("help", language="de", title="Hilfe", content=content)
    told = card("Telefonnummer vom Sorgentelefon", one)
    assert told[0] == f"**{headline}**"
    assert "Sorgentelefon" in "".join(told)
    assert told[-1].endswith(f"{PHONE} [1]")


def test_the_sentence_that_leads_to_a_contact_stands_above_its_lines() -> None:
    told = "Rufen Sie an. Im Ausland hilft die Botschaft unter:"
    content = f"# Reise\n\n## Notfall\n\n{told}\n\n* **{PHONE}**\n"
    one = page("travel", language="de", title="Reise", content=content)
    assert card("Telefonnummer der Botschaft", one)[2:] == [
        "Im Ausland hilft die Botschaft unter:",
        "",
        f"* {PHONE} [1]",
    ]


@pytest.mark.parametrize("heading", ["Weitere Informationen", "Lesen Sie auch", "Useful links", "Footnotes"])
def test_a_contact_that_nothing_names_is_no_fact(heading: str) -> None:
    assert not page_contacts(f"# Hilfe\n\nText.\n\n### {heading}\n\n{PHONE}\n", "Hilfe")
    assert page_contacts(f"# Hilfe\n\nText.\n\n### Kontakt\n\n{PHONE}\n", "Hilfe")


@pytest.mark.parametrize("label", ["Telefon", "Adresse", "Öffnungszeiten", "Hinweis", "Wichtig!"])
def test_a_label_in_bold_is_no_name(label: str) -> None:
    content = f"# Bauamt\n\n## Kontakt\n\n**{label}**\n\n{PHONE}\n"
    [contact] = page_contacts(content, "Bauamt")
    assert (contact.heading, contact.above) == ("", ("Kontakt",))


def test_a_line_in_bold_does_not_name_a_contact_with_another_name_below_a_text() -> None:
    content = "# Rat\n\n## Hilfe\n\n**Spenden**\n\nGeben Sie etwas.\n\n* Sorgentelefon: 069 90009-77\n"
    [contact] = page_contacts(content, "Rat")
    assert contact.above == ("Hilfe",)
    [contact] = page_contacts(content.replace("Geben Sie etwas.\n\n", ""), "Rat")
    assert contact.above == ("Hilfe", "Spenden")


def test_a_single_line_in_bold_below_a_general_heading_is_a_line_of_the_contact_of_the_page() -> None:
    content = f"# Bauamt\n\n## Kontakt\n\n**Frau Kaya**\n\n{PHONE}\n"
    office = page("office", language="de", title="Bauamt", content=content)
    assert card("Telefonnummer vom Bauamt", office)[2:] == ["* Frau Kaya", f"* {PHONE} [1]"]
    other = page(
        "other", language="de", title="Bauamt", content=f"{content}\n**Herr Abt**\n\nTelefon 069 90009-78\n"
    )
    assert not card("Telefonnummer vom Bauamt", other)
    assert card("Telefonnummer vom Bauamt, Frau Kaya", other)[-1] == f"* {PHONE} [1]"


def test_a_sentence_about_us_leads_to_the_contact_of_the_page() -> None:
    content = (
        f"# Bauamt\n\n## Kontakt\n\nSie erreichen uns unter:\n\n{PHONE}\n\nE-Mail: bau@otterfurt.example\n"
    )
    [contact] = page_contacts(content, "Bauamt")
    assert (contact.lead, len(contact.lines)) == ("", 2)


def test_items_with_names_of_their_own_are_several_contacts() -> None:
    items = "* Elterntelefon: 069 90009-1\n* Kindertelefon: 069 90009-2\n"
    found = page_contacts(f"# Rat\n\n## Telefonseelsorge\n\n**Andere Dienste**\n\n{items}", "Rat")
    assert [each.phone for each in found] == ["069 90009-1", "069 90009-2"]
    assert {each.heading for each in found} == {"Andere Dienste"}
    one = "* Telefon: 069 90009-1\n* Telefon Notdienst: 069 90009-2\n* E-Mail: rat@otterfurt.example\n"
    assert len(page_contacts(f"# Rat\n\n## Kontakt\n\n{one}", "Rat")) == 1


def test_a_contact_with_a_line_that_is_not_understood_is_left_out() -> None:
    lines = ["Frau Kaya", "Am Ring 1", "{}", "Tel. 069 90009-77"]
    for town, count in (("06123 Otterfurt", 1), ("0612 Otterfurt", 0)):
        content = "# Rat\n\n## Kontakt\n\n" + "\n\n".join(lines).format(town)
        assert len(page_contacts(content, "Rat")) == count


HOURS: Final = "Mo–Fr 8 bis 12 Uhr"


@pytest.mark.parametrize(
    ("lines", "place", "is_phone"),
    [
        (f"**Sorgentelefon**\n\n{PHONE}\n\n{HOURS}", "Sorgentelefon", True),
        (f"* Sorgentelefon\n  {PHONE}\n  ({HOURS})", "Sorgentelefon", True),
        (f"* [Sorgentelefon](https://x.example)\n  {PHONE}\n  ({HOURS})", "Sorgentelefon", True),
        (f"**Werkstatt**\n\n{HOURS}", "Werkstatt", False),
        (f"* Werkstatt\n  {HOURS}", "Werkstatt", False),
    ],
)
@pytest.mark.parametrize("heading", ["Weitere Informationen", "Lesen Sie auch"])
def test_hours_are_named_by_the_line_above_them_and_by_phone_beside_a_number(
    heading: str, lines: str, place: str, is_phone: bool
) -> None:
    [hours] = page_hours(f"# Rat\n\nText.\n\n## {heading}\n\n{lines}\n")
    assert (hours.place, hours.is_phone) == (place, is_phone)


@pytest.mark.parametrize("lines", [HOURS, f"{PHONE}\n\n{HOURS}", f"Öffnungszeiten:\n\n{HOURS}"])
def test_hours_that_nothing_names_are_no_fact(lines: str) -> None:
    assert not page_hours(f"# Rat\n\nText.\n\n## Weitere Informationen\n\n{lines}\n")
    assert page_hours(f"# Rat\n\nText.\n\n## Werkstatt\n\n{lines}\n")


def test_hours_below_a_number_are_those_of_visits_if_a_heading_announces_opening_hours() -> None:
    [hours] = page_hours(f"# Rat\n\n## Öffnungszeiten\n\n{PHONE}\n\n{HOURS}\n")
    assert not hours.is_phone


def test_a_line_in_bold_below_opening_hours_is_their_name() -> None:
    [hours] = page_hours(f"# Rat\n\n## Öffnungszeiten\n\n**Publikumsverkehr**\n\n{HOURS}\n")
    assert (hours.place, hours.name) == ("", "Publikumsverkehr")
    assert not page_hours(f"# Rat\n\n## Öffnungszeiten\n\n**Im Sommer**\n\n{HOURS}\n")


def test_a_sentence_that_leads_to_a_number_has_phone_hours() -> None:
    content = (
        "# Rat\n\nDie Nummer gegen Kummer ist von Montag bis Freitag 15 bis 19 Uhr erreichbar:\n\n* **{}**\n"
    )
    for item, is_phone in (("069 90009-77", True), ("Haus am Markt", False)):
        [hours] = page_hours(content.format(item))
        assert hours.is_phone == is_phone


def test_opening_times_is_another_word_for_opening_hours() -> None:
    [hours] = page_hours("# Rat\n\nTelephone 069 12345\n\nOpening times: 8:30 am to 5 pm, Monday to Friday\n")
    assert hours.text.startswith("Opening times")
