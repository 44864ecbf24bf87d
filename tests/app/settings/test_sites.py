"""A site's clock and holidays are those of a place that there is."""

import pytest
from pydantic import ValidationError

from app.settings.sites import SiteSettings


def test_a_site_is_in_germany_unless_it_says_so() -> None:
    site = SiteSettings(key="town")
    assert (site.time_zone, site.region) == ("Europe/Berlin", "DE")


@pytest.mark.parametrize("region", ["", "DE", "DE-HE", "FR", "CH-ZH"])
def test_a_region_is_a_country_a_part_of_one_or_none(region: str) -> None:
    assert SiteSettings(key="town", region=region).region == region


@pytest.mark.parametrize("region", ["XX", "DE-XX", "Hessen"])
def test_another_region_is_refused_with_what_to_write(region: str) -> None:
    with pytest.raises(ValidationError, match="use a country such as DE, or a part of one such as DE-HE"):
        SiteSettings(key="town", region=region)


@pytest.mark.parametrize("zone", ["Europe/Otterfurt", "", "../etc/passwd"])
def test_another_time_zone_is_refused_with_what_to_write(zone: str) -> None:
    with pytest.raises(ValidationError, match="use one such as Europe/Berlin"):
        SiteSettings(key="town", time_zone=zone)
