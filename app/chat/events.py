"""The events of an answer, in order: ``StartEvent``, ``SourcesEvent``, ``DeltaEvent``s, ``DoneEvent``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.chat.decisions import Curated
from app.chat.energy import Energy
from app.chat.source_items import SourceItem
from app.chat.text.verdict import Verdict
from app.search.certainty import is_unsure
from app.search.retrieval import ANY_TIME, Degradation, Retrieval, RetrievalMode, TimeFilter

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
"""The ending of an answer.

* ``partly``: the sources answer only a part of the question
* ``unverified``: the model cited no source, or none that has a figure of its text; it repeated itself; or
  most of its sentences with figures have one that no source has, or that a source gives for something else
* ``out_of_scope``: the question is not for this website
* ``extractive``: passages verbatim, without the model
* ``interrupted``: the model failed midway or the visitor left; the text so far is kept
* ``failed``: the service had an error

Passages follow a text that is ``partly``, ``unverified`` or ``interrupted``, unless the visitor left.
"""

UNANSWERED: Final[frozenset[Status]] = frozenset({"no_answer", "out_of_scope", "interrupted", "failed"})
"""Endings without an answer: no follow-ups are suggested after them."""


AnswerCertainty = Literal["sure", "near", "none"]
"""The certainty that the question is answered. ``near``: the text answers a part or is not supported by its
sources, or the pages only come near the question; ``none``: no page answers it."""

_WITHOUT_ANSWER: Final[frozenset[Status]] = frozenset({"no_answer", "out_of_scope", "greeting", "failed"})
_DOUBTFUL: Final[frozenset[Status]] = frozenset({"partly", "unverified", "interrupted"})

STATUSES: Final[Mapping[Verdict, Status]] = {
    "answered": "answered",
    "partly": "partly",
    "none": "no_answer",
    "outside": "out_of_scope",
}
"""Statuses by the model's verdict, for an answer that is supported and complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEvent:
    """The question is valid, and index and page store are available."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesEvent:
    """Retrieval is complete.

    * ``question``: as it was searched for, perhaps rephrased
    * ``mode``: how the sources were found, ``None`` without a search
    * ``time``: the time whose law was searched
    * ``sources``: final, in rank order; those without a number are not in the prompt
    * ``curated``: how editors take part in the answer
    * ``retrieval``: everything that the search returned, ``None`` without one
    * ``language``: the answer's, empty if not known yet
    """

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
    """The whole answer.

    * ``model``: its author, ``None`` for an answer without the model
    * ``citations``: the source numbers in it, in order of first appearance
    * ``probable``: if the model cited nothing, the numbers of the sources that probably support it
    * ``unsupported``: the sentences marked because of figures that no source has, or has for something else
    * ``energy``: what the answer took, if the site shows it and it is known
    * ``more``: for an answer of passages, further Markdown quotes of the page quoted first, nearly as good
    * ``card``: the card above the answer, with facts that may be true on one day only; empty without one
    * ``curated``: how editors took part in it
    * ``retrieval`` and ``language``: as in :class:`SourcesEvent`
    * ``prompt``: the hash of the prompt, empty without a model
    * ``wants_person``: True if the visitor asked for a person
    * ``asks_back``: True if it asks what the visitor means
    """

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
    def without_card(self) -> str:
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
    def may_need_person(self) -> bool:
        """True if a person may help further: the answer is not sure, or the visitor asked for a person."""
        return self.wants_person or (self.status != "greeting" and self.certainty != "sure")


Event = StartEvent | SourcesEvent | DeltaEvent | DoneEvent
