"""The provenance of an answer as JSON: kept with it, and compared when it is asked again. Pure functions.

Neither the prompt nor the texts of the pages are kept: a prompt repeats the conversation and is ten times as
large as the answer. Hashes tell whether they are still the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from app.chat.events import DoneEvent
from app.chat.redaction import redacted
from app.chat.types import SourceItem
from app.search.types import Hit, IndexedPage, TimeFilter
from ingest.fingerprints import recipe_hash
from ingest.types import PageRef

HASH_CHARACTERS: Final = 16

Provenance = Mapping[str, Any]
Page = Mapping[str, Any]
_Key = tuple[str, str, str]

SETUP: Final = ("preset", "prompts", "model", "generation", "embedder", "thresholds")
"""What an answer may have in another version than today's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSetup:
    """How a question is answered, beside its pages. ``preset`` and ``preset_hash``: name and contents.
    ``prompts``: the hash of all templates, empty without a model. ``sources`` and ``language``: as they were
    asked for. ``time``: of the law, as it was asked for."""

    preset: str
    preset_hash: str
    prompts: str
    sources: frozenset[str]
    language: str | None
    time: TimeFilter


def provenance_of(done: DoneEvent, setup: AnswerSetup) -> dict[str, Any]:
    """Return the provenance of an answer, for JSON. ``pages``: in the order of the sources, those that were
    read with their ``number``."""
    found = done.retrieval
    embedded = found.embedded if found else None
    hits = {hit.page.ref: hit for hit in found.all_hits} if found else {}
    return {
        "preset": {"name": setup.preset, "hash": setup.preset_hash},
        "prompts": setup.prompts,
        "prompt": done.prompt,
        "model": done.model,
        "generation": embedded.generation if embedded else None,
        "embedder": embedded.recipe[:HASH_CHARACTERS] if embedded else None,
        "thresholds": embedded.thresholds.model_dump(exclude={"measured"}) if embedded else None,
        "asked": {
            "sources": sorted(setup.sources),
            "language": setup.language,
            "at": setup.time.at.isoformat() if setup.time.at else None,
        },
        "searched": redacted(found.question) if found else None,
        "mode": done.mode,
        "certainty": found.certainty if found else None,
        "relevance": _rounded(found.relevance) if found else None,
        "degraded": list(done.degraded),
        "pages": [_page(source, hits.get(source.page.ref)) for source in done.sources],
    }


def page_version(page: IndexedPage) -> dict[str, Any]:
    """Return the version of a page as the index has it: its sequence and the hash of its texts."""
    return {
        "sequence": page.sequence,
        "hash": recipe_hash({str(name): text for name, text in page.fields.items()})[:HASH_CHARACTERS],
    }


def cited_pages(made: Provenance, document: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return source, id and language of the pages that an answer's ``document`` cites, each once."""
    cited = {
        (page["source"], page["id"], page["language"])
        for page in made["pages"]
        if page["number"] in document.get("citations", ())
    }
    return [{"source": source, "id": name, "language": language} for source, name, language in sorted(cited)]


def _page(source: SourceItem, hit: Hit | None) -> dict[str, Any]:
    ref = source.page.ref
    return {
        "source": ref.source,
        "id": ref.id,
        "language": ref.language,
        "url": source.page.url,
        "title": source.page.title,
        "number": source.number,
        "rank": hit.rank if hit else None,
        "score": _rounded(hit.score) if hit else None,
        "coverage": _rounded(hit.coverage) if hit else None,
        "similarity": {name: _rounded(cosine) for name, cosine in hit.similarity.items()} if hit else {},
        "version": page_version(source.page),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """How an answer differs from the one before. ``pages``: those with another text (``changed``), read now
    alone (``new``), or read before alone (``gone``), each with both versions; a page that changed and is no
    longer read is ``changed``. ``order``: True if pages that both read come in another order. ``setup``: by
    name, what has another version, ``[before, now]``."""

    text: bool
    status: bool
    degraded: bool
    order: bool
    pages: Sequence[Mapping[str, Any]]
    setup: Mapping[str, Sequence[Any]]

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def differences(
    before: tuple[Mapping[str, Any], Provenance | None],
    now: tuple[Mapping[str, Any], Provenance],
    served: Mapping[PageRef, IndexedPage],
) -> Differences:
    """Compare two answers, each its document and its provenance. ``served``: the pages of the first one that
    the index still has."""
    (old, old_made), (new, made) = before, now
    old_pages, pages = _read(old_made or {"pages": ()}), _read(made)
    versions = {(ref.source, ref.id, ref.language): page_version(page) for ref, page in served.items()} | {
        key: page["version"] for key, page in pages.items()
    }
    common = old_pages.keys() & pages.keys()
    return Differences(
        text=old.get("answer") != new["answer"],
        status=old.get("status") != new["status"],
        degraded=old.get("degraded") != new["degraded"],
        order=[key for key in old_pages if key in common] != [key for key in pages if key in common],
        pages=[] if old_made is None else _changes(old_pages, pages, versions),
        setup={
            name: [old_made[name], made[name]] for name in SETUP if old_made and old_made[name] != made[name]
        },
    )


def _read(made: Provenance) -> dict[_Key, Page]:
    """The pages that were read, in their order."""
    return {
        (page["source"], page["id"], page["language"]): page
        for page in made["pages"]
        if page["number"] is not None
    }


def _changes(
    before: Mapping[_Key, Page], now: Mapping[_Key, Page], versions: Mapping[_Key, Mapping[str, Any]]
) -> list[dict[str, Any]]:
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
        found.append({"change": change, **named, "read": key in now, "before": old, "now": new})
    return found
