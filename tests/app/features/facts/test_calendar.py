"""Public holidays are those of a site's region."""

from datetime import date

import pytest

from app.errors import SettingsError
from app.features.facts.calendar import HolidayCalendar

CORPUS_CHRISTI = date(2026, 6, 4)


def test_a_part_of_a_country_has_its_own_holidays() -> None:
    assert HolidayCalendar("DE-HE").name(CORPUS_CHRISTI, "de") == "Fronleichnam"
    assert not HolidayCalendar("DE-BE")(CORPUS_CHRISTI)


def test_a_country_has_the_holidays_of_all_its_parts() -> None:
    assert HolidayCalendar("DE")(CORPUS_CHRISTI)
    assert not HolidayCalendar("DE")(date(2026, 6, 3))


def test_names_are_in_the_language_of_the_answer_where_it_has_them() -> None:
    calendar = HolidayCalendar("DE-HE")
    assert calendar.name(date(2026, 12, 25), "de") == "Erster Weihnachtstag"
    assert calendar.name(date(2026, 12, 25), "en") == "Christmas Day"
    assert calendar.name(date(2026, 12, 25), "pl")


def test_no_region_has_no_holidays() -> None:
    assert not HolidayCalendar("")(date(2026, 12, 25))


@pytest.mark.parametrize("region", ["XX", "DE-XX"])
def test_an_unknown_region_is_refused_with_what_to_write(region: str) -> None:
    with pytest.raises(SettingsError, match="name a country such as DE, or a part of it such as DE-HE"):
        HolidayCalendar(region)
