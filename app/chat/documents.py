"""The JSON documents of answers, their sources and search results, for API, command line and database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator

from app.chat.decisions import CuratedKind
from app.chat.energy import Basis, Energy, Part, hair_dryer_seconds, phone_percent
from app.chat.events import UNANSWERED, AnswerCertainty, DoneEvent, SourcesEvent, Status
from app.chat.facet_documents import FacetDocument
from app.chat.found_pages import FoundPage, found_pages
from app.chat.source_items import SourceItem
from app.chat.stored import StoredAnswer
from app.chat.text.deep_links import passage_link, passage_path
from app.chat.text.previews import snippet
from app.chat.text.render import SOURCE_ANCHOR, renderer_of
from app.chat.text.suggestions import suggestions
from app.document import Document, Moment, Rounded, Sometimes, Stored, timestamp
from app.law.units import law_unit
from app.search.retrieval import Degradation, LinkKind, Retrieval, RetrievalMode, TimeFilter
from app.search.types import Highlight
from ingest.types import PageRef

SourcesJson = Sequence[Mapping[str, Any]]
"""Documents of sources in JSON, as they are stored."""

_Significant = Annotated[float, AfterValidator(lambda number: float(f"{number:.3g}"))]


class TimeDocument(Document):
    """The days that were asked about."""

    in_force_on: Sometimes[date] = None
    published_from: Sometimes[date] = None
    published_before: Sometimes[date] = None

    @classmethod
    def of(cls, time: TimeFilter) -> Self | None:
        """Describe the days; None without any."""
        if not time:
            return None
        return cls(
            in_force_on=time.at, published_from=time.published_from, published_before=time.published_before
        )


class HighlightDocument(Document):
    """A text. ``marks``: the positions of the question's words, in characters."""

    text: str
    marks: list[list[int]]


class LineDocument(HighlightDocument):
    """A line of a block as plain text."""

    listed: bool


class PassageDocument(Document):
    """A passage with its byte offsets in the field's UTF-8."""

    field: str
    start: int
    end: int
    text: str


class HitDocument(Document):
    """A page that was found. ``lines``: the lines of its best block. ``ended``: only for texts that no longer
    apply. ``highlights``: only if they were asked for."""

    rank: int
    id: str
    source: str
    language: str
    url: str
    href: str
    title: str
    heading: str
    lines: list[LineDocument]
    score: Rounded
    coverage: Rounded
    similarity: dict[str, Rounded]
    passages: list[PassageDocument]
    ended: Sometimes[date] = None
    highlights: Sometimes[list[HighlightDocument]] = None

    @classmethod
    def of(cls, found: FoundPage, highlights: Mapping[PageRef, Sequence[Highlight]] | None) -> Self:
        """Describe a page that was found, with its ``highlights``."""
        hit, page = found.hit, found.hit.page
        shown = None if highlights is None else highlights.get(page.ref, ())
        return cls.from_objects(found, hit, page.ref, page, highlights=shown)


class SearchDocument(Document):
    """The pages found for a question, in rank order. ``time``: only if the search was limited to one."""

    time: Sometimes[TimeDocument] = None
    question: str
    mode: RetrievalMode | None
    degraded: list[Degradation]
    hits: list[HitDocument]
    facets: Sometimes[list[FacetDocument]] = None

    @classmethod
    def of(
        cls,
        retrieval: Retrieval,
        highlights: Mapping[PageRef, Sequence[Highlight]] | None = None,
        facets: list[FacetDocument] | None = None,
    ) -> Self:
        """Describe the result of a search, with ``highlights`` and ``facets`` if they are given."""
        return cls(
            time=TimeDocument.of(retrieval.time),
            question=retrieval.question,
            mode=retrieval.mode,
            degraded=retrieval.degraded,
            hits=[HitDocument.of(found, highlights) for found in found_pages(retrieval, retrieval.hits)],
            facets=facets,
        )


