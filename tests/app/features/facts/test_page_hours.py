"""Opening hours are read from pages where every word of them is known, and nowhere else."""

from datetime import date

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
    *days: int, spans: tuple[tuple[float, float], ...] = (), nth: tuple[int, ...] = (), months: object = None
) -> Rule:
    """A rule of hours."""
    minutes = tuple((int(60 * start), int(60 * end)) for start, end in spans)
    named = ALL_MONTHS if months is None else frozenset(months)  # type: ignore[call-overload]
    return Rule(days=frozenset(days), spans=minutes, nth=frozenset(nth), months=named)


def only(markdown: str) -> OpeningHours:
    """The only hours of a page."""
    (hours,) = page_hours(markdown)
    return hours


def test_a_table_has_hours_for_each_of_its_columns() -> None:
    without, with_one = page_hours(TABLE)
    assert (without.name, with_one.name) == ("Ohne Termin", "Nur mit Termin")
    assert without.rules == (rule(MONDAY, TUESDAY, spans=((8, 12),)), rule(WEDNESDAY))
    assert with_one.rules[-1] == rule(FRIDAY, spans=((8.5, 12),))
    assert [TABLE[start:].startswith("| Montag") for start in without.starts] == [True]


def test_a_table_may_have_a_column_for_each_day() -> None:
    page = (
        "## Opening hours\n\n| | Monday | Tuesday |\n| --- | --- | --- |\n| Pool | 9 am to 5 pm | closed |\n"
    )
    hours = only(page)
    assert hours.name == "Pool"
    assert hours.rules == (rule(MONDAY, spans=((9, 17),)), rule(TUESDAY))


@pytest.mark.parametrize(
    "line", ["Mo. – Fr.: 8 – 12 Uhr", "Mon. — Fri. 8am – 12pm", "Werktags Mo. – Fr. 8-12 Uhr"]
)
def test_the_point_of_a_short_weekday_ends_no_sentence(line: str) -> None:
    hours = only(f"## Opening hours\n\n{line}\n")
    assert hours.rules == (rule(*range(5), spans=((8, 12),)),)


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
        ("jeden ersten Samstag im Monat 10 bis 13 Uhr", (rule(SATURDAY, spans=((10, 13),), nth=(1,)),)),
        ("last Thursday of the month: 2 pm to 4 pm", (rule(THURSDAY, spans=((14, 16),), nth=(-1,)),)),
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
        (
            "9am-4.30pm on Mondays and Fridays, and 10am-4pm on Wednesdays",
            (rule(MONDAY, FRIDAY, spans=((9, 16.5),)), rule(WEDNESDAY, spans=((10, 16),))),
        ),
        (
            "Monday 9 to 11 am; 2 pm to 4 pm on Tuesdays",
            (rule(MONDAY, spans=((9, 11),)), rule(TUESDAY, spans=((14, 16),))),
        ),
        (
            "täglich außer montags 10 bis 17 Uhr",
            (rule(*range(1, 7), spans=((10, 17),)), rule(MONDAY)),
        ),
        ("2. und 4. Mittwoch im Monat 14 bis 17 Uhr", (rule(WEDNESDAY, spans=((14, 17),), nth=(2, 4)),)),
        ("every day from midday until 2 p.m.", (rule(*range(8), spans=((12, 14),)),)),
        (
            "1. April – 31. Oktober: Di–So 10–18 Uhr",
            (rule(*range(1, 7), spans=((10, 18),), months=range(4, 11)),),
        ),
        (
            "Sundays 10am-12 noon, February to October",
            (rule(SUNDAY, spans=((10, 12),), months=range(2, 11)),),
        ),
        ("Mo–Fr 9–18 Uhr (Einlass bis 17 Uhr)", (rule(*range(5), spans=((9, 18),)),)),
        ("Mittwoch geschlossen, Donnerstag 8 bis noon", (rule(WEDNESDAY), rule(THURSDAY, spans=((8, 12),)))),
    ],
)
def test_a_line_below_a_heading_of_hours_is_read(line: str, rules: tuple[Rule, ...]) -> None:
    hours = only(f"## Öffnungszeiten\n\n* {line}\n")
    assert hours.rules == rules
    assert hours.name == hours.text == ""


