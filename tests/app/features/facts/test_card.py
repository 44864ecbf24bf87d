"""The card says what is open on the day that is asked for, in German and English."""

from datetime import date, datetime, timedelta
from typing import Final

import pytest

from app.features.facts.asked_day import AskedDay
from app.features.facts.card import hours_card, label
from app.features.facts.holiday_calendar import HolidayCalendar
from app.features.facts.hours import OpeningHours
from app.features.facts.page_hours import page_hours

OFFICE: Final = """## Öffnungszeiten

| Tag | Ohne Termin | Nur mit Termin |
| --- | --- | --- |
| Montag bis Donnerstag | 8 bis 12 Uhr und 14 bis 16 Uhr | 16 bis 18:30 Uhr |
| Freitag | – | 8 bis 12 Uhr |
| Samstag | geschlossen | geschlossen |
"""
YARD: Final = "# Yard\n\nThe yard is open on Tuesdays and Fridays from 2 pm to 5 pm."
PARK: Final = "# Park\n\nDas Tor ist von April bis September von 7 bis 21 Uhr offen, sonst von 8 bis 17 Uhr."
SEASON: Final = (
    "## Öffnungszeiten\n\nDie Saison endet am 12. September.\n\n* Mai bis September: täglich 9 bis 19 Uhr\n"
)

NOW: Final = AskedDay(kind="day")
TUESDAY: Final = datetime(2026, 11, 24, 11, 20)


def card(page: str, asked: AskedDay, now: datetime = TUESDAY, language: str = "de") -> str:
    hours: tuple[OpeningHours, ...] = page_hours(page)
    return hours_card(
        hours, asked, now=now, holidays=HolidayCalendar("DE-HE"), language=language, cited="[1]"
    )


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (
            datetime(2026, 11, 24, 11, 20),
            "**Heute, Dienstag, 24. November**\n\n"
            "* Ohne Termin: 8 bis 12 Uhr und 14 bis 16 Uhr – jetzt geöffnet, noch 40 Minuten\n"
            "* Nur mit Termin: 16 bis 18:30 Uhr – jetzt geschlossen, öffnet um 16 Uhr [1]",
        ),
        (
            datetime(2026, 11, 24, 11, 59, 30),
            "**Heute, Dienstag, 24. November**\n\n"
            "* Ohne Termin: 8 bis 12 Uhr und 14 bis 16 Uhr – jetzt geöffnet, noch eine Minute\n"
            "* Nur mit Termin: 16 bis 18:30 Uhr – jetzt geschlossen, öffnet um 16 Uhr [1]",
        ),
        (
            datetime(2026, 11, 27, 13, 0),
            "**Heute, Freitag, 27. November**\n\n* Nur mit Termin: 8 bis 12 Uhr – jetzt geschlossen\n\n"
            "Wieder geöffnet: Montag ab 8 Uhr. [1]",
        ),
        (
            datetime(2026, 11, 28, 13, 0),
            "**Heute, Samstag, 28. November**\n\n"
            "* Ohne Termin: geschlossen\n* Nur mit Termin: geschlossen\n\n"
            "Wieder geöffnet: Montag ab 8 Uhr. [1]",
        ),
        (
            datetime(2026, 11, 29, 13, 0),
            "**Heute, Sonntag, 29. November:** keine Zeiten angegeben. Wieder geöffnet: Montag ab 8 Uhr. [1]",
        ),
        (
            datetime(2026, 12, 17, 18, 45),
            "**Heute, Donnerstag, 17. Dezember**\n\n"
            "* Ohne Termin: 8 bis 12 Uhr und 14 bis 16 Uhr – jetzt geschlossen\n"
            "* Nur mit Termin: 16 bis 18:30 Uhr – jetzt geschlossen\n\n"
            "Wieder geöffnet: Freitag ab 8 Uhr. [1]",
        ),
        (
            datetime(2026, 12, 25, 9, 0),
            "**Heute, Freitag, 25. Dezember (Feiertag: Erster Weihnachtstag):** keine Zeiten angegeben. "
            "Wieder geöffnet: Montag ab 8 Uhr. [1]",
        ),
    ],
)
def test_now_is_told_with_what_is_left_or_comes_next(now: datetime, told: str) -> None:
    assert card(OFFICE, NOW, now) == told