class SourceDocument(Document):
    """One source of an answer.

    ``number``: ``None`` for pages outside the prompt. ``href``: the URL, with a link to the passage if
    possible. ``path``: the URL for people. ``snippet``: plain text around the question's words. ``field``:
    the field with this ``similarity``. ``published``, ``updated``: only if they are known. ``celex`` and
    ``version``, the day of the text: only for texts of law; ``ended``: only for those that no longer apply.
    ``linked_from``: only for pages that used sources link to, the numbers of these sources by kind of link.
    ``earlier``: only for pages in the prompt because an earlier answer of the conversation cites them.
    """

    number: int | None
    id: str
    url: str
    href: str
    title: str
    path: str
    field: str | None
    snippet: str
    similarity: Rounded | None
    used: bool
    published: Sometimes[date] = None
    updated: Sometimes[date] = None
    ended: Sometimes[date] = None
    celex: Sometimes[str] = None
    version: Sometimes[date] = None
    linked_from: Sometimes[dict[LinkKind, list[int]]] = None
    earlier: Sometimes[bool] = None

    @classmethod
    def of(cls, item: SourceItem, question: str) -> Self:
        """Describe a source of an answer to ``question``."""
        page = item.page
        passages = [item.best.passage] if item.best else item.passages
        texts = [item.best.markdown] if item.best else [passage.text for passage in item.passages]
        celex = page.metadata.get("celex") or None
        law = law_unit(page) if celex else None
        return cls.from_objects(
            item,
            page.ref,
            page,
            href=passage_link(page, passages),
            path=passage_path(page, passages),
            snippet=snippet(texts, question, page.ref.language),
            updated=page.updated.date() if page.updated else None,
            celex=celex,
            version=law.version if law else None,
            linked_from=_linked_from(item) or None,
            earlier=item.earlier or None,
        )


class EnergyDocument(Document):
    """The energy of an answer, to three significant digits. ``parts``: watt hours."""

    wh: _Significant
    basis: Basis
    pue: float
    parts: dict[Part, _Significant]
    hair_dryer_seconds: _Significant
    phone_percent: _Significant

    @classmethod
    def of(cls, energy: Energy) -> Self:
        """Describe the energy of an answer."""
        total = energy.watt_hours
        return cls.from_objects(
            energy,
            wh=total,
            hair_dryer_seconds=hair_dryer_seconds(total),
            phone_percent=phone_percent(total),
        )


class CuratedDocument(Document):
    """The editors' part in an answer. ``entries``: the numbers of their entries."""

    kind: CuratedKind
    entries: list[int]


class AnswerDocument(Document):
    """An answer. ``time``: only if the search was limited to one. ``as_of``: only if sources are law, the day
    whose law was searched. ``energy``: only if it is known. ``curated``: only if editors took part. ``more``
    (Markdown): only if the page quoted has more. ``unhelped``: True if a person may help further.
    ``absent_words``: only if the question has words that no page has. ``asks_back``: only if the answer asks
    what the visitor means. ``code``: that of the error that ended it."""

    time: Sometimes[TimeDocument] = None
    as_of: Sometimes[date] = None
    energy: Sometimes[EnergyDocument] = None
    curated: Sometimes[CuratedDocument] = None
    more: Sometimes[list[str]] = None
    question: str
    answer: str
    status: Literal[Status, "running"]
    certainty: Sometimes[AnswerCertainty] = None
    unhelped: bool = False
    mode: RetrievalMode | None = None
    degraded: Sometimes[list[Degradation]] = None
    model: str | None = None
    sources: Stored[list[SourceDocument]]
    citations: list[int]
    probable: list[int]
    unsupported: list[str]
    suggestions: list[str]
    other_readings: list[str]
    absent_words: Sometimes[list[str]] = None
    asks_back: Sometimes[bool] = None
    code: Sometimes[str] = None

    @classmethod
    def of(cls, question: str, done: DoneEvent, sources: SourcesJson, code: str = "") -> Self:
        """Describe an answer. ``sources``: from :func:`source_documents`."""
        return cls.from_objects(
            done,
            unhelped=done.may_need_person,
            time=TimeDocument.of(done.time),
            as_of=day_of_law(done),
            energy=EnergyDocument.of(done.energy) if done.energy else None,
            more=done.more or None,
            question=question,
            sources=sources,
            suggestions=_suggestions(question, done),
            other_readings=done.retrieval.other_readings if done.retrieval else [],
            asks_back=done.asks_back or None,
            absent_words=_absent_words(question, done) or None,
            code=code or None,
        )


