"""The versions of acts that an installation has, read anew when they change."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from app.law.terms import defined_terms
from app.law.versions import ActVersion
from app.pages.acts import ActPage, ActPages, Stamp
from ingest.law.pages import page_id


class Versions(tuple[ActVersion, ...]):
    """The versions of one state: the same object until something changes, and compared as such."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class Catalogue:
    """Safe to use from several threads."""

    def __init__(self, acts: ActPages) -> None:
        self._acts = acts
        self._lock = threading.Lock()
        self._known: tuple[Stamp, Versions] = ((0, 0), Versions())

    def versions(self) -> Versions:
        """All of them. Raises ``PageStoreUnavailableError``."""
        stamp = self._acts.stamp()
        with self._lock:
            if self._known[0] != stamp:
                self._known = (stamp, Versions(_versions(self._acts.all())))
            return self._known[1]


def _versions(found: Iterable[ActPage]) -> Iterator[ActVersion]:
    return (version for page in found if (version := _version(page)))


def _version(page: ActPage) -> ActVersion | None:
    """``None`` for a page of the same kind that is no act of law."""
    known = page.metadata
    version, published = _day(known, "version"), _day(known, "published") or _day(known, "document_date")
    if version is None or page.ref.id != page_id(known.get("celex", ""), version, "act"):
        return None
    return ActVersion(
        source=page.ref.source,
        celex=known["celex"],
        version=version,
        language=page.ref.language,
        document=page.document,
        name=known.get("short_title", known["celex"]),
        recitals="recitals" in known,
        terms=defined_terms(_terms(known.get("terms", "")), page.ref.language),
        published=published,
        valid_until=_day(known, "valid_until"),
    )


def _day(known: Mapping[str, str], name: str) -> date | None:
    try:
        return date.fromisoformat(known.get(name, ""))
    except ValueError:
        return None


def _terms(written: str) -> dict[str, str]:
    try:
        terms = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    listed = terms.items() if isinstance(terms, dict) else ()
    return {term: unit for term, unit in listed if isinstance(unit, str)}
