"""The JSON documents that the command line and the API share. Pure functions."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from app.chat.conversations import StoredAnswer
from app.chat.events import DoneEvent, SourcesEvent
from app.chat.text.deep_links import deep_link
from app.chat.text.previews import path, snippet
from app.chat.text.render import SOURCE_ANCHOR, renderer_of
from app.chat.types import SourceItem
from app.pages.rebuilds import Rebuild
from app.pages.types import Job, PageRecord
from app.search.types import Highlight, Hit, IndexedPage, Retrieval, TimeFilter
from ingest.types import PageRef


def search_document(
    retrieval: Retrieval, highlights: Mapping[PageRef, Sequence[Highlight]] | None = None
) -> dict[str, Any]:
    """``{"question", "mode", "degraded", "hits"}``; each hit with its ``highlights`` if they are given, and
    ``time`` where the search was narrowed to one."""
    return time_document(retrieval.time) | {
        "question": retrieval.question,
        "mode": retrieval.mode,
        "degraded": list(retrieval.degraded),
        "hits": [_hit(hit) | _highlights(hit, highlights) for hit in retrieval.hits],
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "id": hit.page.ref.id,
        "source": hit.page.ref.source,
        "language": hit.page.ref.language,
        "url": hit.page.url,
        "title": hit.page.title,
        "score": round(hit.score, 4),
        "coverage": round(hit.coverage, 4),
        "similarity": {field: round(cosine, 4) for field, cosine in hit.similarity.items()},
        "passages": [
            {"field": passage.field, "start": passage.start, "end": passage.end, "text": passage.text}
            for passage in hit.passages
        ],
    } | _ended(hit.ended)


def _highlights(hit: Hit, highlights: Mapping[PageRef, Sequence[Highlight]] | None) -> dict[str, Any]:
    if highlights is None:
        return {}
    pieces = highlights.get(hit.page.ref, ())
    return {"highlights": [{"text": piece.text, "marks": list(map(list, piece.marks))} for piece in pieces]}


Documents = Sequence[Mapping[str, Any]]


def source_documents(question: str, found: SourcesEvent | DoneEvent) -> Documents:
    """The sources of an answer."""
    return [source_document(item, question) for item in found.sources]


def answer_document(question: str, done: DoneEvent, sources: Documents) -> dict[str, Any]:
    """``{"question", "answer", "status", "mode", "degraded", "model", "sources", "citations", "probable"}``,
    and ``time`` where the search was narrowed to one. ``sources``: :func:`source_documents`."""
    return time_document(done.time) | {
        "question": question,
        "answer": done.answer,
        "status": done.status,
        "mode": done.mode,
        "degraded": list(done.degraded),
        "model": done.model,
        "sources": sources,
        "citations": list(done.citations),
        "probable": list(done.probable),
    }


def stored_document(stored: StoredAnswer, anchor: str = SOURCE_ANCHOR) -> dict[str, Any]:
    """An answer that was kept, with the ``html`` that was streamed; ``anchor``: before the number in the
    addresses of its sources on the page."""
    document = dict(stored.document or {"answer": "", "sources": [], "citations": [], "probable": []})
    return document | {
        "id": stored.id,
        "conversation": stored.conversation,
        "question": stored.question,
        "started_at": _moment(stored.started_at),
        "status": stored.status,
        "html": renderer_of(document["sources"], anchor).render(document["answer"]),
    }


def time_document(time: TimeFilter) -> dict[str, Any]:
    """``{"time": {"in_force_on", "published_from", "published_before"}}`` with the days that are given;
    nothing where none is."""
    days = {
        "in_force_on": time.at,
        "published_from": time.published_from,
        "published_before": time.published_before,
    }
    given = {name: day.isoformat() for name, day in days.items() if day}
    return {"time": given} if given else {}


def source_document(item: SourceItem, question: str) -> dict[str, Any]:
    """One source of an answer to ``question``.

    ``number`` is ``None`` for pages that did not enter the context. ``href`` leads to the passage within the
    page where a browser can find it, ``path`` is the address for people, ``snippet`` plain text around the
    question's words, ``field`` what ``similarity`` is of. ``ended`` stands in texts of law that no longer
    apply, ``celex`` in all of law.
    """
    page, texts = item.page, [passage.text for passage in item.passages]
    return (
        {
            "number": item.number,
            "id": page.ref.id,
            "url": page.url,
            "href": deep_link(page.url, page.fields.get("content", ""), *_focused(item)),
            "title": page.title,
            "path": path(page.url),
            "field": item.field,
            "snippet": snippet(texts, question, page.ref.language),
            "similarity": None if item.similarity is None else round(item.similarity, 4),
            "used": item.used,
        }
        | _ended(item.ended)
        | _celex(page)
    )


def _focused(item: SourceItem) -> tuple[int, int]:
    """Where in the content its best passage lies, in bytes, from where it is best; ``(0, 0)`` if none is."""
    for passage in item.passages:
        if passage.field == "content" and (item.focus is None or passage.start <= item.focus < passage.end):
            return passage.start if item.focus is None else item.focus, passage.end
    return 0, 0


def _celex(page: IndexedPage) -> dict[str, str]:
    celex = page.metadata.get("celex")
    return {"celex": celex} if celex else {}


def _ended(day: date | None) -> dict[str, str]:
    return {"ended": day.isoformat()} if day else {}


def accepted_document(job: Job) -> dict[str, Any]:
    """``{"id", "page", "language", "status"}``, and ``reason`` where there is something to say."""
    said = {"id": job.id, "page": job.page, "language": job.language, "status": job.status}
    return said | ({"reason": job.reason} if job.reason else {})


def job_document(job: Job) -> dict[str, Any]:
    """A job as it is; times in ISO 8601."""
    return {
        "id": job.id,
        "source": job.source,
        "page": job.page,
        "language": job.language,
        "status": job.status,
        "reason": job.reason,
        "accepted_at": _moment(job.accepted_at),
        "finished_at": _moment(job.finished_at),
    }


def state_document(row: PageRecord) -> dict[str, Any]:
    """How a page stands in one language."""
    return {
        "language": row.ref.language,
        "url": row.url,
        "title": row.title,
        "state": row.state,
        "reason": row.reason,
        "indexed_at": _moment(row.indexed_at),
    }


def rebuild_document(rebuild: Rebuild) -> dict[str, Any]:
    """A rebuild through the queue as it is; times in ISO 8601."""
    return {
        "id": rebuild.id,
        "source": rebuild.source,
        "state": "cancelling" if rebuild.cancelled and rebuild.is_active else rebuild.state,
        "reason": rebuild.reason,
        "generation": rebuild.generation,
        "pages": rebuild.pages,
        "written": rebuild.written,
        "failed": rebuild.failed,
        "requested_at": _moment(rebuild.requested_at),
        "started_at": _moment(rebuild.started_at),
        "finished_at": _moment(rebuild.finished_at),
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