WEEK: Final = AskedDay(kind="day", is_named=False)
SUNDAY: Final = datetime(2026, 11, 29, 13, 0)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (
            OFFICE,
            "**Jede Woche**\n\n"
            "* Ohne Termin: Montag–Donnerstag: 8 bis 12 Uhr und 14 bis 16 Uhr; Samstag: geschlossen\n"
            "* Nur mit Termin: Montag–Donnerstag: 16 bis 18:30 Uhr; Freitag: 8 bis 12 Uhr; "
            "Samstag: geschlossen [1]",
        ),
        (YARD, "**Jede Woche:** Dienstag, Freitag: 14 bis 17 Uhr. [1]"),
        ("# Hof\n\n## Öffnungszeiten\n\n* Mo: 8 bis 9 Uhr\n\nDienstags: nach Vereinbarung\n", "Montag: 8"),
        ("# Hof\n\n## Öffnungszeiten\n\n* Mo–Di: 8 bis 9 Uhr\n\nDienstags: nach Vereinbarung\n", ""),
        ("# Hof\n\n## Öffnungszeiten\n\n* 1. Samstag im Monat: 8 bis 9 Uhr\n", ""),
    ],
)
def test_the_week_is_shown_if_no_day_was_asked_for_and_the_page_does_not_name_today(
    page: str, told: str
) -> None:
    assert told in card(page, WEEK, SUNDAY) if told else not card(page, WEEK, SUNDAY)


def test_the_week_is_that_of_the_month_of_the_next_day_with_hours() -> None:
    content = (
        "# Hof\n\n## Öffnungszeiten\n\n* April bis November: Mo 8 bis 9 Uhr\n* Dezember: Di 8 bis 10 Uhr\n"
    )
    told = card(content, WEEK, datetime(2026, 11, 30, 9) - timedelta(days=1))
    assert told == "**Jede Woche im November:** Montag: 8 bis 9 Uhr. [1]"
    told = card(content, WEEK, datetime(2026, 12, 2, 9))
    assert told == "**Jede Woche im Dezember:** Dienstag: 8 bis 10 Uhr. [1]"


def test_a_holiday_in_the_next_week_is_shown_with_the_week() -> None:
    told = card(YARD, WEEK, datetime(2026, 12, 20, 13))
    assert told.startswith("**Jede Woche:** Dienstag, Freitag: 14 bis 17 Uhr. [1]")
    assert "**Freitag, 25. Dezember (Feiertag: Erster Weihnachtstag):** keine Zeiten angegeben" in told


def test_there_is_no_card_if_every_day_that_the_page_names_is_doubtful() -> None:
    content = "# Hof\n\n## Öffnungszeiten\n\n* Mo: 8 bis 9 Uhr\n\nMontags: nach Vereinbarung\n"
    for asked in (NOW, WEEK, AskedDay(kind="day", day=date(2026, 11, 25))):
        assert page_hours(content)
        assert not card(content, asked, SUNDAY)


def test_another_day_is_told_without_now() -> None:
    asked = AskedDay(kind="day", day=date(2026, 11, 25))
    assert card(YARD, asked, language="en") == "**Tomorrow, Wednesday, 25 November:** no hours given. [1]"
    friday = AskedDay(kind="day", day=date(2026, 11, 27))
    assert card(YARD, friday, language="en") == "**Friday, 27 November:** 2 pm to 5 pm. [1]"


