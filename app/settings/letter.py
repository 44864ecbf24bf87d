"""Settings of the weekly letter to editors, ``[letter]``."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from app.settings.mail import Mailbox

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class LetterRecipient(BaseModel):
    """A mailbox. ``user``: a user of the console, to whose sources the letter is limited; if empty, it is
    about all. ``language``: if empty, that of the first site that the letter is about."""

    model_config = ConfigDict(extra="forbid")

    email: Annotated[Mailbox, Field(min_length=1)]
    user: str = ""
    language: Literal["de", "en", ""] = ""


def _as_table(value: object) -> object:
    return {"email": value} if isinstance(value, str) else value


Recipients = list[Annotated[LetterRecipient, BeforeValidator(_as_table)]]


class LetterSettings(BaseModel):
    """The time of the letter, by the clock of the first site, and its recipients: addresses, or tables with
    more. Without recipients none is sent."""

    model_config = ConfigDict(extra="forbid")

    to: Recipients = []
    weekday: Weekday = "monday"
    hour: int = Field(default=7, ge=0, le=23)

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        seen: set[str] = set()
        for each in self.to:
            if each.email.lower() in seen:
                raise ValueError(f"{each.email!r} appears twice")
            seen.add(each.email.lower())
        return self