@pytest.mark.parametrize(
    "line",
    [
        "Mon-Fri 9-5",
        "Mo. Di. Do. 8–12 Uhr",
        "Montag Dienstag 8–12 Uhr",
        "Mon-Fri 9:00-12:00, 1:00-5:00",
        "Tuesday 10 am to 2",
        "Mon-Fri 9 to 12 am",
        "Mo–Fr 8:00–16:00, Heiligabend geschlossen",
        "Monday to Friday 9 am to 5 pm, closed for lunch 12 pm to 1 pm",
        "Closed on Wednesdays, otherwise 9 am-5 pm",
        "Mo 8-18 Uhr, sonst 8-16 Uhr",
        "Mo–Fr 8:00–16:00, mittwochs nachmittags geschlossen",
        "Ab April täglich 9-18 Uhr",
        "Mo-Fr 9-16 Uhr, So bis 19 Uhr",
        "Mo-Fr 8-12 und 14-16 Uhr, freitags nur 8-12 Uhr",
        "Mo-Fr 8-12 Uhr und 14-16 Uhr, Do 14-18 Uhr",
        "Di-So 10-17 Uhr, Januar und Februar geschlossen",
        "täglich 10-17 Uhr (November bis März geschlossen)",
        "Samstag 9-12 Uhr (jeden 1. Samstag im Monat)",
        "Saturday 9am to 1pm first Saturday of the month",
        "November - März: Sa und So 11 - 16 Uhr, sonst geschlossen",
        "Mo-Fr 8-18 Uhr, Sa 9-14 Uhr, November bis März 8-16 Uhr",
        "Mon to Fri: 10 - 12 and 6 - 8",
        "Monday: Closed (except bank holidays)",
    ],
)
def test_a_line_that_may_mean_something_else_is_not_read(line: str) -> None:
    assert not page_hours(f"## Opening hours\n\n* {line}\n")


@pytest.mark.parametrize(
    ("line", "day", "spans"),
    [
        ("Mon-Sat 9am-5pm, Sun closed", SUNDAY, ()),
        ("Mon-Sat 9am-5pm, Sun closed", SATURDAY, ((9, 17),)),
        ("Di-So 10:00-17:00, Mo geschlossen", TUESDAY, ((10, 17),)),
        ("Montags geschlossen, täglich 10:00-18:00", MONDAY, ()),
        ("Mo-Fr 9-16 Uhr, Sa 10-14 Uhr, Do bis 19 Uhr", THURSDAY, ((9, 19),)),
    ],
)
def test_what_is_told_of_fewer_days_holds_on_them(
    line: str, day: int, spans: tuple[tuple[int, int], ...]
) -> None:
    hours = only(f"## Opening hours\n\n* {line}\n")
    assert hours.weekly(day) == tuple((60 * start, 60 * end) for start, end in spans)


@pytest.mark.parametrize(
    "line",
    [
        "Do bis 18 Uhr",
        "Donnerstagnachmittag: 14 - 18 Uhr",
        "Donnerstags nur vormittags",
        "Thursdays: by appointment only",
        "Donnerstags kein Publikumsverkehr",
    ],
)
def test_a_day_of_which_a_line_says_something_else_is_doubtful(line: str) -> None:
    hours = only(f"## Opening hours\n\n* Monday to Friday: 9am to 5pm\n* {line}\n")
    assert hours.doubtful_days == {THURSDAY}
    assert not hours.is_certain(date(2026, 11, 26))
    assert hours.is_certain(date(2026, 11, 27))


@pytest.mark.parametrize(
    "line",
    [
        "Montag bis Freitag nur nach Terminvereinbarung.",
        "Mo–Fr nach Absprache",
        "Mo.-Fr.: nur mit Termin",
        "montags bis einschließlich freitags nur vormittags",
        "Monday through Friday by appointment only",
        "Mon-Fri: by appointment",
    ],
)
def test_a_line_about_a_range_of_weekdays_makes_all_of_them_doubtful(line: str) -> None:
    hours = only(f"## Opening hours\n\n* Daily: 9am to 5pm\n\n{line}\n")
    assert hours.doubtful_days == {MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY}


@pytest.mark.parametrize(
    "sentence",
    ["The office is closed on Wednesdays from 2 pm to 5 pm.", "Mittwochs schließt das Amt um 13 Uhr."],
)
def test_a_day_of_which_a_sentence_elsewhere_says_something_else_is_doubtful(sentence: str) -> None:
    hours = only(f"## Opening hours\n\n* Monday to Friday: 9am to 5pm\n\n## Note\n\n{sentence}\n")
    assert hours.doubtful_days == {WEDNESDAY}


