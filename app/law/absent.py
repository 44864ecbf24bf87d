"""Finds acts that a question is about and that have no text in scope, because they were never indexed or did
not apply on the day asked about. Pure functions."""

from typing import Final

from app.law.scope import Scope
from app.search.absent_act import AbsentAct
from ingest.law.names import short_name

MOST_NAMED: Final = 3
"""The most absent acts that are named at once."""

_LEGISLATION: Final = "3"
"""First digit of the CELEX numbers of regulations, directives and decisions."""


def absent_acts(
    question: str, scope: Scope, language: str | None, *, is_answered: bool = True
) -> tuple[AbsentAct, ...]:
    """Return the acts that the question names and that have no text in scope. If it names none and no page
    was found (``is_answered`` is False), return all acts that did not apply on the day asked about.
    ``language``: of their names (ISO 639)."""
    named = [celex for celex in scope.mentioned_acts(question) if celex.startswith(_LEGISLATION)]
    if not named and not is_answered:
        named = [text.celex for text in scope.versions]
    found = [_absent(celex, scope, language or "en") for celex in dict.fromkeys(named)]
    return tuple(act for act in found if act)[:MOST_NAMED]


def is_all_absent(question: str, scope: Scope, absent: tuple[AbsentAct, ...]) -> bool:
    """Return True if acts are absent and the question mentions none that has a text in scope."""
    return bool(absent) and not any(map(scope.has_text, scope.mentioned_acts(question)))


def _absent(celex: str, scope: Scope, language: str) -> AbsentAct | None:
    """Return the act as absent; ``None`` if it has a text in scope, or is excluded by its publication."""
    if scope.has_text(celex):
        return None
    texts = [text for text in scope.versions if text.celex == celex]
    name = short_name(celex, language) or next((text.name for text in texts), "")
    if not texts:
        return AbsentAct(celex=celex, name=name)
    if scope.at is None:
        return None
    since = min(text.since for text in texts)
    ends = [text.valid_until for text in texts if text.valid_until]
    if scope.at < since:
        return AbsentAct(celex=celex, name=name, at=scope.at, since=since)
    return AbsentAct(celex=celex, name=name, at=scope.at, until=max(ends)) if ends else None
