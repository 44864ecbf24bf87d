"""A question for a date gets the next one of those that the page lists, above the passages."""

import time
from datetime import date, datetime
from random import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.card import card_texts
from app.features.facts.date_lists import page_dates
from app.features.facts.dates import READ_CHARACTERS
from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import card
from tests.growth import grows_with_size


def _page(content: str, language: str = "de") -> IndexedPage:
    title = content.splitlines()[0].removeprefix("# ")
    return page("page", language=language, title=title, content=content)


COUNCIL: Final = _page(
    """# Town council

## Meetings in 2027

The council meets on Tuesdays at 6:30 pm:

- 23 February
- 20 April
- 22 June
- 23 November (budget)
""",
    language="en",
)
HAZARDOUS: Final = _page(
    """# Abfall

## Das Schadstoffmobil

Das Schadstoffmobil steht von 9 bis 13 Uhr auf dem Markt: am 20. März, am 12. Juni und am 16. Oktober 2027.
"""
)
FEASTS: Final = _page(
    """# Feste und Märkte 2027

- **Stadtlauf** – 13. Juni
- **Kunstmarkt** – verschoben vom 9. Mai auf Sonntag, 6. Juni
- **Weinfest** – Freitag, 4. September
- **Altstadtfest** – 2.–4. Juli, gesamte Altstadt
"""
)
CALENDAR: Final = _page(
    """# Sitzungskalender 2027

| Monat | Tag | Beginn | Gremium |
|---|---|---|---|
| März | Di, 16. | 17:00 | Bau- und Umweltausschuss |
| März | Do, 25. | 18:00 | Stadtrat |
| April | Mi, 21. | 17:30 | Finanzausschuss – **Sitzung entfällt** |
| Mai | Mi, 19. | 17:30 | Finanzausschuss |
"""
)


def test_the_next_date_is_told_with_its_weekday_and_the_two_after_it() -> None:
    assert card("When is the next council meeting?", COUNCIL) == [
        "**Town council – Meetings in 2027**",
        "",
        "The council meets on Tuesdays at 6:30 pm:",
        "",
        "* Next: **Tuesday, 23 February 2027** (in 9 days)",
        "* After that: **Tuesday, 20 April 2027**",
        "* After that: **Tuesday, 22 June 2027** [1]",
    ]


def test_what_else_the_line_says_is_told_word_for_word() -> None:
    told = card("When is the next council meeting?", COUNCIL, now=datetime(2027, 7, 1, 9))
    assert told[-1] == "* Next: **Tuesday, 23 November 2027** – (budget) [1]"


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("When is the council meeting in April?", "Tuesday, 20 April 2027"),
        ("When is the council meeting on the budget?", "Tuesday, 23 November 2027"),
    ],
)
def test_the_question_chooses_the_line(question: str, day: str) -> None:
    assert card(question, COUNCIL)[-1].startswith(f"* Next: **{day}**")


def test_of_dates_that_are_all_over_the_last_is_told_as_such() -> None:
    told = card("Wann kommt das Schadstoffmobil?", HAZARDOUS, now=datetime(2027, 11, 1, 9))
    assert told[2:] == [
        "* Der letzte Termin auf dieser Seite war **Samstag, 16. Oktober 2027**;"
        " ein späterer steht dort nicht.",
        "* Das Schadstoffmobil steht von 9 bis 13 Uhr auf dem Markt [1]",
    ]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (datetime(2027, 6, 12, 8), "* Nächster Termin: **Samstag, 12. Juni 2027** (heute)"),
        (datetime(2027, 6, 12, 14), "* Nächster Termin: **Samstag, 16. Oktober 2027**"),
    ],
)
def test_a_date_is_over_when_the_last_of_its_times_is(now: datetime, told: str) -> None:
    assert card("Wann kommt das Schadstoffmobil?", HAZARDOUS, now=now)[2].startswith(told)


def test_what_has_begun_today_has_no_card() -> None:
    assert card("When is the next council meeting?", COUNCIL, now=datetime(2027, 2, 23, 18))
    assert not card("When is the next council meeting?", COUNCIL, now=datetime(2027, 2, 23, 19))


def test_days_that_have_begun_are_still_on() -> None:
    told = card("Wann ist das Altstadtfest?", FEASTS, now=datetime(2027, 7, 3, 9))
    assert told[2].startswith("* Läuft: **Freitag, 2. Juli 2027 bis Sonntag, 4. Juli 2027**")


