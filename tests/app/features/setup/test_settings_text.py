"""The file that `init` writes is one that the product reads, whatever a website says of itself."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.setup.settings_text import NewSite, settings_text, site_key
from app.features.setup.site_facts import SiteFacts
from app.settings.settings import load_settings


def beginning(
    name: str = "Otterfurt",
    contact: str = "",
    allow: str = "",
    *,
    host: str = "www.town.example",
    language: str = "de",
) -> NewSite:
    facts = SiteFacts(
        name=name,
        languages=(language,),
        colour="",
        contact=contact,
        contact_page="",
        imprint="https://www.town.example/impressum",
        privacy="",
    )
    address = f"https://{host}/"
    return NewSite(key="town", address=address, origin=address[:-1], facts=facts, allow=allow)


@given(st.text(), st.lists(st.text(min_size=1, max_size=60), max_size=3))
def test_whatever_a_website_calls_itself_the_file_is_toml(name: str, examples: list[str]) -> None:
    table = tomllib.loads(settings_text(beginning(name), examples))
    assert table["sites"][0]["origins"] == ["https://www.town.example"]
    assert "chat" not in table


def test_the_file_is_read_as_it_was_meant(tmp_path: Path) -> None:
    file = tmp_path / "auskunft.toml"
    questions = ["Was kostet es?", 'Say "hello"?']
    file.write_text(settings_text(beginning('A "town" \\ more', "a@b.example", "127.0.0.1"), questions))
    settings = load_settings(file)
    [site] = settings.sites
    assert (site.name, site.contact, site.language) == ('A "town" \\ more', "a@b.example", "de")
    assert (site.examples, site.sources, settings.fetch_allow) == (questions, ["town"], ["127.0.0.1"])
    assert settings.sources["town"].options() == {"address": "https://www.town.example/"}


@pytest.mark.parametrize(
    ("host", "language", "place"),
    [
        ("camden.gov.uk", "en", ("Europe/London", "GB")),
        ("www.graz.at", "de", ("Europe/Vienna", "AT")),
        ("www.town.example", "de", ("Europe/Berlin", "DE")),
        ("stadt.de", "en", ("Europe/Berlin", "DE")),
    ],
)
def test_clock_and_holidays_are_those_of_the_websites_country(
    tmp_path: Path, host: str, language: str, place: tuple[str, str]
) -> None:
    file = tmp_path / "auskunft.toml"
    file.write_text(settings_text(beginning(host=host, language=language)))
    [site] = load_settings(file).sites
    assert (site.time_zone, site.region) == place


def test_where_nobody_knows_the_country_the_file_says_how_to_name_it(tmp_path: Path) -> None:
    text = settings_text(beginning(host="www.town.example", language="en"))
    file = tmp_path / "auskunft.toml"
    file.write_text(text.replace("# time_zone", "time_zone").replace("# region", "region"))
    [site] = load_settings(file).sites
    assert "# time_zone" in text and (site.time_zone, site.region) == ("Europe/London", "GB-ENG")


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("www.town.example", "town"),
        ("camden.gov.uk", "camden"),
        ("www.ay.gov.uk", "ay"),
        ("stadt-otterfurt.de", "stadt-otterfurt"),
        ("127.0.0.1:8000", "site"),
        ("localhost", "site"),
        ("xn--mhle-0ra.example", "xn--mhle-0ra"),
    ],
)
def test_a_website_gets_a_key_of_its_hosts_name(host: str, key: str) -> None:
    assert site_key(f"https://{host}/de/") == key
