"""Compares a stored answer with today's answer to the same question. Pure functions."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from app.chat.provenance import Provenance, VersionDocument, page_version
from app.document import Document, Stored
from app.search.types import IndexedPage
from ingest.types import PageRef

SETUP: Final = ("preset", "prompts", "model", "generation", "embedder", "thresholds")
"""Parts of an answer's setup whose versions are compared."""

_Page = Mapping[str, Any]
_Key = tuple[str, str, str]


class ChangedPageDocument(Document):
    """A page with another text, or read only now or only before. ``read``: True if it is read now."""

    change: Literal["changed", "new", "gone"]
    source: str
    id: str
    language: str
    url: str
    title: str
    read: bool
    before: Stored[VersionDocument | None]
    now: Stored[VersionDocument | None]


class DifferencesDocument(Document):
    """Differences of an answer from the one before.

    ``pages``: with another text (``changed``, also if no longer read), read only now (``new``), or only
    before (``gone``), each with both versions. ``order``: True if the pages that both read come in another
    order. ``setup``: the parts with another version, ``[before, now]`` by name."""

    text: bool
    status: bool
    degraded: bool
    order: bool
    pages: list[ChangedPageDocument]
    setup: dict[str, list[Any]]


def differences(
    before: tuple[Mapping[str, Any], Provenance | None],
    now: tuple[Mapping[str, Any], Provenance],
    served: Mapping[PageRef, IndexedPage],
) -> DifferencesDocument:
    """Compare two answers, each given as document and provenance. ``served``: the pages of the first one that
    the index still has."""
    (old, old_made), (new, made) = before, now
    old_pages, pages = _read(old_made or {"pages": ()}), _read(made)
    versions = {(ref.source, ref.id, ref.language): page_version(page) for ref, page in served.items()} | {
        key: page["version"] for key, page in pages.items()
    }
    common = old_pages.keys() & pages.keys()
    return DifferencesDocument(
        text=old.get("answer") != new["answer"],
        status=old.get("status") != new["status"],
        degraded=old.get("degraded") != new["degraded"],
        order=[key for key in old_pages if key in common] != [key for key in pages if key in common],
        pages=[] if old_made is None else _changes(old_pages, pages, versions),
        setup={
            name: [old_made[name], made[name]] for name in SETUP if old_made and old_made[name] != made[name]
        },
    )


def _read(made: Provenance) -> dict[_Key, _Page]:
    """Return the pages that were read, in their order."""
    return {
        (page["source"], page["id"], page["language"]): page
        for page in made["pages"]
        if page["number"] is not None
    }


def _changes(
    before: Mapping[_Key, _Page], now: Mapping[_Key, _Page], versions: Mapping[_Key, Mapping[str, Any]]
) -> list[ChangedPageDocument]:
    found = []
    for key, page in {**before, **now}.items():
        old, new = before[key]["version"] if key in before else None, versions.get(key)
        if old is None:
            change = "new"
        elif new is not None and old["hash"] != new["hash"]:
            change = "changed"
        elif key in now:
            continue
        else:
            change = "gone"
        named = {name: page[name] for name in ("source", "id", "language", "url", "title")}
        found.append(ChangedPageDocument(change=change, **named, read=key in now, before=old, now=new))
    return found