def test_a_date_that_was_moved_is_told_by_its_line_alone() -> None:
    assert card("Wann ist der Kunstmarkt?", FEASTS)[2:] == [
        "* Kunstmarkt – verschoben vom 9. Mai auf Sonntag, 6. Juni [1]"
    ]


def test_a_weekday_that_does_not_fit_leaves_its_date_to_the_reader() -> None:
    assert not card("Wann ist das Weinfest?", FEASTS)
    assert card("Wann ist der Stadtlauf?", FEASTS)


def test_month_and_day_may_stand_in_two_columns() -> None:
    told = card("Wann tagt der Bauausschuss das nächste Mal?", CALENDAR, now=datetime(2027, 3, 2, 9))
    assert (
        told[-1] == "* Nächster Termin: **Dienstag, 16. März 2027** (in 14 Tagen)"
        " – 17:00, Bau- und Umweltausschuss [1]"
    )


def test_what_is_cancelled_is_not_the_next() -> None:
    told = card("Wann tagt der Finanzausschuss?", CALENDAR, now=datetime(2027, 4, 1, 9))
    assert told[-2].startswith("* Nächster Termin: **Mittwoch, 19. Mai 2027**")
    assert "entfällt" in told[-1]


def test_headings_may_be_the_dates() -> None:
    tour = _page(
        "# Schadstoffmobil 2027\n\n## Samstag, 13. März 2027\n\n"
        "- Ebersfeld: 9:00 – 11:00 Uhr\n- Tannbach: 14:00 – 15:00 Uhr\n\n"
        "## Samstag, 10. April 2027\n\n- Ebersfeld: 9:00 – 12:00 Uhr\n"
    )
    told = card("Wann kommt das Schadstoffmobil nach Ebersfeld?", tour)
    assert told[2:] == [
        "* Nächster Termin: **Samstag, 13. März 2027** – Ebersfeld: 9:00 – 11:00 Uhr",
        "* Danach: **Samstag, 10. April 2027** – Ebersfeld: 9:00 – 12:00 Uhr [1]",
    ]
    assert not card("Wann kommt das Schadstoffmobil?", tour)


def test_weekdays_choose_among_years_that_are_named() -> None:
    trees = _page(
        "# Christmas trees of 2026: collection in January 2027\n\n| Collection | Villages |\n|---|---|\n"
        "| Tuesday 12 January | Cotham |\n| Wednesday 13 January | Stavely Cross |\n",
        language="en",
    )
    told = card(
        "When are the Christmas trees collected in Stavely Cross?", trees, now=datetime(2027, 1, 4, 9)
    )
    assert told[-1].startswith("* Next: **Wednesday, 13 January 2027**")


