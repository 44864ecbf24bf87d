"""Pages and hits for the tests of answering."""

from datetime import UTC, datetime

from app.search.retrieval import Hit, Passage, Retrieval
from app.search.types import IndexedPage
from ingest.types import FieldName, PageRef

UPDATED = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


def page(identifier: str = "p1", *, language: str = "en", **fields: str) -> IndexedPage:
    named: dict[FieldName, str] = {**fields}  # type: ignore[dict-item]
    return IndexedPage(
        ref=PageRef(source="site", id=identifier, language=language),
        document=identifier,
        sequence=1,
        url=f"https://example.org/{identifier}",
        kind="page",
        updated=UPDATED,
        fields=named,
    )


def passage(found: IndexedPage, field: FieldName, start: int = 0, end: int | None = None) -> Passage:
    body = found.fields[field].encode()
    end = len(body) if end is None else end
    return Passage(field=field, start=start, end=end, text=body[start:end].decode(errors="ignore"))


def hit(found: IndexedPage, *passages: Passage, rank: int = 1, cosine: float | None = 0.9) -> Hit:
    """A hit with these passages; by default the whole content."""
    return Hit(
        rank=rank,
        page=found,
        score=1.0,
        coverage=0.5,
        similarity={} if cosine is None else {"content": cosine},
        passages=passages or (passage(found, "content"),),
    )


def retrieval(question: str, *hits: Hit, keyword_hits: tuple[Hit, ...] = ()) -> Retrieval:
    return Retrieval(question=question, mode="semantic", degraded=(), hits=hits, keyword_hits=keyword_hits)
