"""The form of a message: the values entered and their problems. Pure functions."""

import json
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from secrets import token_urlsafe
from typing import Final

from app.pages.column_types import storable
from ingest.text import visible

CONTACT_CHARACTERS: Final = 200
NAME_CHARACTERS: Final = 100
MESSAGE_CHARACTERS: Final = 2_000
LEAST_CONTACT: Final = 5

_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)
_KEY: Final = re.compile(r"[\w-]{16,32}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedForm:
    """The fields of the form.

    ``key``: identifies the form itself. ``conversation`` and ``answer``: their ids, empty without. ``shown``:
    how many answers the page showed, ``None`` before it shows any.
    """

    key: str
    conversation: str = ""
    answer: str = ""
    shown: int | None = None
    contact: str = ""
    name: str = ""
    message: str = ""
    consent: bool = False

    @property
    def identity(self) -> str:
        """The key with all values: a changed form counts as another form."""
        return json.dumps(astuple(self))


def read_form(fields: Mapping[str, str]) -> TypedForm:
    """Read the form's fields; malformed ids and keys are dropped."""
    key = fields.get("key", "")
    shown = fields.get("answers", "")
    return TypedForm(
        key=key if _KEY.fullmatch(key) else token_urlsafe(16),
        conversation=_id(fields.get("conversation", "")),
        answer=_id(fields.get("answer", "")),
        shown=int(shown) if shown.isascii() and shown.isdigit() and len(shown) < 4 else None,
        contact=_line(fields.get("contact", "")),
        name=_line(fields.get("name", "")),
        message=_text(fields.get("message", "")),
        consent=fields.get("consent") == "yes",
    )


def form_problems(form: TypedForm, *, has_conversation: bool) -> dict[str, str]:
    """Return the problems by field, as names of texts."""
    found = {
        "contact": _contact_problem(form.contact),
        "name": "handover_long" if len(form.name) > NAME_CHARACTERS else "",
        "message": _message_problem(form.message, has_conversation=has_conversation),
        "consent": "" if form.consent else "handover_no_consent",
    }
    return {field: text for field, text in found.items() if text}


def _contact_problem(contact: str) -> str:
    if len(contact) < LEAST_CONTACT:
        return "handover_no_contact"
    return "handover_long" if len(contact) > CONTACT_CHARACTERS else ""


def _message_problem(message: str, *, has_conversation: bool) -> str:
    if not message and not has_conversation:
        return "handover_no_message"
    return "handover_long" if len(message) > MESSAGE_CHARACTERS else ""


def _id(text: str) -> str:
    return text if _ID.fullmatch(text) else ""


def _line(text: str) -> str:
    """One line, whatever was sent, so that no e-mail header can be injected."""
    return " ".join(_text(text).split())


def _text(text: str) -> str:
    return visible(storable(text.replace("\r\n", "\n").replace("\r", "\n"))).strip()
