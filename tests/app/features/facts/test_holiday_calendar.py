"""Public holidays are those of a site's region."""

from datetime import date

import pytest

from app.errors import SettingsError
from app.features.facts.holiday_calendar import HolidayCalendar

CORPUS_CHRISTI = date(2026, 6, 4)


def test_a_part_of_a_country_has_its_own_holidays() -> None:
    assert HolidayCalendar("DE-HE").name(CORPUS_CHRISTI, "de") == "Fronleichnam"
    assert not HolidayCalendar("DE-BE")(CORPUS_CHRISTI)


def test_what_is_a_holiday_in_a_part_alone_is_told_apart() -> None:
    assert not HolidayCalendar("DE")(CORPUS_CHRISTI)
    assert HolidayCalendar("DE").is_partial(CORPUS_CHRISTI)
    assert not HolidayCalendar("DE-HE").is_partial(CORPUS_CHRISTI)
    assert HolidayCalendar("DE-BY").is_partial(date(2026, 8, 15))
    assert not HolidayCalendar("DE").is_partial(date(2026, 12, 25))
    assert HolidayCalendar("DE").is_partial(date(2026, 12, 24))


def test_names_are_in_the_language_of_the_answer_where_it_has_them() -> None:
    calendar = HolidayCalendar("DE-HE")
    assert calendar.name(date(2026, 12, 25), "de") == "Erster Weihnachtstag"
    assert calendar.name(date(2026, 12, 25), "en") == "Christmas Day"
    assert calendar.name(date(2026, 12, 25), "pl")


def test_no_region_has_no_holidays() -> None:
    assert not HolidayCalendar("")(date(2026, 12, 25))
    assert not HolidayCalendar("").is_partial(date(2026, 6, 4))


@pytest.mark.parametrize("region", ["XX", "DE-XX"])
def test_an_unknown_region_is_refused_with_what_to_write(region: str) -> None:
    with pytest.raises(SettingsError, match="name a country such as DE, or a part of it such as DE-HE"):
        HolidayCalendar(region)
