"""The versions of acts in the page store, cached until they change."""

import json
import threading
from collections.abc import Mapping
from datetime import date

from app.law.terms import defined_terms
from app.law.versions import ActVersion
from app.pages.acts import ActPage, ActPages, Stamp
from ingest.law.pages import page_id


class Versions(tuple[ActVersion, ...]):
    """The versions at one moment. Compared by identity, so that they can be a key of a cache; the catalogue
    returns the same object until something changes."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class Catalogue:
    """The cached catalogue of versions. Thread-safe."""

    def __init__(self, acts: ActPages) -> None:
        self._acts = acts
        self._lock = threading.Lock()
        self._cached: tuple[Stamp, Versions] = ((0, 0), Versions())

    def versions(self) -> Versions:
        """Return all versions. Raises ``PageStoreUnavailableError``."""
        stamp = self._acts.stamp()
        with self._lock:
            if self._cached[0] != stamp:
                self._cached = (stamp, Versions(filter(None, map(_version, self._acts.all()))))
            return self._cached[1]


def _version(page: ActPage) -> ActVersion | None:
    """Return the page as a version; ``None`` if it is not an act."""
    metadata = page.metadata
    version = _day(metadata, "version")
    if version is None or page.ref.id != page_id(metadata.get("celex", ""), version, "act"):
        return None
    return ActVersion(
        source=page.ref.source,
        celex=metadata["celex"],
        version=version,
        language=page.ref.language,
        document=page.document,
        name=metadata.get("short_title", metadata["celex"]),
        recitals="recitals" in metadata,
        terms=defined_terms(_terms(metadata.get("terms", "")), page.ref.language),
        published=_day(metadata, "published") or _day(metadata, "document_date"),
        valid_until=_day(metadata, "valid_until"),
    )


def _day(metadata: Mapping[str, str], name: str) -> date | None:
    try:
        return date.fromisoformat(metadata.get(name, ""))
    except ValueError:
        return None


def _terms(written: str) -> dict[str, str]:
    try:
        terms = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    listed = terms.items() if isinstance(terms, dict) else ()
    return {term: unit for term, unit in listed if isinstance(unit, str)}
