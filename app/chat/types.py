"""The data of the chat: turns of a conversation, messages to the model, sources."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from app.chat.text.verdict import Verdict
from app.search.blocks import FoundBlock
from app.search.retrieval import LinkKind, Passage
from app.search.types import IndexedPage
from ingest.types import FieldName


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """A page behind an answer.

    * ``number``: in citations such as ``[1]``; ``None`` for a page outside the prompt (``used`` is false),
      which is only listed
    * ``similarity``: the best cosine of the content, otherwise of all fields, ``None`` if no vector matched;
      ``field``: the field with that cosine
    * ``text``: the page's text in the prompt, empty for an unused page
    * ``passages``: the passages found in it
    * ``best``: the block that links open: the best one quoted, otherwise the best for the question
    * ``ended``: the day from which a text of law no longer applies
    * ``linked_from``: the numbers of the sources that link to it, with the kinds of the links
    * ``earlier``: True if it is in the prompt because an earlier answer of the conversation cites it
    * ``contexts``: sentences by a model that place the text; they are in the prompt, but are no evidence
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
