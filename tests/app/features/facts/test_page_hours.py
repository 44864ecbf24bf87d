"""Opening hours are read from pages where every word of them is known, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.hours import ALL_MONTHS, EVERY_DAY, HOLIDAY, OpeningHours, Rule
from app.features.facts.page_hours import page_hours

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)

TABLE = """# Citizens' office

## Öffnungszeiten

| Tag | Ohne Termin | Nur mit Termin |
| --- | --- | --- |
| Montag und Dienstag | 8 bis 12 Uhr | 13 bis 16 Uhr |
| Mittwoch | geschlossen | geschlossen |
| Freitag | – | 8:30-12 Uhr |
"""


def rule(
    *days: int, spans: tuple[tuple[float, float], ...] = (), nth: int = 0, months: object = None
) -> Rule:
    """A rule of hours."""
    minutes = tuple((int(60 * start), int(60 * end)) for start, end in spans)
    named = ALL_MONTHS if months is None else frozenset(months)  # type: ignore[call-overload]
    return Rule(days=frozenset(days), spans=minutes, nth=nth, months=named)


def only(markdown: str) -> OpeningHours:
    """The only hours of a page."""
    (hours,) = page_hours(markdown)
    return hours


def test_a_table_has_hours_for_each_of_its_columns() -> None:
    without, with_one = page_hours(TABLE)
    assert (without.name, with_one.name) == ("Ohne Termin", "Nur mit Termin")
    assert without.rules == (rule(MONDAY, TUESDAY, spans=((8, 12),)), rule(WEDNESDAY))
    assert with_one.rules[-1] == rule(FRIDAY, spans=((8.5, 12),))
    assert TABLE[without.start : without.end].startswith("| Montag")


def test_a_table_may_have_a_column_for_each_day() -> None:
    page = (
        "## Opening hours\n\n| | Monday | Tuesday |\n| --- | --- | --- |\n| Pool | 9 am to 5 pm | closed |\n"
    )
    hours = only(page)
    assert hours.name == "Pool"
    assert hours.rules == (rule(MONDAY, spans=((9, 17),)), rule(TUESDAY))


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("Mo–Fr 8–12 Uhr", (rule(*range(5), spans=((8, 12),)),)),
        ("Mo., Di. und Do. 8.00–12.00 Uhr und 14.00–16.00 Uhr", (rule(0, 1, 3, spans=((8, 12), (14, 16))),)),
        ("Monday to Friday 9am-5pm", (rule(*range(5), spans=((9, 17),)),)),
        ("Saturdays 9 to 11:30 am", (rule(SATURDAY, spans=((9, 11.5),)),)),
        ("Sundays 9 to 5 pm", (rule(SUNDAY, spans=((9, 17),)),)),
        ("Freitag bis Sonntag 18 bis 2 Uhr", (rule(4, 5, 6, spans=((18, 26),)),)),
        ("Sonn- und Feiertage: 10 bis 18 Uhr", (rule(SUNDAY, HOLIDAY, spans=((10, 18),)),)),
        ("jeden ersten Samstag im Monat 10 bis 13 Uhr", (rule(SATURDAY, spans=((10, 13),), nth=1),)),
        ("last Thursday of the month: 2 pm to 4 pm", (rule(THURSDAY, spans=((14, 16),), nth=-1),)),
        (
            "Oktober bis März: täglich 10 bis 16 Uhr",
            (rule(*range(8), spans=((10, 16),), months=(10, 11, 12, 1, 2, 3)),),
        ),
        (
            "täglich 9 bis 20 Uhr, mittwochs bis 21 Uhr",
            (rule(*range(8), spans=((9, 20),)), rule(WEDNESDAY, spans=((9, 21),))),
        ),
        (
            "Dienstag 14 bis 18 Uhr (von November bis Februar nur bis 17 Uhr), Samstag 9 bis 14 Uhr",
            (
                rule(TUESDAY, spans=((14, 18),)),
                rule(TUESDAY, spans=((14, 17),), months=(11, 12, 1, 2)),
                rule(SATURDAY, spans=((9, 14),)),
            ),
        ),
        ("Mittwoch geschlossen, Donnerstag 8 bis noon", (rule(WEDNESDAY), rule(THURSDAY, spans=((8, 12),)))),
    ],
)
def test_a_line_below_a_heading_of_hours_is_read(line: str, rules: tuple[Rule, ...]) -> None:
    hours = only(f"## Öffnungszeiten\n\n* {line}\n")
    assert hours.rules == rules
    assert hours.name == hours.text == ""


def test_lines_below_each_other_are_hours_of_one_thing() -> None:
    hours = only("## Opening hours\n\n* Monday: 9 am to noon\n* Tuesday: 1 pm to 5 pm\n")
    assert hours.rules == (rule(MONDAY, spans=((9, 12),)), rule(TUESDAY, spans=((13, 17),)))


def test_lines_that_contradict_are_of_many_things_and_not_told() -> None:
    assert not page_hours("## Öffnungszeiten\n\n* Montag 8 bis 12 Uhr\n* Montag 9 bis 13 Uhr\n")


def test_lines_with_names_are_hours_of_their_own() -> None:
    visits, phone = page_hours("## Sprechzeiten\n\n* Besuche: Mo 8-12 Uhr\n* Telefon: Mo 7-18 Uhr\n")
    assert (visits.name, visits.is_phone, phone.name, phone.is_phone) == ("Besuche", False, "Telefon", True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Der Hof ist dienstags und samstags von 9 bis 14 Uhr geöffnet.",
        "The yard in 14 Pebble Lane is open on Tuesdays and Saturdays from 9 am to 2 pm.",
    ],
)
def test_a_sentence_says_what_is_open(sentence: str) -> None:
    hours = only(f"# Recycling\n\nBring metal for free. {sentence} Oil is not taken.")
    assert hours.rules == (rule(TUESDAY, SATURDAY, spans=((9, 14),)),)
    assert hours.text.strip() == sentence


def test_months_without_days_are_every_day() -> None:
    hours = only(
        "# Park\n\nDie Tore sind von April bis September von 7 bis 21 Uhr geöffnet, sonst von 8 bis 17 Uhr."
    )
    summer = frozenset(range(4, 10))
    assert [each.months for each in hours.rules] == [summer, ALL_MONTHS - summer]
    assert {each.days for each in hours.rules} == {EVERY_DAY}


@pytest.mark.parametrize(
    "text",
    [
        "Montags von 8 bis 10 Uhr gilt hier Halteverbot.",
        "In den Ferien ist montags bis freitags von 9 bis 12 Uhr geöffnet.",
        "Täglich außer montags von 10 bis 17 Uhr geöffnet.",
        "Der Kurs beginnt montags von 18 bis 20 Uhr.",
        "Am 24. Dezember ist montags von 9 bis 12 Uhr geöffnet.",
        "Am 24.12. ist von Montag bis Freitag von 9 bis 12 Uhr geöffnet.",
        "Freitags ist ab 17 Uhr geöffnet.",
        "Das Buch von Mai hat 8 bis 12 Kapitel und ist offen für alle.",
        "You may visit us if we are open on Mondays from 9 am to 5 pm.",
        "Wenn montags von 8 bis 12 Uhr geöffnet ist, kommen Sie.",
        "Die Tonnen werden montags von 6 bis 9 Uhr geleert.",
    ],
)
def test_what_is_restricted_or_no_opening_is_not_read(text: str) -> None:
    assert not page_hours(f"# Page\n\n{text}\n")


def test_hours_are_dated_where_the_page_names_days_that_differ() -> None:
    page = (
        "## Öffnungszeiten\n\n* Montag 8 bis 12 Uhr\n\n## Hinweis\n\nVom 24. bis 31. Dezember geschlossen.\n"
    )
    assert only(page).is_dated
    assert not only("## Öffnungszeiten\n\n* Montag 8 bis 12 Uhr\n").is_dated


WORDS = (
    "Montag Mo. Di bis und 8 12 Uhr 8:30 9am pm ( ) | - – , Mai von ersten im Monat geschlossen sonst ab "
    "24.12. täglich Feiertage noon open geöffnet * # ##"
)


@given(st.lists(st.sampled_from((*WORDS.split(), "\n")), max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_text_is_read_and_what_is_found_stands_in_it(text: str) -> None:
    for hours in page_hours(f"## Öffnungszeiten\n\n{text}"):
        assert 0 <= hours.start < hours.end
        for each in hours.rules:
            assert each.days
            assert each.months
            assert all(0 <= start < end <= start + 1_440 for start, end in each.spans)
