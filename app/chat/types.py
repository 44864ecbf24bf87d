"""The data of the chat: turns of a conversation, messages to the model, sources."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from app.chat.text.verdict import Verdict
from app.search.blocks import FoundBlock
from app.search.types import IndexedPage, LinkKind, Passage
from ingest.types import FieldName


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
    """A page that an earlier answer cites, as it is stored with the answer."""

    id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One earlier turn of the conversation. ``verdict``: of an answer, which the model gave before it;
    ``cited``: the pages that it cites; ``is_supported``: False if the model's text in it has no support, or
    breaks off."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """A page behind an answer.

    ``number``: in citations such as ``[1]``; ``None`` for a page outside the prompt (``used`` is false),
    which is only listed. ``similarity``: the best cosine of the content, else of all fields, ``None`` if no
    vector matched; ``field``: which field that is. ``text``: what of it is in the prompt, empty for an unused
    page. ``passages``: what was found in it; ``best``: the block that answers the question best, of a page
    that is quoted the best one quoted: links open it. ``ended``: the day from which a text of law no longer
    applies. ``linked_from``: the numbers of the sources that are linked to it, with the kinds of these links.
    ``earlier``: True if it is read because an earlier answer of the conversation cites it. ``contexts``: what
    a model wrote to place the text, read beside it and no source of anything.
    """

    number: int | None
    page: IndexedPage
    similarity: float | None
    used: bool
    text: str
    field: FieldName | None = None
    passages: tuple[Passage, ...] = ()
    best: FoundBlock | None = None
    ended: date | None = None
    linked_from: tuple[tuple[LinkKind, int], ...] = ()
    earlier: bool = False
    contexts: tuple[str, ...] = ()
