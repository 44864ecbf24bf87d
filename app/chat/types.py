"""The data of a conversation: its turns, and messages to the model."""

from dataclasses import dataclass
from typing import Literal

from app.chat.text.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
    """A page that an earlier answer cites, as it is stored with the answer."""

    id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One earlier turn of the conversation.

    Of answers only: ``verdict``: the model's own; ``cited``: the pages cited; ``is_supported``: False if the
    model's text is not supported by its sources, or breaks off.
    """

    role: Literal["user", "assistant"]
    content: str
    verdict: Verdict = "answered"
    cited: tuple[CitedPage, ...] = ()
    is_supported: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to the language model."""

    role: Literal["system", "user", "assistant"]
    content: str