def test_a_date_column_is_chosen_by_its_head() -> None:
    courses = _page(
        "# Schwimmkurse 2027\n\n| Kurs | Beginn | Ende |\n|---|---|---|\n"
        "| Seepferdchen | 3. Mai | 14. Mai |\n| Bronze | 7. Juni | 18. Juni |\n"
    )
    [*_, told] = card("Wann beginnt der Kurs Bronze?", courses)
    assert told == "* Nächster Termin: **Montag, 7. Juni 2027** – Bronze [1]"


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("# Stadtrat\n\n## Sitzungen\n\n- 23. Februar\n- 20. April\n", "Wann tagt der Stadtrat?"),
        ("# Stadtrat\n\n## Sitzungen 2026/2027\n\n- 23. Februar\n- 20. April\n", "Wann tagt der Stadtrat?"),
        (
            "# Stadtrat\n\n## Sitzungen 2027\n\n- 23. Februar\n- 20. April\n\n"
            "Die Sitzung am 23. Februar fällt aus.\n",
            "Wann tagt der Stadtrat?",
        ),
        (
            "# Stadtrat\n\n## Sitzungen 2027\n\n- ~~23. Februar~~ 2. März\n- 20. April\n",
            "Wann tagt der Stadtrat?",
        ),
        ("# Stadtrat\n\n## Sprechstunden des Stadtrats 2027\n\n- 23. Februar\n", "Wann tagt der Stadtrat?"),
        (
            "# Brückenfest\n\n## Flohmarkt beim Brückenfest\n\n- Samstag, 3. Juli 2027\n",
            "Wann ist das Brückenfest?",
        ),
        (
            "# Brückenfest\n\n## Termine 2027\n\n- 1. März: Anmeldeschluss\n- 2. Juli: Eröffnung\n",
            "Wann ist das Brückenfest?",
        ),
        (
            "# Ferien\n\n## Anmeldung zum Ferienprogramm\n\nDas Ferienprogramm beginnt am 2. August 2027.\n",
            "Wann beginnt die Anmeldung zum Ferienprogramm?",
        ),
        (
            "# Fest\n\nDas Weinfest ist am 3. September 2027.\n\nDas Weinfest ist abgesagt.\n",
            "Wann ist das Weinfest?",
        ),
        ("# Feste\n\n## Weinfest\n\nAufbau: 2. September 2027\n", "Wann ist das Weinfest?"),
        ("# Rat\n\nAm 3. Mai 2027 beschließt der Rat über das Brückenfest.\n", "Wann ist das Brückenfest?"),
        ("# Fest\n\nDer Vorverkauf für das Weinfest beginnt am 1. Mai 2027.\n", "Wann ist das Weinfest?"),
        (
            "# Fest\n\nDas Weinfest ist am 3. September 2027, der Umzug am 4. September 2027.\n",
            "Wann ist das Weinfest?",
        ),
        (
            "# Konzerte\n\nDas Konzert der Bläser ist am 3. Mai 2027.\n\n"
            "Das Konzert der Streicher ist am 4. Mai 2027.\n",
            "Wann ist das nächste Konzert?",
        ),
        (
            "# Stadtfest\n\nDas Stadtfest findet vom 3. bis 5. Juli 2026 statt.\n",
            "Wann ist das Stadtfest 2027?",
        ),
        (
            "# Abfuhr 2027\n\n| Bezirk | Restmüll | Papier |\n|---|---|---|\n"
            "| Nord | Montag | 4.1., 1.2. |\n| Süd | Dienstag | 5.1., 2.2. |\n",
            "Wann ist die nächste Abfuhr in Nord?",
        ),
        ("# Fest\n\nDas Konzert ist nicht am 3. Mai 2027.\n", "Wann ist das Konzert?"),
        ("# Fest\n\nThe concert is not on 3 May 2027.\n", "Wann ist das Konzert?"),
        ("# Feste 2027\n\n## Abgesagt\n\n- 3. Mai: Flohmarkt\n", "Wann ist der Flohmarkt?"),
        ("# Konzert (abgesagt)\n\nDas Konzert ist am 3. Mai 2027.\n", "Wann ist das Konzert?"),
        ("# Feste\n\n- 3. Juli 2027: Vorverkauf Brückenfest\n", "Wann ist das Brückenfest?"),
        ("# Feste\n\n- 3. Juli 2027: Planung Sommerfest\n", "Wann ist das Sommerfest?"),
        ("# Feste\n\n- 3. Juli 2027: Beginn Anmeldung Sommerfest\n", "Wann ist das Sommerfest?"),
        ("# Feste\n\n- 3. Juli 2027: Anmeldeschluss Konzert des Chors\n", "Wann ist das Konzert des Chors?"),
        (
            "# Feste\n\n- 3. Juli 2027: Fest des Sportvereins (mit Feuerwehr)\n",
            "Wann ist das Fest der Feuerwehr?",
        ),
        (
            "# Fest\n\nDas Brückenfest wird am 1. Juli 2027 im Stadtrat besprochen.\n",
            "Wann ist das Brückenfest?",
        ),
        ("# Fest\n\nDas Brückenfest ist am 1. Juli 2027 in Planung.\n", "Wann ist das Brückenfest?"),
        ("# Fest\n\nDas Brückenfest ist am 1. Juli 2027 ausgebucht.\n", "Wann ist das Brückenfest?"),
        ("# Fest\n\nDas Konzert ist am 1. Juli 2027 im Fernsehen zu sehen.\n", "Wann ist das Konzert?"),
        (
            "# Bau\n\nDie Sanierung der Brücke ist am 3. Mai 2027 abgeschlossen.\n",
            "Wann beginnt die Sanierung?",
        ),
        (
            "# Rat\n\n## Sitzungen des Rats\n\n- 3.3.2027\n\nDie Märzsitzung wurde auf den 10. März gelegt.",
            "Wann ist die nächste Sitzung des Rats?",
        ),
        (
            "# Kurse 2027\n\n| Kurs | Beginn |\n|---|---|\n| B1 (nach A2) | 3. Mai |\n",
            "Wann beginnt der Kurs A2?",
        ),
        ("# Märkte\n\n## Flohmarkt seit 2027\n\n- am 3. Mai\n", "Wann ist der Flohmarkt?"),
        ("# Märkte\n\n- 3.5.99: Flohmarkt\n", "Wann ist der Flohmarkt?"),
        ("# Märkte 2027\n\n- 3.5.99: Flohmarkt\n", "Wann ist der Flohmarkt?"),
        (
            "# Märkte\n\nDer Wochenmarkt ist jeden Samstag geschlossen.\n",
            "Wann ist Wochenmarkt?",
        ),
    ],
)
def test_in_doubt_there_is_no_card(content: str, question: str) -> None:
    assert not card(question, _page(content))


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("# Parties\n\n- 3 July 2027: Set-up summer party\n", "When is the summer party?"),
        ("# Parties\n\n- 3 July 2027: Deadline summer party\n", "When is the summer party?"),
        ("# Festivals\n\nThe concert will be recorded on 3 May 2027.\n", "When is the concert?"),
        (
            "# Festivals\n\n- 3 May 2027: Festival of the club (with fire brigade)\n",
            "When is the fire brigade festival?",
        ),
    ],
)
def test_in_doubt_there_is_no_english_card(content: str, question: str) -> None:
    assert not card(question, _page(content, "en"))


