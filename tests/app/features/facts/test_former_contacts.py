"""Contacts that are no longer, or not yet, how an office is reached are not told."""

from datetime import datetime
from typing import Final

import pytest

from tests.app.chat.pages import page
from tests.app.features.facts.told import card

CONTACT: Final = "Bauamt\nAltweg 1\n12345 Otter\nTelefon: 069 111-1"


@pytest.mark.parametrize(
    "heading",
    [
        "Früherer Kontakt",
        "Alte Adresse",
        "Ehemalige Anschrift",
        "Kontakt bis 2025",
        "Kontakt ab 1. Juli 2027",
        "Künftige Adresse",
        "Bisheriger Standort",
        "Vorherige Telefonnummer",
        "Kontakt (nicht mehr gültig)",
        "Kontakt (alt)",
        "Old address",
        "Former contact",
        "Archiv",
        "Address until 2025",
        "Adresse ab Mai",
    ],
)
def test_what_a_former_heading_introduces_is_not_told(heading: str) -> None:
    office = page("office", language="de", title="Bauamt", content=f"# Bauamt\n\n## {heading}\n\n{CONTACT}\n")
    for question in ("Telefonnummer vom Bauamt?", "Wo ist das Bauamt?"):
        assert not card(question, office)


@pytest.mark.parametrize(
    "note",
    [
        "(nicht mehr gültig)",
        "(bis 31.12.2026)",
        "(ab 1.7.2027)",
        "(ehemals)",
        "(alt)",
        "(bis Ende 2026)",
        "(künftig)",
        "(außer Betrieb)",
        "(no longer in use)",
        "(until 2026)",
        "(ungültig)",
    ],
)
def test_a_line_with_another_time_is_not_told(note: str) -> None:
    for lines in (CONTACT.replace("Bauamt", f"Bauamt {note}"), f"{CONTACT} {note}"):
        office = page("office", language="de", title="Bauamt", content=f"# Bauamt\n\n## Kontakt\n\n{lines}\n")
        assert not card("Telefonnummer vom Bauamt?", office)


@pytest.mark.parametrize(
    ("sentence", "is_told"),
    [
        ("Das Bauamt ist umgezogen.", False),
        ("Wir ziehen am 3. Mai um.", False),
        ("Bitte beachten: neue Adresse.", False),
        ("The office has moved.", False),
        ("Sind Sie umgezogen? Dann melden Sie sich.", True),
        ("Wenn Sie umgezogen sind, melden Sie sich hier.", True),
    ],
)
def test_an_office_that_moved_has_no_address(sentence: str, is_told: bool) -> None:
    content = f"# Bauamt\n\n{sentence}\n\n## Kontakt\n\n{CONTACT}\n"
    office = page("office", language="de", title="Bauamt", content=content)
    assert bool(card("Wo ist das Bauamt?", office)) == is_told
    assert card("Telefonnummer vom Bauamt?", office)


@pytest.mark.parametrize("heading", ["Kontakt", "Kontakt seit 2020", "Kontakt bis 2027"])
def test_a_contact_of_today_is_told(heading: str) -> None:
    content = f"# Bauamt\n\n## {heading}\n\n{CONTACT.replace('Altweg', 'Alter Markt')}\n"
    office = page("office", language="de", title="Bauamt", content=content)
    assert card("Wo ist das Bauamt?", office, now=datetime(2027, 2, 14, 9))
