"""Where the CMS edits a page of a source."""

from pathlib import Path

import pytest

from app.errors import SettingsError
from app.settings.settings import load_settings
from app.settings.sources import SourceSettings

PAGE = ("node/12 ä&b", "https://town.example/pool?a=1")


@pytest.mark.parametrize(
    ("template", "address"),
    [
        ("", ""),
        ("https://cms.example/edit/{id}", "https://cms.example/edit/node/12%20%C3%A4%26b"),
        (
            "https://cms.example:8443/find?url={url}&of={id}",
            "https://cms.example:8443/find?url=https%3A%2F%2Ftown.example%2Fpool%3Fa%3D1&of=node/12%20%C3%A4%26b",
        ),
        ("http://[::1]/{id}#{id}", "http://[::1]/node/12%20%C3%A4%26b#node/12%20%C3%A4%26b"),
    ],
)
def test_a_page_is_put_into_the_address(template: str, address: str) -> None:
    assert SourceSettings(edit_url=template).edit_address(*PAGE) == address


def test_a_page_without_an_address_is_not_edited_by_it() -> None:
    by_url, by_id = (SourceSettings(edit_url=f"https://cms.example/{name}") for name in ("{url}", "{id}"))
    assert by_url.edit_address("12", "") == ""
    assert by_id.edit_address("{url}", "") == "https://cms.example/%7Burl%7D"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("https://cms.example/edit", "does not identify a page: use https://cms.town.example/edit/{id}"),
        ("https://cms.example/{page}", "does not identify a page"),
        ("https://cms.example/{id}/{", "does not identify a page"),
        ("javascript:alert({id})", "is not an address: use https://cms.town.example/edit/{id}"),
        ("https://{id}.example/", "is not an address"),
        ("/edit/{id}", "is not an address"),
        ("https://ada:secret@cms.example/{id}", "is not an address"),
    ],
)
def test_what_is_no_address_of_a_page_is_refused(tmp_path: Path, template: str, problem: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(data=tmp_path, sources={"town": {"edit_url": template}})
    message = str(refused.value)
    assert problem in message and "edit_url" in message and "secret" not in message
