"""Finds the visitors' questions that a draft would answer if it were a page of a source.

The draft is cut, embedded and searched in memory as a page of that source would be, beside the live index.
Nothing of it is stored, indexed or logged. Two steps are left out: contexts that a model writes, and the
reranker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Final, NamedTuple

from app.chat.outcomes import GAPS, JUDGED, Outcome
from app.chat.pipelines import RagPipelines
from app.chat.text.chitchat import greeting
from app.errors import InputError, NotFoundError
from app.features.explain.inspector import QuestionInspector
from app.features.explain.search_trace import SearchTrace, search_traces
from app.features.explain.weighing import WeighedPage, weighed_page
from app.features.questions.filter import QuestionFilter
from app.features.questions.store import QuestionDocument, Questions
from app.pages.page_list import PageList
from app.search.block_comparison import texts_of
from app.search.block_reader import BlockReader
from app.search.blocks import FoundBlock, ranked_blocks
from app.search.certainty import judged
from app.search.drafts import Objection, served_page
from app.search.fusion import is_foreign
from app.search.index import SearchIndex
from app.search.query import beside_content, near_chunks
from app.search.recorder import recording
from app.search.retrieval import Certainty, Hit
from app.search.types import IndexedPage
from app.settings.addresses import origin_of
from app.settings.sites import SiteSettings
from ingest.pipeline import Pipeline
from ingest.sources.textfiles import decode
from ingest.types import HTML_TYPES, UNDETERMINED, EmbeddedPage, MediaType, PageRef, RawField, RawPage

if TYPE_CHECKING:
    from ingest.fetching.client import Fetcher

QUESTIONS: Final = 50
"""A draft is asked this many different questions of each kind, unless the caller gives a number."""

DAYS: Final = 28
SECONDS: Final = 20.0
"""The time limit for asking a draft; questions that are left then are counted."""

ANSWERED: Final[tuple[Outcome, ...]] = ("answered",)

_HTML: Final = sorted(HTML_TYPES)
_ACCEPTED: Final = (*_HTML, "text/markdown", "text/plain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft of a page of ``source``: its ``text`` (Markdown), its ``html``, or the ``url`` of a preview.
    ``id``: of the page that it would replace, if any. ``site``: whose visitors' questions it is asked;
    ``language``: ISO 639-1 or ``und``."""

    source: str
    id: str = ""
    site: str = ""
    title: str = ""
    text: str = ""
    html: str = ""
    url: str = ""
    language: str = UNDETERMINED
    days: int = DAYS
    questions: int = QUESTIONS

    @property
    def replaced(self) -> PageRef | None:
        """The page that it would replace. Raises ``InputError``."""
        if not self.id:
            return None
        try:
            return PageRef(source=self.source, id=self.id, language=self.language)
        except ValueError as error:
            raise InputError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftAnswer:
    """A draft's answer to a question.

    ``asked``: the question with its last answer, ``None`` if no visitor asked it. ``winner``: the page that
    comes first today, not counting the page that the draft would replace; ``belongs``: True if that page
    comes first today. ``certainty``: the draft's. ``beats``: True if the draft would come first. ``block``:
    the draft's best block."""

    question: str
    asked: QuestionDocument | None
    weighed: WeighedPage
    winner: Hit | None
    belongs: bool
    certainty: Certainty
    beats: bool
    block: FoundBlock | None

    @property
    def answers(self) -> bool:
        """True if the draft would be the first page and answers the question well enough."""
        return self.beats and self.certainty == "answered"

    @property
    def outcome(self) -> Outcome:
        """The question's outcome if the draft were published: ``doubtful`` if it comes near, or not first."""
        if self.answers:
            return "answered"
        return "unanswered" if self.certainty == "far" else "doubtful"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReport:
    """A draft's answers to visitors' questions, the newest first. ``page``: the draft as it was converted.
    ``unanswered``: to questions that were not answered well; ``answered``: to the others. ``left``: the
    number of questions that there was no time for."""

    page: EmbeddedPage
    unanswered: tuple[DraftAnswer, ...]
    answered: tuple[DraftAnswer, ...]
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CmsReport:
    """A report about a draft for a CMS. ``answers``: to visitors' open questions, if the draft would come
    first, or the page that it would replace comes first today; the best answered first. ``left``: the number
    of questions that there was no time for."""

    answers: tuple[DraftAnswer, ...]
    left: int
    objections: tuple[Objection, ...]


class _Asking(NamedTuple):
    """A draft that is asked as a ``page`` of a site, which searches ``sources``."""

    draft: Draft
    page: EmbeddedPage
    site: SiteSettings
    sources: frozenset[str]


