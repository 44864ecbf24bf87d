"""The provenance of an answer as JSON, and its question's vector, which are stored with it. Pure functions.

Neither the prompt nor the texts of the pages are stored: a prompt repeats the conversation and is ten times
as large as the answer. Hashes show if they have changed. Vectors are stored in float16, half the size.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final, Self

import numpy as np

from app.chat.events import DoneEvent
from app.chat.redaction import redacted
from app.chat.source_items import SourceItem
from app.document import Document, Rounded, Sometimes
from app.search.filters import Filters
from app.search.retrieval import ANY_TIME, Degradation, Hit, Retrieval, RetrievalMode, TimeFilter
from app.search.types import IndexedPage
from ingest.fingerprints import recipe_hash
from ingest.types import Vectors

HASH_CHARACTERS: Final = 16

_STORED: Final = np.dtype("<f2")

Provenance = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSetup:
    """The set-up by which a question is answered, apart from its pages. ``preset`` and ``preset_hash``: name
    and hash of the contents. ``prompts``: the hash of all templates, empty without a model. The others are as
    requested with the question."""

    preset: str
    preset_hash: str
    prompts: str
    sources: frozenset[str] = frozenset()
    language: str | None = None
    time: TimeFilter = ANY_TIME
    filters: Filters = ()


class VersionDocument(Document):
    """The version of a page: its sequence and the hash of its texts."""

    sequence: int
    hash: str


class ReadPageDocument(Document):
    """A page that was found, with a ``number`` if it was a source."""

    source: str
    id: str
    language: str
    url: str
    title: str
    number: int | None
    rank: int | None
    score: Rounded | None
    coverage: Rounded | None
    similarity: dict[str, Rounded]
    version: VersionDocument


class PresetDocument(Document):
    """A preset and the hash of its contents."""

    name: str
    hash: str


class AskedDocument(Document):
    """The choices that came with a question. ``at``: the day whose law was asked for. ``filters``: only if
    there were some."""

    sources: list[str]
    language: str | None
    at: date | None
    filters: Sometimes[dict[str, list[str] | dict[str, float | str]]] = None

    @classmethod
    def of(cls, setup: AnswerSetup) -> Self:
        """Describe the choices."""
        filters = {each.field: each.to_json() for each in setup.filters}
        return cls(
            sources=sorted(setup.sources),
            language=setup.language,
            at=setup.time.at,
            filters=filters or None,
        )


class ProvenanceDocument(Document):
    """The set-up, the search and the pages by which an answer was made. ``pages``: in the order of the
    sources."""

    preset: PresetDocument
    prompts: str
    prompt: str
    model: str | None
    generation: int | None
    embedder: str | None
    thresholds: dict[str, float] | None
    asked: AskedDocument
    searched: str | None
    mode: RetrievalMode | None
    certainty: str | None
    relevance: Rounded | None
    degraded: list[Degradation]
    pages: list[ReadPageDocument]


def provenance_of(done: DoneEvent, setup: AnswerSetup) -> Provenance:
    """Return the provenance of an answer, as a :class:`ProvenanceDocument` in JSON."""
    found = done.retrieval
    embedded = found.embedded if found else None
    hits = {hit.page.ref: hit for hit in found.all_hits} if found else {}
    return ProvenanceDocument(
        preset=PresetDocument(name=setup.preset, hash=setup.preset_hash),
        prompts=setup.prompts,
        prompt=done.prompt,
        model=done.model,
        generation=embedded.generation if embedded else None,
        embedder=embedded.recipe[:HASH_CHARACTERS] if embedded else None,
        thresholds=embedded.thresholds.model_dump(exclude={"measured"}) if embedded else None,
        asked=AskedDocument.of(setup),
        searched=redacted(found.question) if found else None,
        mode=done.mode,
        certainty=found.certainty if found else None,
        relevance=found.relevance if found else None,
        degraded=done.degraded,
        pages=[_page(source, hits.get(source.page.ref)) for source in done.sources],
    ).to_json()


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


def _page(source: SourceItem, hit: Hit | None) -> ReadPageDocument:
    return ReadPageDocument(
        **asdict(source.page.ref),
        url=source.page.url,
        title=source.page.title,
        number=source.number,
        rank=hit.rank if hit else None,
        score=hit.score if hit else None,
        coverage=hit.coverage if hit else None,
        similarity=hit.similarity if hit else {},
        version=page_version(source.page),
    )


def vector_bytes(vector: Vectors) -> bytes:
    """Return a vector, shape ``(dims,)``, as it is stored."""
    return vector.astype(_STORED).tobytes()


def read_vector(stored: bytes | None) -> Vectors | None:
    """Return the stored vector in float32, of unit length; None if there is none or it is damaged."""
    if not stored or len(stored) % _STORED.itemsize:
        return None
    vector = np.frombuffer(stored, dtype=_STORED).astype(np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if np.isfinite(length) and length else None


def storable_vector(retrieval: Retrieval | None) -> tuple[str, bytes | None]:
    """Return the hash of the embedder's recipe, and the vector that was searched for. There is no vector if
    meaning was not searched, or if the question contains personal data, because a vector reveals its text."""
    embedded = None if retrieval is None else retrieval.embedded
    if retrieval is None or embedded is None or redacted(retrieval.question) != retrieval.question:
        return "", None
    return embedded.recipe, vector_bytes(embedded.vector)