def test_weekdays_and_months_are_told_for_any_year() -> None:
    fridays = AskedDay(kind="weekday", weekdays=(4,))
    assert card(OFFICE, fridays) == "**Freitags**\n\n* Nur mit Termin: 8 bis 12 Uhr [1]"
    february = AskedDay(kind="month", month=2)
    assert card(PARK, february) == "**Im Februar täglich:** 8 bis 17 Uhr. [1]"
    july = AskedDay(kind="weekday", weekdays=(2,), month=7)
    assert card(PARK, july) == "**Mittwochs im Juli:** 7 bis 21 Uhr. [1]"


@pytest.mark.parametrize(
    ("now", "exception"),
    [
        (
            datetime(2026, 12, 21, 9, 0),
            "**Freitag, 25. Dezember (Feiertag: Erster Weihnachtstag):** keine Zeiten angegeben",
        ),
        (
            datetime(2026, 12, 25, 9, 0),
            "**Heute, Freitag, 25. Dezember (Feiertag: Erster Weihnachtstag):** keine Zeiten",
        ),
        (datetime(2026, 12, 26, 9, 0), "**Freitag, 1. Januar (Feiertag: Neujahr):** keine Zeiten angegeben"),
    ],
)
def test_the_next_weekday_is_told_where_it_is_a_holiday(now: datetime, exception: str) -> None:
    told = card(YARD, AskedDay(kind="weekday", weekdays=(4,)), now)
    assert told.startswith("**Freitags:** 14 bis 17 Uhr")
    assert exception in told
    assert "25. Dezember" not in card(YARD, AskedDay(kind="weekday", weekdays=(4,)))
    assert "Dezember" not in card(YARD, AskedDay(kind="weekday", weekdays=(1,)), now)


def test_the_next_weekday_is_told_where_hours_may_differ() -> None:
    told = card(YARD, AskedDay(kind="weekday", weekdays=(3, 4)), datetime(2027, 12, 20, 9, 0))
    assert "**Freitag, 24. Dezember:** keine Zeiten angegeben" in told


def test_a_weekday_in_a_season_is_told_with_the_month_of_the_next_one() -> None:
    wednesdays = AskedDay(kind="weekday", weekdays=(2,))
    assert card(PARK, wednesdays) == "**Mittwochs im November:** 8 bis 17 Uhr. [1]"
    assert card(PARK, wednesdays, datetime(2026, 3, 31, 9)) == "**Mittwochs im April:** 7 bis 21 Uhr. [1]"
    depot = "# Hof\n\n## Öffnungszeiten\n\nApril bis September: Fr 8–18 Uhr\n\nOktober bis März: Fr 9–16 Uhr"
    fridays = card(depot, AskedDay(kind="weekday", weekdays=(4,)), datetime(2026, 12, 21, 9))
    assert "**Freitags im Dezember:**" in fridays and "Freitag, 25. Dezember" in fridays


def test_nothing_is_told_where_it_is_not_certain() -> None:
    assert not card(YARD, AskedDay(kind="weekday", weekdays=(6,)))
    assert not card(SEASON, NOW, datetime(2026, 9, 20, 12))
    assert card(SEASON, AskedDay(kind="month", month=7)) == "**Im Juli täglich:** 9 bis 19 Uhr. [1]"


def test_weekdays_are_not_told_in_a_month_in_which_they_are_doubtful() -> None:
    winter = "From November to March it closes at noon."
    market = f"# Market\n\nThe market is open on Saturdays from 8am to 1pm. {winter}\n"
    saturdays = AskedDay(kind="weekday", weekdays=(5,))
    assert not card(market, saturdays, language="en")
    assert card(market, saturdays, now=datetime(2026, 7, 1, 9), language="en")


def test_a_language_without_words_for_it_has_no_card() -> None:
    assert not card(OFFICE, NOW, language="tr")


def test_the_place_is_named_above() -> None:
    told = hours_card(
        page_hours(YARD),
        AskedDay(kind="weekday", weekdays=(1,)),
        now=TUESDAY,
        holidays=HolidayCalendar(""),
        language="en",
        place="Yard",
    )
    assert told == "**Tuesdays – Yard**\n\n* 2 pm to 5 pm"


