"""Signatures as Standard Webhooks has them, and every way in which one does not fit."""

from datetime import UTC, datetime, timedelta

import pytest

from app.errors import SignatureError
from app.settings.sources import key_of
from app.sources.signatures import check_reading_token, headers, reading_token, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
BODY = b'{"test": 2432232314}'
SENT = 1614265330
NOW = datetime.fromtimestamp(SENT, UTC)


def signed(**changed: str) -> dict[str, str]:
    return headers(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", SENT, BODY) | {
        f"webhook-{name}": value for name, value in changed.items()
    }


def test_the_example_of_the_standard_comes_out() -> None:
    assert signed()["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_signed_message_gives_its_id() -> None:
    assert verify([SECRET], signed(), BODY, NOW) == "msg_p5jXN8AQM9LWM0D4loKWxJek"


def test_each_of_several_secrets_and_signatures_may_be_the_one_that_fits() -> None:
    mine = signed()["webhook-signature"]
    assert verify([OTHER, SECRET], signed(), BODY, NOW)
    assert verify([SECRET], signed(signature=f"v1a,abc v1,AAAA {mine}"), BODY, NOW)


@pytest.mark.parametrize("seconds", [-300, 300])
def test_clocks_may_be_five_minutes_apart(seconds: int) -> None:
    assert verify([SECRET], signed(), BODY, NOW + timedelta(seconds=seconds))


@pytest.mark.parametrize("seconds", [-301, 301])
def test_a_clock_further_off_is_told_with_both_times(seconds: int) -> None:
    now = NOW + timedelta(seconds=seconds)
    with pytest.raises(SignatureError) as refusal:
        verify([SECRET], signed(), BODY, now)
    assert f"{NOW:%Y-%m-%d %H:%M:%S}" in str(refusal.value)
    assert f"{now:%Y-%m-%d %H:%M:%S}" in str(refusal.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"signature": ""},
        {"signature": "v1"},
        {"signature": "v1,"},
        {"signature": "v1,äöü"},
        {"signature": "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"signature": "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE"},
        {"id": ""},
        {"id": "another"},
        {"id": "with space"},
        {"id": "x" * 256},
        {"id": "ä"},
        {"timestamp": ""},
        {"timestamp": str(SENT + 1)},
        {"timestamp": f"{SENT}.0"},
        {"timestamp": f"-{SENT}"},
        {"timestamp": "nan"},
        {"timestamp": "9" * 400},
        {"timestamp": "١٦١٤٢٦٥٣٣٠"},
    ],
)
def test_whatever_does_not_fit_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(SignatureError):
        verify([SECRET], signed(**wrong), BODY, NOW)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_named(missing: str) -> None:
    sent = signed()
    del sent[missing]
    with pytest.raises(SignatureError, match=f"header {missing} is missing"):
        verify([SECRET], sent, BODY, NOW)


def test_another_body_or_secret_does_not_fit() -> None:
    with pytest.raises(SignatureError):
        verify([SECRET], signed(), BODY + b" ", NOW)
    with pytest.raises(SignatureError):
        verify([OTHER], signed(), BODY, NOW)
    with pytest.raises(SignatureError):
        verify([], signed(), BODY, NOW)


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 at all, but long", "ä" * 40]
)
def test_a_secret_that_is_none_is_refused_without_telling_it(secret: str) -> None:
    with pytest.raises(ValueError, match="at least 24 random bytes in Base64") as refusal:
        key_of(secret)
    assert secret[6:] not in str(refusal.value) or not secret[6:]


def test_a_reading_token_holds_for_one_source_and_one_secret() -> None:
    token = reading_token(SECRET, "town")
    check_reading_token([OTHER, SECRET], "town", f"Bearer {token}")
    for secrets, source, authorization in (
        ([OTHER], "town", f"Bearer {token}"),
        ([SECRET], "village", f"Bearer {token}"),
        ([SECRET], "town", token),
        ([SECRET], "town", "Bearer "),
        ([SECRET], "town", "Bearer ä"),
        ([SECRET], "town", ""),
    ):
        with pytest.raises(SignatureError):
            check_reading_token(secrets, source, authorization)