@dataclass(kw_only=True, eq=False)
class DraftDesk:
    """Asks drafts. ``pipeline``: converts, cuts and embeds as for the live generation, and stores nothing.
    ``fetcher``: the guarded client. ``reader``: judges a draft's blocks as in a search. ``objections``: finds
    pages of sources that contradict a draft."""

    inspector: QuestionInspector
    pipelines: RagPipelines
    questions: Questions
    pages: PageList
    index: Callable[[], SearchIndex]
    pipeline: Callable[[], Pipeline]
    fetcher: Callable[[], Fetcher]
    reader: Callable[[], BlockReader]
    objections: Callable[[IndexedPage, Collection[str]], Sequence[Objection]]
    clock: Callable[[], float] = time.monotonic

    def ask(self, draft: Draft, sources: Collection[str] | None = None) -> DraftReport:
        """Ask the draft visitors' questions. ``sources``: the editor's, ``None`` for all; a site that
        searches others does not exist for them.

        Raises ``NotFoundError`` (no such site, or the source is not on it), ``InputError`` (not one of text,
        html and url, or an address of another website), ``PageError``, ``FetchError``,
        ``SourceUnavailableError``, ``EmbedderUnavailableError``, ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``.
        """
        site = self.inspector.site(draft.site)
        searched = self.inspector.searched(site, "", sources)
        if sources is not None and not (site.sources and set(site.sources) <= set(sources)):
            raise NotFoundError("there is no such site: not all of its sources are yours")
        if draft.source not in searched:
            raise NotFoundError("there is no source {name!r} on this site", name=draft.source)
        page = self.pipeline().build(self._raw_page(draft, site), 0)
        unanswered = self._asked(draft, site, GAPS)
        answered = self._asked(draft, site, ANSWERED)
        found = self._answers(_Asking(draft, page, site, searched), [*unanswered, *answered])
        return DraftReport(
            page=page,
            unanswered=tuple(each for each in found[: len(unanswered)] if each),
            answered=tuple(each for each in found[len(unanswered) :] if each),
            left=len(unanswered) + len(answered) - len(found),
        )

    def ask_for_cms(self, draft: Draft, question: str = "") -> CmsReport:
        """Ask the draft visitors' open questions and find pages that contradict it, for editors in their CMS;
        or ask it this ``question`` alone.

        The source's key gives access to questions of sites that name the source in the settings, or search no
        other one. Raises what :meth:`ask` raises, except for addresses.
        """
        site = self.inspector.site_of_source(draft.source, draft.site)
        searched = self.inspector.searched(site, "", None)
        if draft.source not in searched:
            raise NotFoundError(
                "no page of the source {name!r} is published yet: publish one first", name=draft.source
            )
        replaced = draft.replaced
        page = self.pipeline().build(self._raw_page(draft, site), 0)
        asking = _Asking(draft, page, site, searched)
        if question:
            found = self._answer(asking, question, draft.language, None)
            return CmsReport(answers=(found,) if found else (), left=0, objections=())
        records = self._asked(draft, site, GAPS)
        answers = self._answers(asking, records)
        listed = [each for each in answers if each and (each.belongs or each.beats)]
        served = served_page(page)
        return CmsReport(
            answers=tuple(sorted(listed, key=lambda each: JUDGED.index(each.outcome))),
            left=len(records) - len(answers),
            objections=tuple(self.objections(replace(served, ref=replaced or served.ref), searched)),
        )

    def _raw_page(self, draft: Draft, site: SiteSettings) -> RawPage:
        content = self._content(draft, site)
        fields = {"content": content}
        if draft.title:
            fields["title"] = RawField(text=draft.title, media_type="text/plain")
        page_id = f"draft-{token_hex(8)}"
        return RawPage(
            ref=PageRef(source=draft.source, id=page_id, language=draft.language),
            document=page_id,
            url=draft.url,
            fields=fields,  # type: ignore[arg-type]
        )

    def _content(self, draft: Draft, site: SiteSettings) -> RawField:
        given = [name for name in ("text", "html", "url") if getattr(draft, name)]
        if len(given) != 1:
            raise InputError("the draft must be one of text, html and url")
        if draft.url:
            return self._fetched(draft, site)
        if draft.html:
            return RawField(text=draft.html, media_type="text/html")
        return RawField(text=draft.text, media_type="text/markdown")

    def _fetched(self, draft: Draft, site: SiteSettings) -> RawField:
        """Fetch the preview at the draft's address, which must be on the site or among the source's pages."""
        self._check_address(draft.url, draft.source, site)
        fetched = self.fetcher().get(draft.url, accept=_ACCEPTED)
        self._check_address(fetched.url, draft.source, site)
        is_html = fetched.media_type in HTML_TYPES
        media_type: MediaType = "text/html" if is_html else "text/markdown"
        return RawField(text=decode(fetched.body, declared=is_html), media_type=media_type)

    def _check_address(self, url: str, source: str, site: SiteSettings) -> None:
        try:
            origin = origin_of(url.partition("?")[0].partition("#")[0])
        except ValueError as error:
            raise InputError("the preview's address cannot be used: {error}", error=str(error)) from error
        if origin not in site.origins and not self.pages.has_address(source, f"{origin}/"):
            raise InputError(
                "{origin} is another website: use a preview of the source {name!r}, or ask an admin to add "
                "it to the site's origins",
                origin=origin,
                name=source,
            )

    def _asked(
        self, draft: Draft, site: SiteSettings, outcomes: Collection[Outcome]
    ) -> list[QuestionDocument]:
        """Return the newest different questions with these outcomes."""
        since = datetime.now(UTC) - timedelta(days=draft.days)
        chosen = QuestionFilter(site=site.key, since=since, outcomes=outcomes)
        distinct: dict[str, QuestionDocument] = {}
        for record in self.questions.all(chosen):
            if not greeting(record.question):
                distinct.setdefault(record.question.casefold(), record)
            if len(distinct) == draft.questions:
                break
        return list(distinct.values())

    def _answers(self, asking: _Asking, records: Iterable[QuestionDocument]) -> list[DraftAnswer | None]:
        """Return the draft's answers to as many of the questions as there is time for."""
        deadline = self.clock() + SECONDS
        found = []
        for record in records:
            if self.clock() >= deadline:
                break
            found.append(self._answer(asking, record.question, record.language, record))
        return found

    def _answer(
        self, asking: _Asking, question: str, language: str, asked: QuestionDocument | None
    ) -> DraftAnswer | None:
        """Weigh the draft in the search for a question; return ``None`` if no pages are searched for it."""
        retriever = self.pipelines.of(asking.site).retriever
        with recording() as recorder:
            found = retriever.retrieve(
                question, sources=asking.sources, language=language.replace(UNDETERMINED, "") or None
            )
        search = next(iter(search_traces(recorder.parts)), None)
        weighed = None if search is None else weighed_page(self.index(), search, asking.page, 0)
        if search is None or weighed is None:
            return None
        replaced = asking.draft.replaced
        first = next(iter(found.hits), None)
        blocks = list(_blocks(question, search, weighed))
        return DraftAnswer(
            question=question,
            asked=asked,
            weighed=weighed,
            winner=next((hit for hit in found.hits if hit.page.ref != replaced), None),
            belongs=first is not None and first.page.ref == replaced,
            certainty=_certainty(search, weighed, self._likelihood(search, blocks)),
            beats=weighed.place == 1 or (weighed.place == 2 and weighed.rivals[0].page.ref == replaced),
            block=next(iter(blocks), None),
        )

    def _likelihood(self, search: SearchTrace, blocks: Sequence[FoundBlock]) -> float | None:
        """Return the likelihood that the draft's best blocks answer, if the reader judged those of pages."""
        if search.judged is None or search.judged.answers is None:
            return None
        texts = texts_of(blocks[: search.preset.question.read_blocks])
        return max(self.reader().likelihoods(search.query.question, texts), default=None)


def _certainty(search: SearchTrace, weighed: WeighedPage, likelihood: float | None) -> Certainty:
    """Judge the draft's certainty like that of a first page, with the ``likelihood`` of its best blocks."""
    if not weighed.is_qualified:
        return "far"
    if weighed.thresholds is None:
        return "answered"
    off_topic = search.judged.off_topic if search.judged else None
    foreign = is_foreign([*search.qualified, weighed.candidate], search.query.language)
    return judged(weighed.score, off_topic, likelihood, weighed.thresholds, is_foreign=foreign)


def _blocks(question: str, search: SearchTrace, weighed: WeighedPage) -> Iterator[FoundBlock]:
    """Yield the draft's blocks, the best first."""
    candidate, thresholds = weighed.candidate, weighed.thresholds
    hit = Hit(
        rank=1,
        page=candidate.page,
        score=weighed.score,
        coverage=candidate.coverage,
        similarity=candidate.similarity,
        passages=(),
        near_chunks=near_chunks(candidate, thresholds) if thresholds else (),
        field_relevances=beside_content(candidate, thresholds) if thresholds else {},
    )
    yield from ranked_blocks(search.query.question, question, search.query.language or "", [hit])