def test_a_time_that_is_told_once_is_no_end() -> None:
    fest = _page("# Feste\n\nDas Brückenfest ist am 14. Februar 2027 um 11 Uhr.\n")
    assert card("Wann ist das Brückenfest?", fest, now=datetime(2027, 2, 14, 10))
    assert not card("Wann ist das Brückenfest?", fest, now=datetime(2027, 2, 14, 11, 5))


def test_a_sentence_with_several_dates_is_not_cut_off() -> None:
    market = _page("# Markets 2027\n\nThe flea market is on May 3 and December 4.\n", "en")
    assert card("When is the flea market?", market)[2] == "* Next: **Monday, 3 May 2027**"


@pytest.mark.parametrize(
    "table", ["| Kurs | Tag |\n|---|---|\n| Bronze | 3. Mai |\n\n", "Der Kurs ist am 3. Mai 2027.\n\n"]
)
def test_the_work_grows_with_the_page(table: str) -> None:
    assert grows_with_size(lambda size: page_dates(f"# Kurse {random()}\n\n" + table * size, "Kurse"), 100)


def test_tables_of_very_many_columns_are_not_read() -> None:
    row = "| 3. Mai 2027 " * 61
    assert not page_dates(f"# Kurse\n\n{row}|\n{'|---' * 61}|\n{row}|\n", "Kurse")


def test_a_question_for_two_things_has_no_card() -> None:
    assert not card("Wann kommt das Schadstoffmobil und was kostet es?", HAZARDOUS)


@pytest.mark.parametrize(
    "text", ["Der Kurs ist am 3. Mai 2027. ", "- 3. Mai 2027: Kurs\n", "1. 2. ", "Montag, ", "am 3. Mai und "]
)
def test_long_pages_are_read_in_seconds(text: str) -> None:
    content = "# Kurse\n\n" + text * (READ_CHARACTERS // len(text) - 10)
    begun = time.monotonic()
    page_dates(content, "Kurse")
    assert time.monotonic() - begun < 20


DAYS = st.lists(st.dates(date(2026, 1, 1), date(2028, 12, 31)), min_size=1, max_size=6)


@given(
    DAYS, st.sampled_from(["- {}", "{}", "Am {} ist Markt.", "| Markt | {} |"]), st.sampled_from(["de", "en"])
)
def test_every_date_that_is_told_stands_in_the_page(days: list[date], form: str, language: str) -> None:
    months = card_texts()[language].months
    written = [f"{day.day}{'.' * (language == 'de')} {months[day.month - 1]} {day.year}" for day in days]
    head = "| Was | Wann |\n|---|---|\n" if form.startswith("|") else ""
    content = "# Markt\n\n" + head + "\n".join(form.format(day) for day in written)
    for found in page_dates(content, "Markt"):
        for each in found.dates:
            assert {each.first, each.last} <= set(days)