@pytest.mark.parametrize(
    "text",
    [
        "Montag 8-12 Uhr\n\nNur nach Terminvereinbarung!",
        "Bis 31.12.2025:\n\nMo-Fr 8-12 Uhr",
        "In den Ferien:\n\nMo-Fr 14-16 Uhr",
        "Term time\n\nMonday to Friday: 9am to 5pm",
        "**Winter hours**\n\nMonday to Friday: 9am to 4pm",
        "Bürgerbüro:\nMo-Fr 8-12 Uhr\n\nStandesamt:\nDo 14-18 Uhr",
        "Die Verwaltung ist zu folgenden Zeiten nicht besetzt:\n\n- Mo-Fr 12-13 Uhr",
        "Montag 8-12 Uhr\n\nNur in geraden Wochen.",
        "täglich 9-20 Uhr\n\nBei schlechtem Wetter 9-12 Uhr.",
    ],
)
def test_hours_that_a_section_restricts_are_told_of_no_day(text: str) -> None:
    assert all(each.doubtful == ALL_MONTHS for each in page_hours(f"## Öffnungszeiten\n\n{text}\n"))


@pytest.mark.parametrize(
    "heading",
    [
        "Alte Öffnungszeiten",
        "Neue Öffnungszeiten ab Januar",
        "Öffnungszeiten im Advent",
        "Opening hours until 31 December 2025",
        "Previous opening hours",
    ],
)
def test_hours_of_another_time_are_not_read(heading: str) -> None:
    assert not page_hours(f"## {heading}\n\nMo-Fr 8-12 Uhr\n")


def test_hours_below_a_heading_of_telephone_hours_are_of_a_telephone() -> None:
    assert only("## Telefonzeiten\n\n* Montag 8 bis 12 Uhr\n").is_phone
    assert only("## Sprechzeiten\n\nTelefonisch erreichen Sie uns:\n\n* Montag 8 bis 12 Uhr\n").is_phone


def test_lines_below_each_other_are_hours_of_one_thing() -> None:
    hours = only("## Opening hours\n\n* Monday: 9 am to noon\n* Tuesday: 1 pm to 5 pm\n")
    assert hours.rules == (rule(MONDAY, spans=((9, 12),)), rule(TUESDAY, spans=((13, 17),)))


def test_a_table_may_have_columns_for_when_it_opens_and_closes() -> None:
    hours = only("## Hours\n\n| Day | Opens | Closes |\n| --- | --- | --- |\n| Friday | 20:00 | 03:00 |\n")
    assert (hours.name, hours.rules) == ("", (rule(FRIDAY, spans=((20, 27),)),))


BARE_TABLE = """# Citizens' office

## Öffnungszeiten

| Montag | 08:00 – 12:00 Uhr | 14:00 – 16:00 Uhr |
| --- | --- | --- |
| Dienstag | geschlossen | geschlossen |
| Mittwoch | 08:00 – 12:00 Uhr |  |
"""


def test_the_first_row_of_a_table_without_a_header_is_read_as_the_others() -> None:
    hours = only(BARE_TABLE)
    assert (hours.name, hours.rules) == (
        "",
        (rule(MONDAY, spans=((8, 12), (14, 16))), rule(TUESDAY), rule(WEDNESDAY, spans=((8, 12),))),
    )
    assert not page_hours(BARE_TABLE.replace("| 14:00 – 16:00 Uhr |", "| 11:00 – 16:00 Uhr |"))


def test_what_is_open_besides_is_told_with_the_hours_of_its_section() -> None:
    note = "\nJeden ersten Samstag im Monat zusätzlich von 9:00 bis 11:00 Uhr.\n"
    assert only(BARE_TABLE + note).rules[-1] == rule(SATURDAY, spans=((9, 11),), nth=(1,))