def test_names_are_told_without_markup_or_numbers_of_sources() -> None:
    page = "## Öffnungszeiten\n\n| Tag | Besuch [2] |\n| --- | --- |\n| Dienstag | 8 bis 12 Uhr |\n"
    told = hours_card(
        page_hours(page), NOW, now=TUESDAY, holidays=HolidayCalendar(""), language="de", place="Amt [3] <b>"
    )
    assert told.startswith("**Heute, Dienstag, 24. November – Amt 3 b**\n\n* Besuch 2: 8 bis 12 Uhr")


@pytest.mark.parametrize("asked", [NOW, AskedDay(kind="weekday", weekdays=(4,))])
def test_nothing_is_told_where_it_is_closed_until_somebody_says_so(asked: AskedDay) -> None:
    page = "## Öffnungszeiten\n\n* Mo-Fr 8-16 Uhr\n\n## Umbau\n\nDas Haus ist bis auf Weiteres geschlossen.\n"
    assert not card(page, asked)


def test_what_never_closes_is_open_now() -> None:
    page = "## Öffnungszeiten\n\n* Täglich 0 bis 24 Uhr\n"
    assert card(page, NOW) == "**Heute, Dienstag, 24. November:** 0 bis 24 Uhr – jetzt geöffnet. [1]"


def test_the_next_opening_is_told_where_it_is_certain_alone() -> None:
    note = "Am 1. Dezember schließen wir um 13 Uhr."
    page = f"## Öffnungszeiten\n\n* Täglich 10 bis 18 Uhr\n\n## Hinweis\n\n{note}\n"
    assert card(page, NOW, datetime(2026, 11, 29, 19)).endswith("Wieder geöffnet: Montag ab 10 Uhr. [1]")
    assert card(page, NOW, datetime(2026, 11, 30, 19)).endswith("10 bis 18 Uhr – jetzt geschlossen. [1]")


@pytest.mark.parametrize("day", [date(2027, 5, 27), date(2026, 12, 24)])
def test_a_day_on_which_some_are_closed_has_no_card(day: date) -> None:
    hours, asked = page_hours(OFFICE), AskedDay(kind="day", day=day)
    told = hours_card(hours, asked, now=TUESDAY, holidays=HolidayCalendar("DE"), language="en")
    assert not told


def test_a_day_of_the_calendar_that_the_page_names_is_told() -> None:
    note = "Am 24., 25. und 31. Dezember bleibt das Amt geschlossen. Am 28.12. ist von 9 bis 11 Uhr geöffnet."
    page = f"# Einwohnermeldeamt\n\n{OFFICE}\n{note}\n"
    eve, after = (AskedDay(kind="day", day=date(2026, 12, day)) for day in (24, 28))
    assert "* Ohne Termin: geschlossen\n" in card(page, eve)
    assert "* Ohne Termin: 9 bis 11 Uhr\n" in card(page, after)
    assert "8 bis 12 Uhr" in card(page, AskedDay(kind="day", day=date(2026, 12, 2)))
    closed = card(page, NOW, datetime(2026, 12, 25, 9))
    assert closed.endswith("Wieder geöffnet: Montag ab 9 Uhr. [1]")


def test_noon_and_midnight_are_told_by_the_twelve_hour_clock() -> None:
    page = "## Opening hours\n\n* Tuesday 8 am to noon and 6 pm to midnight\n"
    tuesdays = AskedDay(kind="weekday", weekdays=(1,))
    assert card(page, tuesdays, language="en") == "**Tuesdays:** 8 am to 12 pm and 6 pm to 12 am. [1]"


def test_a_title_with_the_websites_name_behind_a_bar_stays_two_names() -> None:
    assert label("Passport | Town of Otterfurt") == "Passport – Town of Otterfurt"
    assert label("Passport|*Town* [1]") == "PassportTown 1"
