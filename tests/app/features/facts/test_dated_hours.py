"""Sentences say what is open on days of the calendar; those that say anything else, too, are not read."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.dated_hours import read_dated
from app.features.facts.hours import DatedHours
from app.features.facts.page_hours import page_hours

HOURS = "# Hallenbad\n\n## Öffnungszeiten\n\n* Täglich 10 bis 18 Uhr\n"


def on(
    month: int, day: int, *hours: int, to: tuple[int, int] | None = None, year: int | None = None
) -> DatedHours:
    """Hours of a day, or up to another one."""
    spans = tuple((60 * start, 60 * end) for start, end in zip(hours[::2], hours[1::2], strict=True))
    return DatedHours(first=(month, day), last=to or (month, day), year=year, spans=spans)


@pytest.mark.parametrize(
    ("sentence", "hours"),
    [
        ("Am 24. und 31. Dezember geschlossen.", (on(12, 24), on(12, 31))),
        ("Am 24., 25. Dezember sowie am 1. Januar geschlossen.", (on(12, 24), on(12, 25), on(1, 1))),
        ("Am 24.12. und 31.12. geschlossen", (on(12, 24), on(12, 31))),
        ("Heiligabend und Silvester: 9 bis 12 Uhr", (on(12, 24, 9, 12), on(12, 31, 9, 12))),
        ("24. Dezember: 9:00 bis 13:00 Uhr, 25. Dezember: geschlossen", (on(12, 24, 9, 13), on(12, 25))),
        ("Vom 20. Juli bis 9. August 2026 geschlossen", (on(7, 20, to=(8, 9), year=2026),)),
        ("Vom 23.12.2026 bis 01.01.2027 geschlossen.", (on(12, 23, to=(1, 1), year=2026),)),
        ("Vom 23.12. bis 01.01.2027 geschlossen.", (on(12, 23, to=(1, 1), year=2026),)),
        ("Am Freitag, 18. Dezember 2026, geschlossen.", (on(12, 18, year=2026),)),
        ("Wir haben zwischen Weihnachten und Neujahr geschlossen.", (on(12, 27, to=(12, 30)),)),
        (
            "Hinweis: Am 1. Mai ist von 8 bis 12 Uhr und von 14 bis 16 Uhr geöffnet.",
            (on(5, 1, 8, 12, 14, 16),),
        ),
        ("Closed on Christmas Day and New Year's Day.", (on(12, 25), on(1, 1))),
        ("Closed from 24 December to 6 January", (on(12, 24, to=(1, 6)),)),
        ("We are open from 9 am to 1 pm on December 24", (on(12, 24, 9, 13),)),
    ],
)
def test_hours_of_days_are_read(sentence: str, hours: tuple[DatedHours, ...]) -> None:
    said = read_dated(sentence)
    assert said
    assert (said.hours, said.subject) == (hours, "")


@pytest.mark.parametrize(
    "sentence",
    [
        "Am 24. Dezember ab 12 Uhr geschlossen.",
        "Am 24. Dezember nur vormittags geöffnet.",
        "24. Dezember: 9 bis 13 Uhr (nur Bad), 25. Dezember: geschlossen",
        "Am 31. Dezember findet kein Markt statt.",
        "Mo 8-12 Uhr, 24.12. geschlossen",
        "Am 31. Februar geschlossen.",
        "Am 24. geschlossen.",
        "Am 1. und 3. Samstag im Monat von 9 bis 12 Uhr geöffnet",
        "On 24 December the library closes at noon.",
        "Montags geschlossen",
        "Am Freitag, 18. Dezember, geschlossen.",
    ],
)
def test_what_says_anything_else_is_not_read(sentence: str) -> None:
    assert read_dated(sentence) is None


@pytest.mark.parametrize(
    "note",
    [
        "Am 24. Dezember ist das Bad geschlossen.",
        "Das Hallenbad bleibt am 24. Dezember geschlossen.",
        "Am 24. Dezember geschlossen.",
        "* 24. Dezember: geschlossen\n* 26. Dezember: 10 bis 14 Uhr",
        "| Tag | Zeit |\n| --- | --- |\n| 24. Dezember | geschlossen |",
    ],
)
def test_a_day_that_the_page_names_has_its_own_hours(note: str) -> None:
    [hours] = page_hours(f"{HOURS}\n{note}\n")
    assert hours.on(date(2026, 12, 24), lambda _: False) == ()
    assert hours.is_certain(date(2026, 12, 24), is_unusual=True)
    assert hours.is_certain(date(2026, 12, 23))
    assert not hours.is_certain(date(2026, 12, 31), is_unusual=True)


@pytest.mark.parametrize(
    "note",
    [
        "Am 24. Dezember ist das Café geschlossen.",
        "Café: 24. Dezember geschlossen",
        "## Café\n\nAm 24. Dezember geschlossen.",
        "Am 24. Dezember ist das Bad nachmittags geschlossen.",
        "Am 24. Dezember ist nachmittags das Bad geschlossen.",
        "Am 24. Dezember ist das Café im Hallenbad geschlossen.",
        "Am 24. Dezember bleibt der Parkplatz am Hallenbad geschlossen.",
        "Bis zum 24. Dezember ist das Bad geschlossen.",
        "Ab dem 24. Dezember ist das Bad geschlossen.",
        "Am 24. Dezember geschlossen.\n\n24. Dezember: 9 bis 12 Uhr",
    ],
)
def test_what_is_perhaps_of_something_else_makes_the_month_doubtful(note: str) -> None:
    assert all(
        not each.is_certain(date(2026, 12, 23)) and not each.dated
        for each in page_hours(f"{HOURS}\n{note}\n")
    )


def test_more_days_than_one_thing_has_are_doubtful() -> None:
    listed = "\n".join(f"* 24.12.{year}: {9 + year % 2}–13 Uhr" for year in range(2000, 2100))
    [hours] = page_hours(f"{HOURS}{listed}\n")
    assert not hours.dated
    assert 12 in hours.doubtful


def test_a_weekday_without_its_year_makes_the_month_doubtful() -> None:
    [hours] = page_hours(f"{HOURS}\nAm Freitag, 18. Dezember, bleibt das Bad geschlossen.\n")
    assert not hours.is_certain(date(2027, 12, 18))
    assert hours.is_certain(date(2026, 11, 25))


def test_of_two_things_each_has_the_days_of_its_own_section() -> None:
    sauna = "## Öffnungszeiten Sauna\n\n* Täglich 12 bis 22 Uhr\n\nAm 24. Dezember geschlossen.\n"
    pool, other = page_hours(f"{HOURS}\n{sauna}")
    assert not pool.dated
    assert other.dated == (on(12, 24),)


def test_another_year_than_the_one_that_is_named_is_not_known() -> None:
    [hours] = page_hours(f"{HOURS}\nVom 20. Dezember 2026 bis 3. Januar 2027 geschlossen.\n")
    assert hours.on(date(2027, 1, 3), lambda _: False) == ()
    assert hours.is_certain(date(2027, 1, 3))
    assert not hours.is_certain(date(2028, 1, 3))
    assert hours.is_certain(date(2028, 1, 4))


@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            ["am", "24.", "31.", "12.", "Dezember", "bis", "und", ":", "geschlossen", "9", "Uhr"]
        ),
        max_size=40,
    ).map(" ".join)
)
def test_any_text_is_read_or_not(text: str) -> None:
    said = read_dated(text)
    assert said is None or said.hours
