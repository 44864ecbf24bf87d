"""Which versions of acts a question may be answered from. Pure functions.

An act has texts of several dates, each in some languages. Of the acts published in the time asked for, in
every language the newest text that applied at the date asked for counts. Consolidated texts lack the
recitals: those of the newest text that has them stay in scope although its articles do not.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.law.terms import DefinedTerm
from app.search.types import TimeFilter, collection

KINDS: Final = ("act", "recital", "article", "annex")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActVersion:
    """One text of an act in one language. ``recitals``: whether it has some. ``terms``: what it defines.
    ``published``: when the act was, as far as this text tells. ``valid_until``: the first day on which it
    applies no more, if it says so."""

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
        """The day from which the text counts: an act that is dated counts once it is published."""
        return max(self.version, self.published or self.version)

    def ended(self, day: date) -> bool:
        """Whether it says that it applied no more on that day."""
        return self.valid_until is not None and self.valid_until <= day


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """From when a text counts, and until when: the day its successor in any language, or the end that is
    printed in it, began. ``None``: it has not ended."""

    since: date
    until: date | None

    def covers(self, day: date) -> bool:
        """Whether the text applied on that day."""
        return self.since <= day and (self.until is None or day < self.until)


def out_of_scope(versions: Sequence[ActVersion], time: TimeFilter, today: date) -> frozenset[str]:
    """The collections that a question about ``time`` is not answered from.

    Of acts that had no text on the day asked for, or had ended, nothing is taken. Where no day is asked for,
    their oldest or last text counts.
    """
    at, exactly = time.at or today, time.at is not None
    published = _published(versions)
    hidden: set[str] = set()
    for (source, celex, _), texts in _grouped(versions).items():
        admitted = texts if time.admits(published.get((source, celex))) else []
        chosen = _newest(admitted, at, exactly)
        if exactly and chosen and chosen.ended(at):
            admitted, chosen = [], None
        spoken = _newest([text for text in admitted if text.recitals], at, exactly)
        for text in texts:
            kept = {"recital"} if text is spoken else set()
            kept |= set(KINDS) - {"recital"} if text is chosen else set()
            hidden |= {collection(text.source, text.document, kind) for kind in KINDS if kind not in kept}
    return frozenset(hidden)


def validities(versions: Iterable[ActVersion]) -> dict[tuple[str, str, date], Validity]:
    """When each version of each act applied, by source, CELEX number and version."""
    acts: dict[tuple[str, str], dict[date, ActVersion]] = defaultdict(dict)
    for text in sorted(versions, key=lambda text: text.since, reverse=True):
        acts[text.source, text.celex][text.version] = text  # of several languages the first that was there
    found = {}
    for (source, celex), texts in acts.items():
        ordered = [texts[version] for version in sorted(texts)]
        for text, successor in zip(ordered, [*ordered[1:], None], strict=True):
            ends = (successor.since if successor else None, text.valid_until)
            until = min((day for day in ends if day), default=None)
            found[source, celex, text.version] = Validity(since=text.since, until=until)
    return found


def _published(versions: Iterable[ActVersion]) -> dict[tuple[str, str], date]:
    """When each act was published: the earliest day that any of its texts tells."""
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