@pytest.mark.parametrize(
    "note",
    [
        "Jeden ersten Samstag im Monat zusätzlich von 9:00 bis 11:00 Uhr.",
        "Zusätzlich ist samstags von 9 bis 11 Uhr geöffnet.",
        "The office is also open on Saturdays from 9 am to 11 am.",
    ],
)
def test_what_is_open_besides_is_not_told_alone(note: str) -> None:
    assert not page_hours(f"# Office\n\n## Öffnungszeiten\n\nMontags nach Vereinbarung.\n\n{note}\n")
    doubted = page_hours(f"# Office\n\n## Öffnungszeiten\n\n- Mo–Fr 8–12 Uhr\n\n## Hinweis\n\n{note}\n")
    assert [each.doubtful_days for each in doubted] == [{SATURDAY}]


def test_a_paragraph_may_begin_with_what_its_lines_are() -> None:
    hours = only("# Library\n\n**Öffnungszeiten:**\nDienstag: 10–13 Uhr und 15–18 Uhr\nMittwoch: 15–18 Uhr\n")
    assert hours.rules == (rule(TUESDAY, spans=((10, 13), (15, 18))), rule(WEDNESDAY, spans=((15, 18),)))
    assert not page_hours("# Library\n\n**Öffnungszeiten in den Ferien:**\nDienstag: 10–13 Uhr\n")
    assert not page_hours("# Library\n\n**Winter-Öffnungszeiten:**\nDienstag: 10–13 Uhr\n")
    assert not page_hours("# Library\n\nDienstag: 10–13 Uhr\n")


def test_a_table_with_a_column_that_is_not_understood_is_not_read() -> None:
    page = TABLE.replace("13 bis 16 Uhr", "13 bis 16 Uhr, nicht in den Ferien")
    assert not page_hours(page)


def test_lines_of_nothing_but_hours_are_of_the_place_that_their_heading_names() -> None:
    farm, cafe = page_hours("# Farm\n\n## Shop\n\nMon-Sat 9.30-17.30\n\n## Café\n\nSun 10.00-16.00\n")
    assert (farm.place, cafe.place) == ("Shop", "Café")


def test_a_heading_may_name_the_months() -> None:
    page = "## Öffnungszeiten\n\n### Sommer (Mai bis September)\n\n* Montag 8 bis 12 Uhr\n"
    assert only(page).rules == (rule(MONDAY, spans=((8, 12),), months=range(5, 10)),)


def test_hours_below_headings_for_seasons_are_of_one_thing() -> None:
    summer = "### Sommer (April bis Oktober)\n\n* Montag 8 bis 18 Uhr\n"
    winter = "### Winter (November bis März)\n\n* Montag 9 bis 16 Uhr\n* Samstag 9 bis 12 Uhr\n"
    hours = only(f"# Hof\n\n## Öffnungszeiten\n\n{summer}\n{winter}")
    cold = (11, 12, 1, 2, 3)
    assert hours.rules == (
        rule(MONDAY, spans=((8, 18),), months=range(4, 11)),
        rule(MONDAY, spans=((9, 16),), months=cold),
        rule(SATURDAY, spans=((9, 12),), months=cold),
    )
    assert len(hours.starts) == 2
    apart = f"# Hof\n\n## Öffnungszeiten\n\n{summer}\n## Öffnungszeiten Café\n\n{winter}"
    assert len(page_hours(apart)) == 2


@pytest.mark.parametrize("closing", ["The site is closed on Tuesdays.", "The café is closed on Mondays."])
def test_hours_are_not_told_where_a_sentence_closes_perhaps_something_else_then(closing: str) -> None:
    page = "## Opening hours\n\n* Daily 10 am to 5 pm\n"
    assert page_hours(page)
    assert not page_hours(f"{page}\n{closing}\n")


def test_holidays_are_closed_or_not_known_where_a_sentence_closes_on_them() -> None:
    hours = only("## Öffnungszeiten\n\n* Täglich 10 bis 18 Uhr\n\nAn Feiertagen geschlossen.\n")
    assert hours.rules == (rule(*range(8), spans=((10, 18),)), rule(HOLIDAY))
    assert not hours.doubtful
    elsewhere = only("## Öffnungszeiten\n\n* Täglich 10 bis 18 Uhr\n\n# Café\n\nAn Feiertagen geschlossen.\n")
    assert elsewhere.rules == (rule(*range(7), spans=((10, 18),)),)


@pytest.mark.parametrize(
    "note",
    [
        "An Feiertagen ist der Wertstoffhof geschlossen.",
        "An gesetzlichen Feiertagen bleiben beide Höfe geschlossen.",
        "The yard is closed on public holidays.",
    ],
)
def test_what_is_closed_on_holidays_makes_no_other_day_doubtful(note: str) -> None:
    hours = only(f"# Yard\n\n## Opening hours\n\n- Daily 8 am to 5 pm\n\n{note}\n")
    assert not (hours.doubtful or hours.doubtful_days)
    assert hours.rules == (rule(*range(7), spans=((8, 17),)),)


