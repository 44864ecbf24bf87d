"""A date that may be off, or of something else, is left to the reader."""

import pytest

from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import card


def council(lead: str, lines: str, language: str = "de", heading: str = "") -> IndexedPage:
    title = "Gemeinderat" if language == "de" else "Town council"
    heading = heading or ("Sitzungen 2027" if language == "de" else "Meetings 2027")
    content = f"# {title}\n\n## {heading}\n\n{lead}\n\n{lines}\n"
    return page("council", language=language, title=title, content=content)


QUESTION = "Wann ist die nächste Sitzung des Gemeinderats?"
ENGLISH = "When is the next council meeting?"


@pytest.mark.parametrize(
    "lead",
    [
        "Keine Sitzungen an folgenden Tagen:",
        "An folgenden Terminen tagt der Gemeinderat nicht:",
        "Folgende Sitzungen entfallen:",
        "Ausgebucht sind:",
        "Vergangene Sitzungen:",
        "Die Sitzungen des Bauausschusses sind am:",
        "Der Bauausschuss tagt am:",
        "Entwurf, noch nicht beschlossen:",
        "Bürgerfragestunden vor der Sitzung:",
        "Anmeldung für Besucher:",
        "Im Vorjahr waren die Sitzungen am:",
        "An diesen Tagen ist keine Sitzung.",
        "Sitzungen ohne Öffentlichkeit:",
        "Außer an diesen Tagen tagt der Gemeinderat dienstags:",
        "Vorläufige Termine:",
        "Frühere Termine:",
    ],
)
def test_a_lead_that_denies_its_dates_or_names_something_else_leaves_them_to_the_reader(lead: str) -> None:
    assert not card(QUESTION, council(lead, "- 16.02.\n- 23.02."))


@pytest.mark.parametrize(
    "lead",
    [
        "",
        "Die Sitzungen sind am:",
        "Die Sitzungen des Gemeinderats finden an folgenden Tagen statt:",
        "Der Gemeinderat tagt dienstags um 19 Uhr im Ratssaal:",
        "Unsere nächsten Termine:",
        "Alle Sitzungen sind öffentlich. Der Gemeinderat trifft sich am:",
        "Wir freuen uns auf Sie.",
    ],
)
def test_a_lead_about_what_is_asked_for_leads_to_its_dates(lead: str) -> None:
    assert card(QUESTION, council(lead, "- 16.02.\n- 23.02."))


@pytest.mark.parametrize(
    ("lead", "is_told"),
    [
        ("There are no meetings on these days:", False),
        ("The council does not meet on:", False),
        ("The planning committee meets on:", False),
        ("Past meetings:", False),
        ("Draft dates:", False),
        ("The council meets on Tuesdays at 6:30 pm in the great hall:", True),
        ("Meetings are held on the following dates:", True),
    ],
)
def test_an_english_lead_is_read_as_well(lead: str, is_told: bool) -> None:
    assert bool(card(ENGLISH, council(lead, "- 16 February\n- 23 February", "en"))) == is_told


@pytest.mark.parametrize(
    "heading", ["Vergangene Sitzungen 2027", "Keine Sitzungen 2027", "Sitzungspause 2027"]
)
def test_a_heading_that_denies_its_dates_leaves_them_to_the_reader(heading: str) -> None:
    assert not card(QUESTION, council("", "- 16.02.\n- 23.02.", heading=heading))


@pytest.mark.parametrize(
    "note",
    [
        "gestrichen",
        "Absage",
        "keine Sitzung",
        "fällt flach",
        "sitzungsfrei",
        "neuer Termin folgt",
        "Ferien",
        "wird nachgeholt",
        "(Reservetermin)",
        "nur bei Bedarf",
        "(Absage)",
        "storniert",
        "wohl eher nichts",
        "muss leider weichen",
        "Sommerpause",
        "(unter Vorbehalt)",
        "aufgehoben",
        "ist vorbei",
        "wegen Krankheit",
        "Ausweichtermin",
        "(?)",
        "Pufferzeit",
        "✗",
        "Sitzungsentfall",
        "Besuch",
        "Ausfall",
    ],
)
@pytest.mark.parametrize(
    "form", ["- 16.02. – {}\n- 23.02.", "- 16.02. {}\n- 23.02.", "- 16.02.\n- 23.02. – {}"]
)
def test_words_beside_a_date_that_may_cancel_it_leave_all_to_the_reader(note: str, form: str) -> None:
    assert not card(QUESTION, council("", form.format(note)))


@pytest.mark.parametrize(
    "note",
    [
        "won't take place",
        "no meeting",
        "withdrawn",
        "deleted",
        "not taking place",
        "if needed",
        "recess",
        "has been scrapped",
        "off",
        "(tbc)",
        "to be confirmed",
        "skipped this time",
    ],
)
def test_english_words_beside_a_date_that_may_cancel_it_do_so_too(note: str) -> None:
    assert not card(ENGLISH, council("", f"- 16 February – {note}\n- 23 February\n- 2 March", "en"))


@pytest.mark.parametrize(
    "note",
    ["19 Uhr", "im Ratssaal", "(Haushalt)", "Bürgersaal", "um 18 Uhr im Ratssaal", "öffentlich", "19:00"],
)
def test_times_places_and_topics_are_told(note: str) -> None:
    told = card(QUESTION, council("", f"- 16.02. – {note}\n- 23.02."))
    assert told[2].startswith("* Nächster Termin: **Dienstag, 16. Februar 2027**")


def test_topics_of_most_lines_are_told_in_english() -> None:
    lines = "- 16 February – budget and fees\n- 23 February – parking\n- 2 March"
    assert card(ENGLISH, council("", lines, "en"))
    assert card(ENGLISH, council("", "- 16 February (budget)\n- 23 February\n- 2 March", "en"))


def test_a_sentence_that_names_another_day_leaves_all_to_the_reader() -> None:
    sentence = "Die zweite Sitzung findet erst am 24. Februar statt."
    assert not card(QUESTION, council("", f"- 16.02.\n- 23.02.\n\n{sentence}"))
