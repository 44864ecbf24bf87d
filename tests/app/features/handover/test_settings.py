"""A site hands over in one way, and what it needs for that is told when it is missing."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.errors import SettingsError
from app.settings.handover import HandoverSettings
from app.settings.mail import SmtpSettings, is_mailbox
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.app.features.handover.town import MAILBOX, SECRET, SENDER

HOOK = "https://tickets.town.example/in"
FORM = "https://www.town.example/contact"


def test_a_site_hands_nothing_over_unless_it_says_so() -> None:
    assert SiteSettings(key="town").handover is None


@pytest.mark.parametrize("way", [{"email": MAILBOX}, {"webhook": HOOK, "secret": SECRET}, {"form": FORM}])
def test_each_way_is_enough_and_keeps_messages_for_thirty_days(way: dict[str, Any]) -> None:
    assert HandoverSettings.model_validate(way).keep_days == 30


@pytest.mark.parametrize(
    "ways", [{}, {"email": MAILBOX, "form": FORM}, {"email": MAILBOX, "webhook": HOOK, "secret": SECRET}]
)
def test_none_and_several_ways_are_refused(ways: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="set one of email, webhook and form"):
        HandoverSettings.model_validate(ways)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"email": "a@b"}, "is not an e-mail address"),
        ({"email": "a@town.example\nBcc: b@town.example"}, "is not an e-mail address"),
        ({"email": "A <a@town.example>"}, "is not an e-mail address"),
        ({"webhook": HOOK}, "set both webhook and secret"),
        ({"webhook": "ftp://town.example", "secret": SECRET}, "is not an address"),
        ({"webhook": HOOK, "secret": "short"}, "a secret must be whsec_"),
        ({"form": "javascript:alert(1)"}, "is not an address"),
        ({"email": MAILBOX, "keep_days": 0}, "greater than or equal to 1"),
        ({"email": MAILBOX, "keep_days": 366}, "less than or equal to 365"),
        ({"email": MAILBOX, "keepdays": 3}, "Extra inputs"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_write(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        HandoverSettings.model_validate(table)


def test_an_email_without_a_mail_server_is_an_error_that_names_the_site_and_the_remedy() -> None:
    site = SiteSettings.model_validate({"key": "town", "handover": {"email": MAILBOX}})
    with pytest.raises(
        SettingsError, match=r"site 'town' hands messages over by e-mail: set host and sender in \[smtp\]"
    ):
        load_settings(sites=[site])
    assert load_settings(sites=[site], smtp={"host": "mail.town.example", "sender": SENDER}).smtp.port == 587


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"host": "mail.town.example"}, "set both host and sender"),
        ({"user": "mia"}, "set both user and password"),
        ({"host": "m", "sender": SENDER, "user": "u", "password": "p", "security": "none"}, "needs security"),
        ({"host": "m x", "sender": SENDER}, "should match pattern"),
    ],
)
def test_a_mail_server_that_cannot_be_used_is_refused(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        SmtpSettings.model_validate(table)


def test_the_password_comes_from_the_environment_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUSKUNFT_SMTP__PASSWORD", "hush-hush")
    settings = load_settings(smtp={"host": "m.example", "sender": SENDER, "user": "mia"})
    assert settings.smtp.password.get_secret_value() == "hush-hush"
    assert "hush-hush" not in str(settings.model_dump())


@pytest.mark.parametrize(
    "text", ["a@b.de,c@d.de", "a@b.de\r\nBcc: c@d.de", "a b@c.de", "@b.de", "a@b.de ", ""]
)
def test_only_one_plain_address_is_a_mailbox(text: str) -> None:
    assert not is_mailbox(text)
    assert is_mailbox("mia.mueller+town@visitor.example")
