"""The versions of acts that an installation has, read anew when they change."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from app.law.terms import defined_terms
from app.law.versions import ActVersion
from app.pages.acts import ActPage, ActPages, Stamp


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
    return (_version(page) for page in found if "celex" in page.metadata)


def _version(page: ActPage) -> ActVersion:
    known = page.metadata
    return ActVersion(
        source=page.ref.source,
        celex=known["celex"],
        version=date.fromisoformat(known["version"]),
        language=page.ref.language,
        document=page.document,
        name=known["short_title"],
        recitals="recitals" in known,
        terms=defined_terms(json.loads(known.get("terms", "{}")), page.ref.language),
        published=_day(known, "published") or _day(known, "document_date"),
        valid_until=_day(known, "valid_until"),
    )


def _day(known: Mapping[str, str], name: str) -> date | None:
    return date.fromisoformat(known[name]) if name in known else None
