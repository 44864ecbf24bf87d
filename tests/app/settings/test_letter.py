"""The settings of the letter say what is wrong with them."""

from typing import Any

import pytest

from app.errors import SettingsError
from app.settings.settings import load_settings

SMTP = {"host": "mail.town.example", "sender": "auskunft@town.example"}
PUBLIC = "https://auskunft.town.example"


def load(letter: dict[str, Any], **changes: Any) -> Any:
    return load_settings(letter=letter, **{"smtp": SMTP, "public_url": PUBLIC} | changes).letter


def test_nobody_gets_a_letter_unless_they_are_named() -> None:
    assert load_settings().letter.to == []


def test_recipients_are_addresses_or_tables() -> None:
    letter = load({"to": ["web@town.example", {"email": "ed@town.example", "user": "ed", "language": "de"}]})
    assert [(each.email, each.user, each.language) for each in letter.to] == [
        ("web@town.example", "", ""),
        ("ed@town.example", "ed", "de"),
    ]
    assert (letter.weekday, letter.hour) == ("monday", 7)


@pytest.mark.parametrize(
    ("letter", "changes", "said"),
    [
        ({"to": ["web@town.example"]}, {"smtp": {}}, "set host and sender in [smtp]"),
        ({"to": ["web@town.example"]}, {"public_url": ""}, "set public_url"),
        ({"to": ["Web <web@town.example>"]}, {}, "is not an e-mail address"),
        ({"to": [""]}, {}, "letter.to"),
        ({"to": [{"user": "ed"}]}, {}, "letter.to"),
        ({"to": ["web@town.example", "Web@town.example"]}, {}, "appears twice"),
        ({"weekday": "someday"}, {}, "letter.weekday"),
        ({"hour": 24}, {}, "letter.hour"),
    ],
)
def test_what_cannot_be_used_is_named(letter: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match="letter") as error:
        load(letter, **changes)
    assert said in str(error.value)