@pytest.mark.parametrize(
    ("note", "months"),
    [
        ("In den Weihnachtsferien öffnen wir nicht.", {12, 1}),
        ("In den Sommerferien entfällt der Nachmittag.", {6, 7, 8, 9}),
        ("In den Schulferien ist das Büro nicht besetzt.", ALL_MONTHS),
        ("In den Oster- und Schulferien geschlossen.", ALL_MONTHS),
        ("Closed in August.", {8}),
    ],
)
def test_school_holidays_are_doubtful_in_their_months(note: str, months: set[int]) -> None:
    assert only(f"# Yard\n\n## Opening hours\n\n- Daily 8 am to 5 pm\n\n{note}\n").doubtful == months
    assert only(f"# Yard\n\n## Opening hours\n\nDaily 8 am to 5 pm. {note}\n").doubtful == months


@pytest.mark.parametrize(
    "closed",
    [
        "| Montag | geschlossen |\n| Dienstag | 12–22 Uhr |",
        "Die Sauna ist montags geschlossen.\n\n* Di 12–22 Uhr",
    ],
)
def test_a_day_on_which_one_of_several_is_closed_is_told_of_the_others(closed: str) -> None:
    pool = "## Öffnungszeiten Hallenbad\n\n* Mo–Fr 9–19 Uhr"
    hall, sauna = page_hours(f"# Bad\n\n{pool}\n\n## Öffnungszeiten Sauna\n\n{closed}\n")
    assert hall.weekly(MONDAY) == ((540, 1140),)
    assert sauna.weekly(MONDAY) in ((), None)


def test_of_several_sections_each_is_of_what_its_heading_names() -> None:
    pool = "## Öffnungszeiten Hallenbad\n\n- Samstag 9–19 Uhr"
    sauna = "## Unsere Öffnungszeiten in Sauna und Café\n\n- Samstag 10–20 Uhr"
    places = [each.place for each in page_hours(f"# Bad\n\n{pool}\n\n{sauna}\n")]
    assert places == ["Hallenbad", "Sauna und Café"]
    assert only(f"# Bad\n\n{pool}\n").place == ""


@pytest.mark.parametrize(
    "heading",
    [
        "Unsere Öffnungszeiten",
        "Allgemeine Sprechzeiten",
        "Öffnungszeiten und Preise",
        "Our opening hours & prices",
    ],
)
def test_a_heading_that_names_no_thing_is_of_the_page(heading: str) -> None:
    sauna = "## Öffnungszeiten der Sauna\n\n- Samstag 10–20 Uhr"
    hours = page_hours(f"# Bad\n\n## {heading}\n\n- Samstag 9–19 Uhr\n\n{sauna}\n")
    assert [each.place for each in hours] == ["", "Sauna"]


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("Di und Do 8–12 Uhr, sonst nach telefonischer Vereinbarung", (rule(1, 3, spans=((8, 12),)),)),
        ("Mittwochs 10–12 Uhr und nach Vereinbarung", (rule(2, spans=((10, 12),)),)),
        ("Thursday: 8.00 a.m. to 12.00 noon", (rule(3, spans=((8, 12),)),)),
    ],
)
def test_hours_may_end_with_others_by_appointment(line: str, rules: tuple[Rule, ...]) -> None:
    assert only(f"# Office\n\n## Parteiverkehr\n\n{line}\n").rules == rules
    assert not page_hours("# Office\n\n## Parteiverkehr\n\nDi 8–12 Uhr nach Vereinbarung\n")


def test_a_registration_for_something_restricts_no_hours() -> None:
    page = "# Library\n\n## Opening hours\n\n- Daily 8 am to 5 pm\n\n{note}\n"
    assert only(page.format(note="Zur Anmeldung bringen Sie bitte Ihren Ausweis mit."))
    assert not page_hours(page.format(note="Nur nach vorheriger Anmeldung."))


