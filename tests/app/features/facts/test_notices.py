"""Whatever a page announces beside its opening hours, and is not understood, makes them doubtful."""

from datetime import date
from typing import Final

import pytest

from app.features.facts.hours import OpeningHours
from app.features.facts.page_hours import page_hours

TUESDAY: Final = date(2026, 11, 24)
WEEKDAYS: Final = "* Montag bis Freitag 8–18 Uhr"


def town_hall(beside: str, *, before: str = "") -> tuple[OpeningHours, ...]:
    """The hours of a town hall with this text below its hours, or ``before`` their heading."""
    return page_hours(
        f"# Rathaus\n\n{before}\n\n## Öffnungszeiten\n\nDas Rathaus ist geöffnet:\n\n{WEEKDAYS}\n{beside}\n"
    )


def is_certain(beside: str, *, before: str = "", day: date = TUESDAY) -> bool:
    """Return True if the town hall's hours are certain on this day and are those of every week."""
    found = town_hall(beside, before=before)
    return any(each.is_certain(day) and not each.place for each in found)


@pytest.mark.parametrize(
    "line",
    [
        "Vom 16. November bis 6. Januar: Mo–Fr 8–12 Uhr",
        "Ab 1.11.2026 gilt: Montag bis Freitag 8–12 Uhr",
        "Ab 1. November, nur nicht am 24. Dezember: Montag 8–12 Uhr",
        "Seit Montag, den 2. November: dienstags 8–12 Uhr",
        "Bis 6. Januar: Mo–Fr 8–12 Uhr",
        "From 1 November: Monday to Friday 8 am–12 pm",
        "Until 24 December: Tuesday 8 am–12 pm",
        "Starting November 16: Monday to Friday 8 am–12 pm",
        "1. Januar, 16. November bis 4. Dezember: Mo 8–12 Uhr",
        "24.11. Personalversammlung",
        "2026-11-24: training day",
        "Am 24.11 Betriebsausflug",
    ],
)
def test_the_hours_of_a_period_in_the_same_list_are_not_ignored(line: str) -> None:
    assert is_certain("")
    assert not is_certain(f"* {line}")
    assert not is_certain(f"\n{line}")
    assert not is_certain(f"\n### Bitte lesen\n\n{line}")


@pytest.mark.parametrize(
    "notes",
    [
        "## Schließtage 2026\n\n- 24.11.\n- 24.12.",
        "## Schließtage\n\nMo 23.11. bis Fr 27.11.",
        "## Geschlossen\n\ndienstags",
        "## Geschlossen\n\nHeute und in der Adventszeit",
        "## Schließtage\n\nAn Ostern und in der KW 48",
        "## Closing days\n\n- 24 November\n- 24 December",
        "## Holidays\n\n- 24 November",
        "## Betriebsferien\n\n16.11.–4.12.",
        "## Urlaub\n\nDas Team ist vom 16. November bis 4. Dezember im Urlaub.",
        "## Urlaub 16. November bis 4. Dezember\n\nWir danken für Ihr Verständnis.",
        "## Wichtig\n\n- 24. November: 8–12 Uhr",
        "## Wichtig\n\n- vom 16. bis 27. November nur mit Termin",
        "## Aktuelles\n\n### Umbau\n\nIm November nur am Hintereingang.",
        "## Hinweis\n\nMontag bis Freitag bitte mit Termin.",
        "## Geänderte Öffnungszeiten\n\nDienstag 8–12 Uhr",
        "## Öffnungszeiten 16.–27. November\n\nDienstag 8–12 Uhr",
        "## 24. November\n\nnur bis 12 Uhr",
        "## Inventur\n\n- 24.11., ganztägig",
        "## Staff training\n\n24 November, all day",
        "## Kein Publikumsverkehr\n\n24. November, 8. Dezember",
        "## Heute\n\nWegen Stromausfalls kein Zutritt.",
        "## Öffnungszeiten im November\n\nMo–Fr 8–12 Uhr",
        "## Winteröffnungszeiten\n\nMo–Fr 8–12 Uhr",
        "## Winter opening hours\n\nMon–Fri 8 am–noon",
        "## Sonderregelung\n\nDi: vormittags",
    ],
)
def test_days_below_a_heading_of_closing_days_or_notes_are_not_ignored(notes: str) -> None:
    assert not is_certain(f"\n{notes}")


