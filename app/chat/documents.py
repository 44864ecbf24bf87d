"""The JSON documents of search results and answers, for API, command line and database. Pure functions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from app.chat.conversations import StoredAnswer
from app.chat.decisions import Curated
from app.chat.events import UNANSWERED, DoneEvent, SourcesEvent
from app.chat.text.deep_links import passage_link, passage_path
from app.chat.text.previews import snippet
from app.chat.text.render import SOURCE_ANCHOR, renderer_of
from app.chat.text.suggestions import suggestions
from app.chat.types import SourceItem
from app.law.units import law_unit
from app.search.types import IndexedPage, TimeFilter

Documents = Sequence[Mapping[str, Any]]


def source_documents(question: str, found: SourcesEvent | DoneEvent) -> Documents:
    """The documents of an answer's sources."""
    return [source_document(item, question) for item in found.sources]


def answer_document(question: str, done: DoneEvent, sources: Documents) -> dict[str, Any]:
    """``{"question", "answer", "status", "certainty", "mode", "degraded", "model", "sources", "citations",
    "probable", "unsupported", "suggestions", "other_readings"}``, ``time`` if the search was for one,
    ``as_of`` if sources are law (the day whose law was searched), ``energy`` if it is known, ``more``
    (Markdown) if the page quoted has more, ``curated`` if editors took part in it. ``sources``: from
    :func:`source_documents`."""
    energy = {"energy": done.energy.document()} if done.energy else {}
    return (
        time_document(done.time)
        | as_of_document(done)
        | energy
        | curated_document(done.curated)
        | ({"more": list(done.more)} if done.more else {})
        | {
            "question": question,
            "answer": done.answer,
            "status": done.status,
            "certainty": done.certainty,
            "mode": done.mode,
            "degraded": list(done.degraded),
            "model": done.model,
            "sources": sources,
            "citations": list(done.citations),
            "probable": list(done.probable),
            "unsupported": list(done.unsupported),
            "suggestions": _suggestions(question, done),
            "other_readings": list(done.retrieval.other_readings) if done.retrieval else [],
        }
    )


def _suggestions(question: str, done: DoneEvent) -> list[str]:
    """Questions that may follow; none behind what is no answer, or only comes near to one."""
    is_near = done.status == "extractive" and done.retrieval and done.retrieval.certainty != "answered"
    if done.status in UNANSWERED or is_near:
        return []
    items = {item.number: item for item in done.sources}
    numbers = done.citations or done.probable
    cited = [items[number] for number in numbers if number in items]
    return suggestions(question, done.answer, cited, done.language)


def stored_document(stored: StoredAnswer, anchor: str = SOURCE_ANCHOR) -> dict[str, Any]:
    """A stored answer with its ``html``, and ``more_html`` if it has any. ``anchor``: what the ids of the
    sources begin with on the page that shows it."""
    lists = ("sources", "citations", "probable", "unsupported", "suggestions", "other_readings")
    document: dict[str, Any] = {"answer": "", **{name: [] for name in lists}} | dict(stored.document or {})
    return (
        document
        | more_html_document(document, document["sources"], anchor)
        | {
            "id": stored.id,
            "conversation": stored.conversation,
            "question": stored.question,
            "started_at": timestamp(stored.started_at),
            "status": stored.status,
            "html": renderer_of(
                document["sources"], anchor, all_links=is_editors_text(document.get("curated"))
            ).render(document["answer"]),
        }
    )


def more_html_document(
    document: Mapping[str, Any], sources: Documents, anchor: str = SOURCE_ANCHOR
) -> dict[str, Any]:
    """``{"more_html": HTML}`` of an answer's ``more``; empty without."""
    more = "\n\n".join(document.get("more", ()))
    return {"more_html": renderer_of(sources, anchor).render(more)} if more else {}


def curated_document(curated: Curated | None) -> dict[str, Any]:
    """``{"curated": {"kind", "entries"}}``; empty where editors took no part in the answer."""
    return {"curated": curated.document()} if curated else {}


def is_editors_text(curated: object) -> bool:
    """True if a stored answer's ``curated`` says that editors wrote it."""
    return isinstance(curated, dict) and curated.get("kind") in ("answer", "blocked")


def as_of_document(found: SourcesEvent | DoneEvent) -> dict[str, str]:
    """``{"as_of"}``, the day whose law was searched; empty where no source is law."""
    day = found.retrieval.as_of if found.retrieval and found.sources else None
    return {"as_of": day.isoformat()} if day else {}


def time_document(time: TimeFilter) -> dict[str, Any]:
    """``{"time": {"in_force_on", "published_from", "published_before"}}`` with the given days; empty without
    any."""
    days = {
        "in_force_on": time.at,
        "published_from": time.published_from,
        "published_before": time.published_before,
    }
    given = {name: day.isoformat() for name, day in days.items() if day}
    return {"time": given} if given else {}


def source_document(item: SourceItem, question: str) -> dict[str, Any]:
    """One source of an answer to ``question``.

    ``number``: ``None`` for pages outside the prompt. ``href``: the URL, with a link to the passage if
    possible. ``path``: the URL for people. ``snippet``: plain text around the question's words. ``field``:
    the one that ``similarity`` is of. ``published``, ``updated``: only where they are known. ``celex`` and
    ``version``, the day of the text: only of texts of law; ``ended``: only of those that no longer apply.
    ``linked_from``: only of pages that used sources are linked to, the numbers of these sources by kind of
    link (:data:`app.search.types.LinkKind`). ``earlier``: only of those that are read because an earlier
    answer of the conversation cites them.
    """
    page = item.page
    passages = [item.best.passage] if item.best else item.passages
    texts = [item.best.markdown] if item.best else [passage.text for passage in item.passages]
    return (
        {
            "number": item.number,
            "id": page.ref.id,
            "url": page.url,
            "href": passage_link(page, passages),
            "title": page.title,
            "path": passage_path(page, passages),
            "field": item.field,
            "snippet": snippet(texts, question, page.ref.language),
            "similarity": None if item.similarity is None else round(item.similarity, 4),
            "used": item.used,
        }
        | _days(page)
        | _ended(item.ended)
        | _celex(page)
        | _linked_from(item)
        | ({"earlier": True} if item.earlier else {})
    )


def _days(page: IndexedPage) -> dict[str, str]:
    days = {"published": page.published, "updated": page.updated and page.updated.date()}
    return {name: day.isoformat() for name, day in days.items() if day}


def _linked_from(item: SourceItem) -> dict[str, dict[str, list[int]]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for kind, number in item.linked_from:
        numbers[kind].append(number)
    return {"linked_from": dict(numbers)} if numbers else {}


def _celex(page: IndexedPage) -> dict[str, str]:
    celex, law = page.metadata.get("celex"), law_unit(page)
    version = {"version": law.version.isoformat()} if law else {}
    return {"celex": celex} | version if celex else {}


def _ended(day: date | None) -> dict[str, str]:
    return {"ended": day.isoformat()} if day else {}


def timestamp(moment: datetime | None) -> str | None:
    """ISO 8601, in whole seconds."""
    return None if moment is None else moment.isoformat(timespec="seconds")