@pytest.mark.parametrize(
    "note",
    [
        "Annahmeschluss ist um 16.30 Uhr.",
        "Last entry is at 4.30 pm.",
        "Letzter Einlass eine Stunde vor Schließung.",
        "Last entry is 30 minutes before closing time.",
    ],
)
def test_the_time_of_the_last_entry_changes_no_hours(note: str) -> None:
    assert not only(f"# Yard\n\n## Opening hours\n\n- Daily 8 am to 5 pm\n\n{note}\n").doubtful


@pytest.mark.parametrize(
    "page",
    [
        "## Marktzeiten\n\nMittwoch 7 bis 13 Uhr\n\nVon Dezember bis Februar beginnt der Markt um 8 Uhr.\n",
        "## Anlieferzeiten\n\nMontag bis Freitag: 6 bis 10 Uhr\n",
        "# Stadt\n\n## Schließzeiten\n\nMontag bis Freitag 12 bis 13 Uhr\n",
        "# Town\n\n## Peak hours\n\nMonday to Friday 7 am to 9 am\n",
        "# Amt\n\n## Öffnungszeiten in den Sommerferien\n\nMontag 8 bis 12 Uhr\n",
        "# Bad\n\n## Öffnungszeiten\n\n### Sommer\n\nMontag 8 bis 12 Uhr\n",
        "## Öffnungszeiten\n\n| Tag | Mittagspause |\n| --- | --- |\n| Montag | 12 bis 13 Uhr |\n",
        "# Bus\n\n## Linie 7\n\n| Tag | Hin | Zurück |\n| --- | --- | --- |\n| Montag | 8 Uhr | 16 Uhr |\n",
        "# Kurse\n\n## Yoga-Kurs\n\nMontag 18 bis 20 Uhr\n",
        "# Ruhezeiten\n\n## Geräte\n\n| Tag | Erlaubt |\n| --- | --- |\n| Montag | 7 bis 13 Uhr |\n",
    ],
)
def test_times_of_another_kind_or_of_some_months_are_not_read(page: str) -> None:
    assert not page_hours(page)


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
        "Der Kurs beginnt montags von 18 bis 20 Uhr.",
        "Am 24. Dezember ist montags von 9 bis 12 Uhr geöffnet.",
        "Am 24.12. ist von Montag bis Freitag von 9 bis 12 Uhr geöffnet.",
        "Freitags ist ab 17 Uhr geöffnet.",
        "Das Buch von Mai hat 8 bis 12 Kapitel und ist offen für alle.",
        "You may visit us if we are open on Mondays from 9 am to 5 pm.",
        "Wenn montags von 8 bis 12 Uhr geöffnet ist, kommen Sie.",
        "Die Tonnen werden montags von 6 bis 9 Uhr geleert.",
        "The library is open Mondays from 9 am to 5 pm and hosts a club on Fridays from 10 am to 1 pm.",
        "Das Rathaus ist montags von 8 bis 12 Uhr geöffnet, donnerstags tagt der Rat von 18 bis 21 Uhr.",
        "Das Café ist alle zwei Wochen samstags von 10 bis 12 Uhr geöffnet.",
        "Früher war das Museum sonntags von 10 bis 12 Uhr geöffnet.",
        "Im Sommer ist das Bad täglich von 9 bis 20 Uhr geöffnet.",
        "For members only, the club is open on Mondays from 9 am to 5 pm.",
    ],
)
def test_what_is_restricted_or_no_opening_is_not_read(text: str) -> None:
    assert not page_hours(f"# Page\n\n{text}\n")


@pytest.mark.parametrize(
    ("sentence", "months"),
    [
        ("An Heiligabend, dem 24.12., geschlossen.", {12}),
        ("Vom 20. Juli bis 10. August ist das Café geschlossen.", {7, 8}),
        ("Closed from 20 December to 3 January for repairs.", {12, 1}),
        ("In den Ferien gelten geänderte Zeiten.", set(ALL_MONTHS)),
        ("Closed over Easter.", {3, 4}),
        ("The office is closed on Wednesdays from 2 pm to 5 pm.", set[int]()),
        ("Zurzeit ist das Amt wegen Umbau geschlossen.", set(ALL_MONTHS)),
        ("Am 24.11. öffnen wir erst um 13 Uhr.", {11}),
        ("Am 24. November bis 12 Uhr geöffnet.", {11}),
        ("Seit 1. November ist das Bad geschlossen.", set(ALL_MONTHS)),
        ("Bis zum 15.12. ist das Bad geschlossen.", set(ALL_MONTHS)),
        ("Closed until the 15th of December.", set(ALL_MONTHS)),
        ("Das Freibad ist ab 9. Mai geöffnet.", set(ALL_MONTHS)),
        ("Heiligabend und Silvester nachmittags geschlossen.", {12}),
        ("Closed on public holidays.", set[int]()),
        ("Metal is free.", set[int]()),
    ],
)
def test_hours_are_doubtful_in_months_in_which_the_page_names_days_that_differ(
    sentence: str, months: set[int]
) -> None:
    assert only(f"## Opening hours\n\n* Monday 8 am to noon\n\n## Note\n\n{sentence}\n").doubtful == months


