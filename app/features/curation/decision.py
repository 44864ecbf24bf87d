"""Decides by the entries that a question is meant by. Pure functions."""

from collections.abc import Sequence

from app.chat.decisions import Decision, FixedReply, Pin
from app.features.curation.content import Entry


def decision(meant: Sequence[tuple[float, Entry]], language: str | None) -> Decision:
    """Decide by the entries that a question is meant by, the nearest first, of those for its ``language``."""
    entries = [entry for _, entry in meant if entry.is_for(language)]
    reply = next(filter(None, map(_reply, entries)), None)
    if reply is not None:
        return Decision(reply=reply)
    return Decision(pins=tuple(filter(None, map(_pin, entries))))


def _reply(entry: Entry) -> FixedReply | None:
    if entry.kind not in ("answer", "blocked"):
        return None
    content = entry.content
    return FixedReply(number=entry.number, kind=entry.kind, text=content.text, contact=content.contact)


def _pin(entry: Entry) -> Pin | None:
    page = entry.content.page
    if entry.kind != "pin" or page is None:
        return None
    return Pin(number=entry.number, source=page.source, id=page.id, language=page.language)
