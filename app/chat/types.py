"""What flows through answering: turns of a conversation, messages to the model, sources."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from app.search.types import IndexedPage, Passage
from ingest.types import FieldName


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One earlier turn of the conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to the language model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """A page behind an answer.

    ``number``: what ``[1]`` in the answer refers to; ``None`` for a page that did not enter the context
    (``used`` is false), which is shown to the reader with its ``similarity`` only. ``similarity``: its
    best content cosine, else the best of all fields, ``None`` if no vector matched; ``field`` is which.
    ``text``: the passages that enter the prompt, empty for an unused page. ``passages``: what was found of
    it; ``focus``: where in its content the best of it begins, in bytes. ``ended``: the day since which a text
    of law no longer applies.
    """

    number: int | None
    page: IndexedPage
    similarity: float | None
    used: bool
    text: str
    field: FieldName | None = None
    passages: tuple[Passage, ...] = ()
    focus: int | None = None
    ended: date | None = None
