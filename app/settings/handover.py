"""Settings of the hand-over to a person: ``[sites.handover]``, and ``[smtp]`` for those that are e-mails."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from app.settings.addresses import check_server, shown
from app.settings.sources import key_of

MOST_DAYS: Final = 365

_MAILBOX: Final = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)


def is_mailbox(text: str) -> bool:
    """True for one plain e-mail address, without a name, comment or anything that ends a header."""
    return len(text) <= 254 and bool(_MAILBOX.fullmatch(text))


def _mailbox(text: str) -> str:
    if text and not is_mailbox(text):
        raise ValueError(f"{text!r} is no e-mail address: give one as info@town.example")
    return text


def _http_address(text: str) -> str:
    if not text:
        return text
    if not text.startswith(("https://", "http://")) or "@" in text:
        raise ValueError(f"{shown(text)!r} is no address: give one as https://www.town.example/contact")
    check_server("the address", text, "https://www.town.example/contact")
    return text


Mailbox = Annotated[str, AfterValidator(_mailbox)]
HttpAddress = Annotated[str, AfterValidator(_http_address)]


class HandoverSettings(BaseModel):
    """To whom visitors of a site can turn where an answer does not help: exactly one of ``email``,
    ``webhook`` and ``form``.

    ``email``: gets the message by SMTP. ``webhook``: gets it as JSON, signed with ``secret`` (``whsec_…``).
    ``form``: a page of the website's own, which is only linked to. ``keep_days``: after so many a message is
    deleted here, sent or not.
    """

    model_config = ConfigDict(extra="forbid")

    email: Mailbox = ""
    webhook: HttpAddress = ""
    secret: SecretStr = SecretStr("")
    form: HttpAddress = ""
    keep_days: int = Field(default=30, ge=1, le=MOST_DAYS)

    @model_validator(mode="after")
    def _has_one_way(self) -> Self:
        ways = [way for way in (self.email, self.webhook, self.form) if way]
        if len(ways) != 1:
            raise ValueError("give one of email, webhook and form")
        secret = self.secret.get_secret_value()
        if bool(self.webhook) != bool(secret):
            raise ValueError("set both webhook and secret, or neither")
        if secret:
            key_of(secret)
        return self


class SmtpSettings(BaseModel):
    """The server that e-mails are sent by. ``sender``: their From address. ``security``: ``starttls``,
    ``tls`` from the first byte, or ``none``, without which no password is sent."""

    model_config = ConfigDict(extra="forbid")

    host: str = Field(default="", pattern=r"^([A-Za-z0-9.-]{1,253}|\[?[0-9A-Fa-f:]{2,39}\]?)?$")
    port: int = Field(default=587, gt=0, le=65_535)
    user: str = ""
    password: SecretStr = SecretStr("")
    sender: Mailbox = ""
    security: Literal["starttls", "tls", "none"] = "starttls"

    @model_validator(mode="after")
    def _can_log_in(self) -> Self:
        if bool(self.user) != bool(self.password.get_secret_value()):
            raise ValueError("set both user and password, or neither")
        if self.user and self.security == "none":
            raise ValueError('a password needs security = "starttls" or "tls"')
        if bool(self.host) != bool(self.sender):
            raise ValueError("set both host and sender, or neither")
        return self
