"""The events of an answer, in order: ``StartEvent``, ``SourcesEvent``, ``DeltaEvent``s, ``DoneEvent``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.chat.decisions import Curated
from app.chat.energy import Energy
from app.chat.text.verdict import Verdict
from app.chat.types import SourceItem
from app.search.certainty import is_unsure
from app.search.types import ANY_TIME, Degradation, Retrieval, RetrievalMode, TimeFilter

Status = Literal[
    "answered",
    "partly",
    "unverified",
    "no_answer",
    "out_of_scope",
    "greeting",
    "extractive",
    "interrupted",
    "failed",
]
"""How an answer ended.

``partly``: the sources answer only a part of the question; ``unverified``: the model cited no source, or none
that has a figure of its text, or most of its sentences with figures have some that no source has, or has of
something else, or it said the same again and again; ``out_of_scope``: it is no question for this website;
``extractive``: passages verbatim, without the model; ``interrupted``: the model failed midway or the visitor
left, and the text so far is kept; ``failed``: the service had an error. Passages of the sources follow a text
in part, unverified or interrupted, unless the visitor left.
"""

UNANSWERED: Final[frozenset[Status]] = frozenset({"no_answer", "out_of_scope", "interrupted", "failed"})
"""How an answer ends from which nobody goes on."""


AnswerCertainty = Literal["sure", "near", "none"]
"""The certainty that an answer is one. ``near``: it answers a part, is not supported by its sources, or the
pages only come near the question; ``none``: no page answers the question."""

_WITHOUT_ANSWER: Final[frozenset[Status]] = frozenset({"no_answer", "out_of_scope", "greeting", "failed"})
_DOUBTFUL: Final[frozenset[Status]] = frozenset({"partly", "unverified", "interrupted"})

STATUSES: Final[Mapping[Verdict, Status]] = {
    "answered": "answered",
    "partly": "partly",
    "none": "no_answer",
    "outside": "out_of_scope",
}
"""What becomes of the model's verdict, if its answer is supported and comes to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent:
    """The question is valid, and index and page store are available."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesEvent:
    """Retrieval is complete. ``question``: as it was searched, perhaps rephrased. ``mode``: how the sources
    were found, ``None`` without a search. ``time``: of the law that was searched. ``sources``: final, in
    rank order; those without a number were not read. ``curated``: how editors take part in the answer.
    ``retrieval``: all that the search returned, ``None`` without one. ``language``: of the answer, empty if
    it is not known yet."""

    question: str
    mode: RetrievalMode | None = None
    degraded: tuple[Degradation, ...] = ()
    time: TimeFilter = ANY_TIME
    sources: tuple[SourceItem, ...] = ()
    curated: Curated | None = None
    retrieval: Retrieval | None = None
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaEvent:
    """The next piece of the answer's Markdown, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneEvent:
    """The whole answer. ``model``: its author, ``None`` for an answer without the model. ``citations``: the
    source numbers in it, in order of first appearance. ``probable``: where the model cited nothing, the
    numbers of the sources that probably support it. ``unsupported``: the sentences that are marked, because
    they have figures that no source has, or has of something else. ``energy``: what the answer took, if the
    site shows it and it is known. ``more``: Markdown quotes of the page quoted first that are nearly as good
    as those in an answer of passages. ``card``: facts told above the answer, some of them true on one day
    alone; empty if there are none. ``curated``: how editors took part in it. ``retrieval`` and ``language``:
    as in :class:`SourcesEvent`. ``prompt``: the hash of what the model was told, empty without it.
    ``wants_person``: True if the visitor asked for one. ``asks_back``:
    True if it asks what is meant."""

    answer: str
    status: Status
    mode: RetrievalMode | None = None
    time: TimeFilter = ANY_TIME
    degraded: tuple[Degradation, ...] = ()
    model: str | None = None
    sources: tuple[SourceItem, ...] = ()
    citations: tuple[int, ...] = ()
    probable: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    card: str = ""
    energy: Energy | None = None
    curated: Curated | None = None
    retrieval: Retrieval | None = None
    language: str = ""
    prompt: str = ""
    wants_person: bool = False
    asks_back: bool = False

    @property
    def lasting(self) -> str:
        """The answer without its card."""
        return self.answer.replace(f"{self.card}\n\n", "", 1) if self.card else self.answer

    @property
    def certainty(self) -> AnswerCertainty:
        """The certainty that this answers the question."""
        if self.status in _WITHOUT_ANSWER:
            return "none"
        came_near = self.retrieval is not None and is_unsure(self.retrieval)
        return "near" if came_near or self.status in _DOUBTFUL else "sure"

    @property
    def unhelped(self) -> bool:
        """True if a person may help where this does not: it is no sure answer, or a person was asked for."""
        return self.wants_person or (self.status != "greeting" and self.certainty != "sure")


Event = StartEvent | SourcesEvent | DeltaEvent | DoneEvent