def test_hours_of_a_season_are_doubtful_when_it_begins_and_ends() -> None:
    season = "Die Saison dauert vom 8. Mai bis zum 12. September."
    hours = only(f"## Öffnungszeiten\n\n{season}\n\n* Mai bis September: täglich 9 bis 19 Uhr\n")
    assert hours.doubtful >= {5, 9}


def test_a_line_that_names_a_season_without_its_months_gives_no_hours() -> None:
    assert page_hours("# Bad\n\nÖffnungszeiten:\nMo–Fr 8–20 Uhr\n")
    assert not page_hours("# Bad\n\nÖffnungszeiten im Advent:\nMo–Fr 8–20 Uhr\n")


def test_a_sentence_that_leads_to_a_long_list_is_told_once() -> None:
    items = "\n".join(f"* Becken {number} {'mit Rutsche ' * 12}" for number in range(20))
    hours = only(f"# Bad\n\nDas Bad ist montags von 8 bis 12 Uhr geöffnet und hat:\n\n{items}\n")
    assert hours.rules == (rule(MONDAY, spans=((8, 12),)),)


def test_a_page_of_which_not_all_is_read_has_no_hours() -> None:
    page = "## Opening hours\n\n* Monday 8 am to noon\n\n"
    assert page_hours(page + "Words. " * 10_000)
    assert not page_hours(page + "Words. " * 20_000)


WORDS = (
    "Montag Mo. Di bis und 8 12 Uhr 8:30 9am pm ( ) | - – , Mai von ersten im Monat geschlossen sonst ab "
    "24.12. täglich Feiertage noon open geöffnet * # ##"
)


