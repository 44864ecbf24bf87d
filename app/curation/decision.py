"""What the curation says about a question. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from app.curation.content import Entry

CuratedKind = Literal["answer", "blocked", "pin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """How editors took part in an answer: they wrote it, declined its subject, or put pages first.
    ``entries``: the numbers of theirs."""

    kind: CuratedKind
    entries: tuple[int, ...]

    @property
    def is_text(self) -> bool:
        """True if the answer is a text of the editors'."""
        return self.kind != "pin"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {"kind": self.kind, "entries": list(self.entries)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """``reply``: the fixed answer or blocked subject that the question is meant by, if any; else ``pins``,
    the nearest first."""

    reply: Entry | None = None
    pins: tuple[Entry, ...] = ()


NO_DECISION: Final = Decision()

_REPLIES: Final = ("answer", "blocked")


def decision(meant: Sequence[tuple[float, Entry]], language: str | None) -> Decision:
    """Decide by the entries that a question is meant by, the nearest first, of those for its ``language``."""
    entries = [entry for _, entry in meant if entry.is_for(language)]
    reply = next((entry for entry in entries if entry.kind in _REPLIES), None)
    if reply is not None:
        return Decision(reply=reply)
    return Decision(pins=tuple(entry for entry in entries if entry.kind == "pin"))
