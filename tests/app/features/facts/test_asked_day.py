"""Questions say which day they ask opening hours of."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.features.facts.asked_day import AskedDay, asked_day
from app.features.facts.hours_step import asks_hours, asks_phone

TODAY = date(2026, 11, 24)
"""A Tuesday."""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Hat das Bürgeramt jetzt offen?", {"kind": "day", "day": TODAY}),
        ("Is the library still open?", {"kind": "day", "day": TODAY}),
        ("Wann hat die Bücherei geöffnet?", {"kind": "day", "day": TODAY}),
        ("opening hours pool", {"kind": "day", "day": TODAY}),
        ("Hat die Bücherei heute auf?", {"kind": "day", "day": TODAY}),
        ("Is it open tomorrow?", {"kind": "day", "day": date(2026, 11, 25)}),
        ("Ist übermorgen geöffnet?", {"kind": "day", "day": date(2026, 11, 26)}),
        ("Ist am 3. Oktober geöffnet?", {"kind": "day", "day": date(2027, 10, 3)}),
        ("Ist am 5.12. geöffnet?", {"kind": "day", "day": date(2026, 12, 5)}),
        ("Is it open on 5 November 2027?", {"kind": "day", "day": date(2027, 11, 5)}),
        ("Ist diesen Freitag geöffnet?", {"kind": "day", "day": date(2026, 11, 27)}),
        ("Ist am Samstag Morgen geöffnet?", {"kind": "weekday", "weekdays": (5,)}),
        ("Hat das Amt heute Morgen offen?", {"kind": "day", "day": TODAY}),
        ("Is it open on March 3rd?", {"kind": "day", "day": date(2027, 3, 3)}),
        ("Ist an Heiligabend geöffnet?", {"kind": "day", "day": date(2026, 12, 24)}),
        ("Hat das Amt samstags auf?", {"kind": "weekday", "weekdays": (5,)}),
        ("Is it open at the weekend?", {"kind": "weekday", "weekdays": (5, 6)}),
        (
            "Wie lange hat das Freibad im Juli mittwochs offen?",
            {"kind": "weekday", "weekdays": (2,), "month": 7},
        ),
        ("Wann schließt der Friedhof im Februar?", {"kind": "month", "month": 2}),
        ("Morgen! Hat das Rathaus offen?", {"kind": "day", "day": TODAY}),
        ("Ist am Donnerstagnachmittag offen?", {"kind": "weekday", "weekdays": (3,)}),
        ("Ist das Rathaus morgen auf?", {"kind": "day", "day": date(2026, 11, 25)}),
        ("Wann hat die Zulassungsstelle offen?", {"kind": "day", "day": TODAY}),
        ("When is the registration office open?", {"kind": "day", "day": TODAY}),
        ("Wann kann ich das Archiv besuchen?", {"kind": "day", "day": TODAY}),
        ("Hat das Rathaus kommenden Dienstag offen?", {"kind": "day", "day": date(2026, 12, 1)}),
        ("Hat das Rathaus am kommenden Freitag offen?", {"kind": "day", "day": date(2026, 11, 27)}),
        ("Hat das Rathaus diesen Dienstag offen?", {"kind": "day", "day": TODAY}),
        ("Hat das Rathaus über Mittag offen?", {"kind": "day", "day": TODAY}),
        ("Hat das Rathaus am Nachmittag offen?", {"kind": "day", "day": TODAY}),
        ("Hat die Bücherei am Marktplatz offen?", {"kind": "day", "day": TODAY}),
        ("Wann hat der Landtag geöffnet?", {"kind": "day", "day": TODAY}),
        ("Is the library on Tuesday open?", {"kind": "weekday", "weekdays": (1,)}),
        ("Guten Morgen, wann ist geöffnet?", {"kind": "day", "day": TODAY}),
    ],
)
def test_the_day_is_read_from_the_question(question: str, asked: dict[str, Any]) -> None:
    assert asks_hours(question)
    found = asked_day(question, TODAY)
    assert found is not None
    assert replace(found, is_named=True) == AskedDay(**asked)


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("Wann hat die Bücherei geöffnet?", False),
        ("opening hours pool", False),
        ("Hat die Bücherei am Nachmittag offen?", False),
        ("Hat die Bücherei heute auf?", True),
        ("Is the library still open?", True),
        ("Hat das Amt grad offen?", True),
        ("Hat das Amt samstags auf?", True),
    ],
)
def test_a_question_for_hours_in_general_names_no_day(question: str, is_named: bool) -> None:
    found = asked_day(question, TODAY)
    assert found is not None
    assert found.is_named == is_named


@pytest.mark.parametrize(
    "question",
    [
        "Ist am 31. Februar geöffnet?",
        "Ist am 3/12 geöffnet?",
        "Hat das Amt an Weihnachten offen?",
        "Is it open on Easter Monday?",
        "War gestern geöffnet?",
        "Wann ist im Sommer geöffnet?",
        "Hat das Bürgerbüro in zwei Tagen offen?",
        "Hat das Bürgerbüro Mo offen?",
        "Is the pool open on Sat?",
        "Ist an Allerheiligen geöffnet?",
        "Ist am 28. geöffnet?",
        "Is it open on 2026-12-01?",
        "Ist morgen oder am Freitag offen?",
        "Ist heute und morgen offen?",
        "Ist am ersten Samstag im Monat geöffnet?",
        "Hatte das Amt am 3.3.2020 offen?",
        "Is it open next Monday?",
        "Ist zwischen Weihnachten und Neujahr geöffnet?",
        "Ist von Montag bis Freitag geöffnet?",
        "Ist von Mai bis September geöffnet?",
        "Hat das Rathaus am Tag der Arbeit offen?",
        "Hat das Rathaus am Vatertag offen?",
        "hat das rathaus vatertag offen?",
        "Hat das Rathaus an Dreikönig offen?",
        "Hat das Rathaus am Volkstrauertag offen?",
        "Hat das Rathaus am Brückentag offen?",
        "Hat das Rathaus an den Brückentagen offen?",
        "Hat das Rathaus am Wahlsonntag offen?",
        "Hat das Rathaus am Aschermittwoch offen?",
        "Hat das Rathaus zu Halloween offen?",
        "Hat das Rathaus beim Stadtfest offen?",
        "Hat das Rathaus am verkaufsoffenen Sonntag offen?",
        "Hat das Rathaus am Weißen Sonntag offen?",
        "Hat das Rathaus am Nikolausabend offen?",
        "Hat das Rathaus am Tag nach Neujahr offen?",
        "Hat das Rathaus an Mariä Lichtmess offen?",
        "Is the library open on Memorial Day?",
        "Is the library open on Black Friday?",
        "Is the library open on Ash Wednesday?",
        "Is the library open during Ramadan?",
        "Is the library open on St Patrick's Day?",
        "Is the library open the day after New Year's Day?",
        "Hat das Rathaus nächsten Dienstag offen?",
    ],
)
def test_a_day_that_is_not_worked_out_is_none(question: str) -> None:
    assert asked_day(question, TODAY) is None


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet ein Ausweis?",
        "How do I register?",
        "Wann ist die Grundsteuer fällig?",
        "How do I open a bank account?",
        "What are the benefits of open data?",
        "Ist die Bewerbungsfrist noch offen?",
        "Um wie viel Uhr beginnt der Gottesdienst?",
        "What time does the bus leave?",
        "How close is the library?",
        "Wann schließt die Anmeldung?",
        "Ist die Stelle noch offen?",
        "Is registration still open?",
        "Warum ist das Rathaus heute geschlossen?",
        "Is Main Street closed?",
        "When do applications close?",
        "Darf ich sonntags meinen Laden öffnen?",
    ],
)
def test_other_questions_ask_for_none(question: str) -> None:
    assert not asks_hours(question)


def test_a_telephone_is_asked_for_by_its_words() -> None:
    assert asks_phone("Wann kann ich anrufen?")
    assert asks_phone("When is the switchboard staffed?")
    assert not asks_phone("Wann ist geöffnet?")
