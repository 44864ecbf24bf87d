"""What happens while a question is answered, in order: ``StartEvent``, ``SourcesEvent``, ``DeltaEvent``s,
``DoneEvent``."""

from dataclasses import dataclass
from typing import Literal

from app.chat.types import SourceItem
from app.search.types import ANY_TIME, Degradation, RetrievalMode, TimeFilter

Status = Literal[
    "answered", "partly", "no_answer", "out_of_scope", "greeting", "extractive", "interrupted", "failed"
]
"""How an answer ended.

``partly``: the sources answer a part of the question; ``out_of_scope``: it is none for this website;
``extractive``: passages verbatim, no model; ``interrupted``: the model failed midway or the reader left, what
came stays; ``failed``: the service broke.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent:
    """The question can be answered: whatever could be refused was, and index and page store are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesEvent:
    """Retrieval is over; ``sources`` are final, numbered ones first. ``mode``: how they were found, ``None``
    where nothing was searched for; ``time``: which law was searched. ``question``: what was searched for."""

    question: str
    mode: RetrievalMode | None
    degraded: tuple[Degradation, ...]
    time: TimeFilter = ANY_TIME
    sources: tuple[SourceItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaEvent:
    """The next piece of the answer's Markdown, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneEvent:
    """The whole answer. ``model`` is the one that wrote it, ``None`` if none did; ``citations`` are the
    source numbers it cites, in order of first appearance; ``probable`` those that an answer without citations
    seems to rest on."""

    answer: str
    status: Status
    mode: RetrievalMode | None
    time: TimeFilter = ANY_TIME
    degraded: tuple[Degradation, ...]
    model: str | None
    sources: tuple[SourceItem, ...]
    citations: tuple[int, ...]
    probable: tuple[int, ...] = ()


Event = StartEvent | SourcesEvent | DeltaEvent | DoneEvent