@given(st.lists(st.sampled_from((*WORDS.split(), "\n")), max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_text_is_read_and_what_is_found_stands_in_it(text: str) -> None:
    for hours in page_hours(f"## Öffnungszeiten\n\n{text}"):
        assert all(0 <= start < len(text) + 20 for start in hours.starts)
        for each in hours.rules:
            assert each.days
            assert each.months
            assert all(0 <= start < end <= start + 1_440 for start, end in each.spans)


@pytest.mark.parametrize(
    "sentence",
    [
        "In den Weihnachtsferien (23.12.2026 bis 06.01.2027) öffnen wir von Dienstag bis Sonntag jeweils von"
        " 10 bis 18 Uhr.",
        "In den Weihnachtsferien öffnen wir von Dienstag bis Sonntag von 10 bis 18 Uhr.",
    ],
)
def test_other_hours_in_holidays_make_their_months_doubtful(sentence: str) -> None:
    [hours] = page_hours(
        f"# Bad\n\n## Öffnungszeiten\n\n- Mittwoch: 14–21 Uhr\n- Freitag: 14–22 Uhr\n\n{sentence}\n"
    )
    assert {12, 1} <= hours.doubtful


def test_months_at_the_head_of_a_column_are_those_of_its_hours() -> None:
    content = """# Office

## Opening hours

| | April – October | November – March |
|---|---|---|
| Monday – Friday | 9.30 am – 6 pm | 10 am – 4 pm |
| Saturday | 10 am – 4 pm | closed |
"""
    [hours] = page_hours(content)
    assert hours.on(date(2026, 11, 30), lambda _: False) == ((600, 960),)
    assert hours.on(date(2027, 4, 3), lambda _: False) == ((600, 960),)
    assert hours.on(date(2026, 12, 5), lambda _: False) == ()
    assert not page_hours(content.replace("November – March", "from 15 November"))


def test_a_note_on_weekdays_of_some_months_is_no_doubt_in_others() -> None:
    [hours] = page_hours(
        "# Amt\n\n## Sprechzeiten\n\n- Dienstag: 8–16 Uhr\n- Mittwoch: 8–12 Uhr\n\n"
        "In den Sommerferien entfällt der Dienstagnachmittag.\n"
    )
    assert hours.is_certain(date(2026, 11, 24))
    assert not hours.is_certain(date(2026, 7, 28))
    [hours] = page_hours(
        "# Museum\n\n## Geöffnet\n\nDienstag bis Freitag 14 bis 17 Uhr\n\n"
        "Montag geschlossen, Ostermontag und Pfingstmontag geöffnet\n"
    )
    assert not hours.is_certain(date(2026, 11, 30))


def test_hours_below_an_address_with_a_number_are_not_of_the_telephone() -> None:
    content = "# Library\n\n## Opening hours\n\nSchulgasse 4, phone {}\n\n- Tuesday: 10 am to 6 pm\n"
    assert [each.is_phone for each in page_hours(content.format("02799 55-410"))] == [False]
    assert [each.is_phone for each in page_hours(content.format("02799 55-410 is answered:"))] == [True]


def test_a_day_of_a_table_that_is_by_appointment_leaves_the_others_certain() -> None:
    [booked, walk_in] = page_hours(
        "# Amt\n\n## Öffnungszeiten\n\n| Tag | Mit Termin | Ohne Termin |\n|---|---|---|\n"
        "| Montag | 8–12 Uhr | 14–16 Uhr |\n| Dienstag | 8–12 Uhr | 14–16 Uhr |\n"
        "| Mittwoch | geschlossen | geschlossen |\n"
        "| Freitag | 8–12 Uhr nur mit Termin | nach Vereinbarung |\n"
    )
    assert (booked.name, walk_in.name) == ("Mit Termin", "Ohne Termin")
    for each in (booked, walk_in):
        assert each.is_certain(date(2026, 11, 30))
        assert not each.is_certain(date(2026, 12, 4))
    assert walk_in.on(date(2026, 12, 2), lambda _: False) == ()
    assert walk_in.on(date(2026, 12, 4), lambda _: False) is None


def test_lines_below_the_name_of_a_season_hold_in_its_months() -> None:
    content = """# Wertstoffhof

**Sommerzeit (1. März – 31. Oktober)**
Mo–Fr 9:00–18:00 Uhr, Sa 9:00–15:00 Uhr

**Winterzeit (1. November – 28./29. Februar)**
Di–Fr 9:00–16:00 Uhr, Sa 9:00–13:00 Uhr
"""
    [hours] = page_hours(content)
    assert hours.on(date(2026, 7, 6), lambda _: False) == ((540, 1080),)
    assert hours.on(date(2026, 11, 30), lambda _: False) is None
    assert hours.on(date(2026, 12, 1), lambda _: False) == ((540, 960),)
    assert not page_hours(content.replace("Winterzeit (1. November – 28./29. Februar)", "Gottesdienst"))


@pytest.mark.parametrize(
    ("note", "is_certain"),
    [
        ("in den Schulferien geschlossen", True),
        ("in den Schulferien sind alle Zweigstellen geschlossen", False),
    ],
)
def test_what_restricts_the_hours_of_one_place_is_no_doubt_of_those_beside_it(
    note: str, is_certain: bool
) -> None:
    [central, branch] = page_hours(
        "# Bibliothek\n\n### Zentrale\n\nDi, Do 10–18 Uhr\nSa 10–14 Uhr\n\n"
        f"### Oberdorf\n\nMo und Mi 14–17 Uhr\n{note}\n"
    )
    assert central.is_certain(date(2026, 12, 1)) is is_certain
    assert not branch.is_certain(date(2026, 11, 30))


def test_a_cell_beside_a_title_of_hours_has_them() -> None:
    content = """# Amt

| Anschrift | Molkereistraße 5 31999 Otterfurt |
|---|---|
| Telefon | 069 90009-140 |
| {} | Mo, Mi, Fr 9.00 – 12.00 Uhr Do 14.00 – 16.00 Uhr |
"""
    [hours] = page_hours(content.format("Sprechzeiten"))
    assert hours.on(date(2026, 12, 3), lambda _: False) == ((840, 960),)
    assert not hours.is_phone
    assert [each.is_phone for each in page_hours(content.format("Telefonzeiten"))] == [True]
    assert not page_hours(content.format("Kurse"))
