"""What happens while a question is answered, in order: one ``Found``, ``Delta``s, one ``Done``."""

from dataclasses import dataclass
from typing import Literal

from app.chat.types import SourceItem
from app.search.types import Degradation, Retrieval, RetrievalMode, TimeFilter

Status = Literal["answered", "extractive", "no_answer", "interrupted"]
"""``extractive``: passages verbatim, no model; ``interrupted``: the model failed midway, what came stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Retrieval is over; ``sources`` are final, numbered ones first."""

    retrieval: Retrieval
    sources: tuple[SourceItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The next piece of the answer's Markdown, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The whole answer. ``model`` is the one that wrote it, ``None`` if none did; ``citations`` are the
    source numbers it cites, in order of first appearance. ``time``: which law was searched."""

    answer: str
    status: Status
    mode: RetrievalMode
    time: TimeFilter
    degraded: tuple[Degradation, ...]
    model: str | None
    sources: tuple[SourceItem, ...]
    citations: tuple[int, ...]


Event = Found | Delta | Done