class StoredAnswerDocument(AnswerDocument):
    """A stored answer, without certainty and labels while it is written."""

    id: str
    conversation: str
    started_at: Moment
    html: str
    more_html: Sometimes[str] = None


class ConversationDocument(Document):
    """A conversation with its answers in order."""

    id: str
    answers: list[StoredAnswerDocument]


def source_documents(question: str, found: SourcesEvent | DoneEvent) -> SourcesJson:
    """Return the documents of an answer's sources in JSON."""
    return [SourceDocument.of(item, question).to_json() for item in found.sources]


def _absent_words(question: str, done: DoneEvent) -> list[str]:
    """Return the absent words that occur in the question as stored; others were redacted."""
    return [word for word in (done.retrieval.absent_words if done.retrieval else ()) if word in question]


def _suggestions(question: str, done: DoneEvent) -> list[str]:
    """Return suggestions of follow-ups; none if there is no answer, or if passages only come near one."""
    is_near = done.status == "extractive" and done.retrieval and done.retrieval.certainty != "answered"
    if done.status in UNANSWERED or is_near:
        return []
    items = {item.number: item for item in done.sources}
    numbers = done.citations or done.probable
    cited = [items[number] for number in numbers if number in items]
    return suggestions(question, done.answer, cited, done.language)


def stored_document(stored: StoredAnswer, anchor: str = SOURCE_ANCHOR) -> dict[str, Any]:
    """Return a stored answer in JSON, as :class:`StoredAnswerDocument` describes it; fields stored by an
    earlier version are passed on unchanged. ``anchor``: the prefix of the sources' ids on the page that shows
    it."""
    lists = ("sources", "citations", "probable", "unsupported", "suggestions", "other_readings")
    document: dict[str, Any] = {"answer": "", **{name: [] for name in lists}} | dict(stored.document or {})
    sources = document["sources"]
    if more := more_html(document.get("more", ()), sources, anchor):
        document["more_html"] = more
    renderer = renderer_of(sources, anchor, all_links=is_editors_text(document.get("curated")))
    is_unsure = stored.status != "greeting" and document.get("certainty", "sure") != "sure"
    return (
        {"unhelped": is_unsure}
        | document
        | {
            "id": stored.id,
            "conversation": stored.conversation,
            "question": stored.question,
            "started_at": timestamp(stored.started_at),
            "status": stored.status,
            "html": renderer.render(document["answer"]),
        }
    )


def more_html(more: Iterable[str], sources: SourcesJson, anchor: str = SOURCE_ANCHOR) -> str | None:
    """Return the HTML of an answer's ``more``, or None if that is empty."""
    text = "\n\n".join(more)
    return renderer_of(sources, anchor).render(text) if text else None


def is_editors_text(curated: object) -> bool:
    """Return True if a stored answer's ``curated`` says that editors wrote it."""
    return isinstance(curated, dict) and curated.get("kind") in ("answer", "blocked")


def day_of_law(found: SourcesEvent | DoneEvent) -> date | None:
    """Return the day whose law was searched, or None if no law was found."""
    return found.retrieval.as_of if found.retrieval and found.sources else None


def _linked_from(item: SourceItem) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for kind, number in item.linked_from:
        numbers[kind].append(number)
    return dict(numbers)
