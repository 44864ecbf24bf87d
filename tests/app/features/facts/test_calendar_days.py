"""Days of the calendar are read as pages name them."""

import pytest

from app.features.facts.calendar_days import day_groups


@pytest.mark.parametrize(
    ("text", "days"),
    [
        (
            "am 20. März, am 12. Juni und am 16. Oktober 2027",
            [((3, 20), None), ((6, 12), None), ((10, 16), 2027)],
        ),
        ("Di, 16.02.27, 18:30 Uhr", [((2, 16), 2027)]),
        ("Dienstag, den 16. Februar 2027", [((2, 16), 2027)]),
        ("Thurs. 4 Nov 2027", [((11, 4), 2027)]),
        ("18./19. September", [((9, 18), None), ((9, 19), None)]),
        ("Saturday 12 June, 10.30am", [((6, 12), None)]),
        ("bis Freitag, 24. September, 15 Uhr", [((9, 24), None)]),
    ],
)
def test_days_and_their_year_are_read(text: str, days: list[tuple[tuple[int, int], int | None]]) -> None:
    assert [(day.first, day.year) for group in day_groups(text) for day in group.days] == days


@pytest.mark.parametrize(
    "text", ["2–4 July 2027", "vom 2. bis 4. Juli 2027", "from Friday 2 July to Sunday 4 July 2027"]
)
def test_a_span_has_its_first_and_last_day(text: str) -> None:
    [group] = day_groups(text)
    [days] = group.days
    assert (days.first, days.last, days.year) == ((7, 2), (7, 4), 2027)


def test_a_span_over_new_year_begins_in_the_year_before() -> None:
    [group] = day_groups("28. Dezember bis 3. Januar 2027")
    assert [(day.first, day.year) for day in group.days] == [((12, 28), 2026)]


def test_weekdays_are_read_with_their_days() -> None:
    [group] = day_groups("from Friday 2 July to Sunday 4 July 2027")
    assert group.days[0].weekdays == (4, 6)


def test_a_day_that_there_is_not_leaves_its_group_without_days() -> None:
    [group] = day_groups("am 30. und 31. Juni 2027")
    assert group.days == ()
