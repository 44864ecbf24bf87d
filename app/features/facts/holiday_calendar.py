"""Public holidays in a site's region."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Final

import holidays

from app.errors import SettingsError

CACHED_YEARS: Final = 64

EVES: Final = frozenset({(12, 24), (12, 31)})
"""Days (month, day) that are not public holidays, but on which many places close without saying so."""


class HolidayCalendar:
    """The public holidays of a region, which is a country (ISO 3166-1, such as ``DE``) or a part of one (ISO
    3166-2, such as ``DE-HE``).

    An empty region has none. Raises ``SettingsError`` for an unknown region.
    """

    def __init__(self, region: str) -> None:
        self._region = region
        if region:
            _names(region, date.today().year, "")

    def __call__(self, day: date) -> bool:
        """Return True if ``day`` is a holiday in the whole region."""
        return bool(self.name(day, ""))

    def name(self, day: date, language: str) -> str:
        """Return the holiday's name, in ``language`` (ISO 639-1) if available; empty on other days."""
        return _names(self._region, day.year, language).get(day, "") if self._region else ""

    def is_partial(self, day: date) -> bool:
        """Return True if ``day`` is a holiday only in part of the region, such as its Catholic places, or one
        of the ``EVES``."""
        is_eve = (day.month, day.day) in EVES
        return is_eve or (bool(self._region) and day in _partial(self._region, day.year))


@lru_cache(maxsize=CACHED_YEARS)
def _names(region: str, year: int, language: str) -> Mapping[date, str]:
    country, _, part = region.partition("-")
    try:
        known = holidays.country_holidays(country, subdiv=part or None, years=year)
        told = next((each for each in known.supported_languages if each[:2] == language), None)
        found = holidays.country_holidays(country, subdiv=part or None, years=year, language=told)
    except NotImplementedError as error:
        raise SettingsError(
            "region {region!r} is not known: name a country such as DE, or a part of it such as DE-HE",
            region=region,
        ) from error
    return dict(found)


@lru_cache(maxsize=CACHED_YEARS)
def _partial(region: str, year: int) -> frozenset[date]:
    country, _, part = region.partition("-")
    known = holidays.country_holidays(country, subdiv=part or None)
    kinds = tuple({"public", "catholic"} & set(known.supported_categories))
    parts = (part,) if part else known.subdivisions
    found = (holidays.country_holidays(country, subdiv=each, years=year, categories=kinds) for each in parts)
    return frozenset(day for each in found for day in each) - _names(region, year, "").keys()
