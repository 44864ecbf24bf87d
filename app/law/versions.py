"""Selects the versions of acts that a question may be answered from. Pure functions.

An act has texts of several dates, each in some languages. In scope is, for each act published in the
requested period and in every language, the newest text that applied on the requested day. Consolidated texts
have no recitals, so the recitals of the newest text that has some stay in scope, without its articles.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.law.terms import DefinedTerm
from app.search.retrieval import TimeFilter
from app.search.types import collection

KINDS: Final = ("act", "recital", "article", "annex")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActVersion:
    """One text of an act in one language. ``recitals``: True if it has any. ``terms``: the terms it defines.
    ``published``: the act's day of publication, if this text states it. ``valid_until``: the first day on
    which the text no longer applies, if it states that."""

    source: str
    celex: str
    version: date
    language: str
    document: str
    name: str
    recitals: bool = False
    terms: tuple[DefinedTerm, ...] = ()
    published: date | None = None
    valid_until: date | None = None

    @property
    def since(self) -> date:
        """The day from which the text applies: its date, but not before its publication."""
        return max(self.version, self.published or self.version)

    def ended(self, day: date) -> bool:
        """Return True if the text states that it no longer applied on that day."""
        return self.valid_until is not None and self.valid_until <= day


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The period in which a text applies. ``until``: the first day of its successor in any language, or the
    end that the text itself states; ``None`` if it has not ended."""

    since: date
    until: date | None

    def covers(self, day: date) -> bool:
        """Return True if the text applied on that day."""
        return self.since <= day and (self.until is None or day < self.until)


def hidden_collections(versions: Sequence[ActVersion], time: TimeFilter, today: date) -> frozenset[str]:
    """Return the collections to leave out of the search for a question about ``time``.

    All texts of an act are hidden if none applied on the requested day. Without a requested day, an act whose
    texts all begin later keeps its oldest text, and an act that has ended keeps its last one.
    """
    at, exactly = time.at or today, time.at is not None
    published = _published(versions)
    hidden: set[str] = set()
    for (source, celex, _), texts in _grouped(versions).items():
        candidates = texts if time.admits(published.get((source, celex))) else []
        chosen = _newest(candidates, at, exactly)
        if exactly and chosen and chosen.ended(at):
            candidates, chosen = [], None
        with_recitals = _newest([text for text in candidates if text.recitals], at, exactly)
        for text in texts:
            kept = {"recital"} if text is with_recitals else set()
            kept |= set(KINDS) - {"recital"} if text is chosen else set()
            hidden |= {collection(text.source, text.document, kind) for kind in KINDS if kind not in kept}
    return frozenset(hidden)


def validity_periods(versions: Iterable[ActVersion]) -> dict[tuple[str, str, date], Validity]:
    """Return the validity period of each version of each act, by source, CELEX number and version."""
    acts: dict[tuple[str, str], dict[date, ActVersion]] = defaultdict(dict)
    for text in sorted(versions, key=lambda text: text.since, reverse=True):
        acts[text.source, text.celex][text.version] = text  # of several languages, the earliest one wins
    found = {}
    for (source, celex), texts in acts.items():
        ordered = [texts[version] for version in sorted(texts)]
        for text, successor in zip(ordered, [*ordered[1:], None], strict=True):
            ends = (successor.since if successor else None, text.valid_until)
            until = min((day for day in ends if day), default=None)
            found[source, celex, text.version] = Validity(since=text.since, until=until)
    return found


def _published(versions: Iterable[ActVersion]) -> dict[tuple[str, str], date]:
    """Return the day of publication of each act: the earliest one in its texts."""
    days: dict[tuple[str, str], date] = {}
    for text in versions:
        if text.published:
            act = text.source, text.celex
            days[act] = min(text.published, days.get(act, text.published))
    return days


def _grouped(versions: Iterable[ActVersion]) -> dict[tuple[str, str, str], list[ActVersion]]:
    groups: dict[tuple[str, str, str], list[ActVersion]] = defaultdict(list)
    for text in versions:
        groups[text.source, text.celex, text.language].append(text)
    return groups


def _newest(texts: Sequence[ActVersion], at: date, exactly: bool) -> ActVersion | None:
    applied = [text for text in texts if text.since <= at]
    if applied:
        return max(applied, key=lambda text: text.version)
    return None if exactly else min(texts, key=lambda text: text.version, default=None)
