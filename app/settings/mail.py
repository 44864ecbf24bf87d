"""Settings of e-mails: ``[smtp]``, the server that sends them."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

_MAILBOX: Final = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)


def is_mailbox(text: str) -> bool:
    """Return True for one plain e-mail address, without a name, comment or anything that ends a header."""
    return len(text) <= 254 and bool(_MAILBOX.fullmatch(text))


def _mailbox(text: str) -> str:
    if text and not is_mailbox(text):
        raise ValueError(f"{text!r} is not an e-mail address: use one such as info@town.example")
    return text


Mailbox = Annotated[str, AfterValidator(_mailbox)]


class SmtpSettings(BaseModel):
    """The server that sends e-mails. ``sender``: their From address. ``security``: ``starttls``, ``tls`` from
    the first byte, or ``none``, with which no password may be set."""

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
