"""Settings of the handover to a person: ``[sites.handover]``."""

from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from app.settings.addresses import check_server, shown
from app.settings.mail import Mailbox
from app.settings.sources import key_of

MOST_DAYS: Final = 365


def _http_address(text: str) -> str:
    if not text:
        return text
    if not text.startswith(("https://", "http://")) or "@" in text:
        raise ValueError(
            f"{shown(text)!r} is not an address: use one such as https://www.town.example/contact"
        )
    check_server("the address", text, "https://www.town.example/contact")
    return text


HttpAddress = Annotated[str, AfterValidator(_http_address)]


class HandoverSettings(BaseModel):
    """The contact for visitors whom an answer does not help: exactly one of ``email``, ``webhook`` and
    ``form``.

    ``email``: receives the message by SMTP. ``webhook``: receives it as JSON, signed with ``secret``
    (``whsec_…``). ``form``: a page of the website, which is only linked to. ``keep_days``: after this many
    days a message is deleted here, sent or not.
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
            raise ValueError("set one of email, webhook and form")
        secret = self.secret.get_secret_value()
        if bool(self.webhook) != bool(secret):
            raise ValueError("set both webhook and secret, or neither")
        if secret:
            key_of(secret)
        return self