@pytest.mark.parametrize(
    "sentence",
    [
        "Das Rathaus wurde zum 31.10.2026 geschlossen.",
        "Das Rathaus wurde am 31.10.2026 dauerhaft geschlossen.",
        "On 24 November we close at noon.",
        "On 24 November the town hall will be shut.",
        "Heute nur bis 12 Uhr!",
        "Am 24. November ist niemand da.",
        "Am 24. November fällt die Sprechstunde aus.",
        "In der Woche vom 16. November haben wir Betriebsausflug.",
        "Das Team ist im Urlaub.",
        "Dienstags haben wir nachmittags zu.",
        "Dienstags nur vormittags",
        "Montag bis Mittwoch nur mit Termin.",
        "Das Rathaus ist seit dem 1. Oktober Geschichte.",
        "The town hall closed on 31 October 2026.",
        "Until the end of the month we open at 10 am.",
        "In dieser Woche können wir Sie leider nur vormittags empfangen.",
        "Am Dienstag wird gestreikt.",
        "Winterpause: 15.11.–31.1.",
        "Von Montag bis Mittwoch sind wir nur telefonisch zu erreichen.",
    ],
)
def test_another_closure_anywhere_on_the_page_is_not_ignored(sentence: str) -> None:
    assert not is_certain(f"\n{sentence}")
    assert not is_certain("", before=sentence)


@pytest.mark.parametrize(
    "beside",
    [
        "## Geschichte\n\nDas Rathaus wurde am 3. November 1887 eingeweiht.",
        "## Gebühren\n\nZahlen Sie den Beitrag bis zum 15. November.",
        "## Schließtage\n\n- 24.12.\n- 31.12.\n\nWir bitten um Ihr Verständnis.",
        "## Hinweis\n\nBitte bringen Sie Ihren Ausweis mit.",
        "## Feiertage\n\nAn Feiertagen geschlossen.",
        "## Wichtig\n\nAm 24. Dezember: 8–12 Uhr",
        "## Öffnungszeiten der Sauna\n\nDienstag 10–20 Uhr",
        "## Sitzungen\n\n- 24.11.\n- 8.12.",
        "## Tonne nicht geleert?\n\nMelden Sie es online.",
        "## Öffnungszeiten im Juli\n\nMo–Fr 8–12 Uhr",
        "## Café\n\nDi 10–20 Uhr",
        "## Lage\n\nWir sind close to the station.",
    ],
)
def test_what_says_nothing_of_the_day_is_no_doubt_of_it(beside: str) -> None:
    assert is_certain(f"\n{beside}")


@pytest.mark.parametrize("name", ["Neu", "Abweichend davon", "Ausnahme", "Bitte beachten", "Except", "New"])
def test_the_name_of_a_line_may_say_that_it_replaces_others(name: str) -> None:
    assert not is_certain(f"\n{name}: Dienstag 8–12 Uhr")
    found = page_hours(f"# Rathaus\n\n## Öffnungszeiten\n\n{WEEKDAYS}\n\n{name}: Di 8–12 Uhr\n")
    assert not any(each.is_certain(TUESDAY) for each in found)


@pytest.mark.parametrize("name", ["Verkürzt", "Anders", "Krankheitsbedingt", "Aus gegebenem Anlass"])
def test_other_hours_beside_those_without_a_name_make_their_days_doubtful(name: str) -> None:
    [unnamed, named] = page_hours(f"# Rathaus\n\n## Öffnungszeiten\n\n{WEEKDAYS}\n\n{name}: Di 8–12 Uhr\n")
    assert unnamed.doubtful_days == named.doubtful_days == {1}
    found = page_hours(f"# Rathaus\n\n## Sprechzeiten\n\n{WEEKDAYS}\n\nTelefon: Di 8–12 Uhr\n")
    assert not any(each.doubtful_days for each in found)


def test_the_text_above_the_hours_names_days_long_past_without_doubt() -> None:
    assert is_certain("", before="Das Rathaus steht seit dem 3. November 1887.")
    assert not is_certain("", before="Das Rathaus steht seit dem 3. November 2026 leer.")
