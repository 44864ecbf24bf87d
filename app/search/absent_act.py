"""An act of law that a question is about and that is not searched."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentAct:
    """An act of law that a question is about, and of which no text is searched. ``name``: its customary name,
    empty if it has none. Either it was never indexed, or on the day ``at`` its first text did not apply yet
    (``since``), or its last text no longer did (``until``)."""

    celex: str
    name: str
    at: date | None = None
    since: date | None = None
    until: date | None = None
