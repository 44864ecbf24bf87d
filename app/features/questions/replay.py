"""Asks a stored question again, as it would be answered today. Nothing is stored or counted."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from app.chat.conversations import Conversations
from app.chat.documents import AnswerDocument, source_documents
from app.chat.events import DoneEvent
from app.chat.outcomes import Outcome, outcome_of
from app.chat.pipelines import RagPipelines
from app.chat.provenance import AnswerSetup, Provenance, provenance_of
from app.chat.service import ConcurrencyLimit
from app.chat.sites import Sites
from app.errors import ConflictError
from app.features.questions.differences import DifferencesDocument, differences
from app.features.questions.store import Questions, StoredQuestion
from app.search.fields import FieldTypes
from app.search.filters import filters_in
from app.search.retrieval import TimeFilter
from app.search.types import IndexedPage
from app.settings.sites import SiteSettings
from ingest.types import PageRef

NO_SITE: Final = "the question's site is no longer in the settings: it cannot be asked again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Today's answer to a stored question, with its provenance."""

    answer: Mapping[str, Any]
    outcome: Outcome
    provenance: Provenance
    differences: DifferencesDocument


@dataclass(kw_only=True, eq=False)
class Replayer:
    """Asks stored questions again. ``all_sources(site)``: the sources that a site searches; ``fields``: the
    declared fields that questions may be filtered by."""

    questions: Questions
    conversations: Conversations
    sites: Sites
    pipelines: RagPipelines
    limit: ConcurrencyLimit
    all_sources: Callable[[SiteSettings], frozenset[str]]
    fields: FieldTypes

    def ask(self, answer: str, *, sites: Collection[str] | None = None, with_model: bool = True) -> Replay:
        """Ask a question again, by its answer's id, with its conversation before it. ``with_model``: False
        for verbatim passages, which come at once.

        Raises ``NotFoundError``, also for a question of a site that is not among ``sites``, ``ConflictError``
        if its site is gone, ``InputError`` if a field that it was filtered by is gone, ``FloodError``,
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        stored = self.questions.stored(answer, sites=sites)
        site = self._site_of(stored)
        setup = self._setup_of(stored, site)
        release = self.limit.acquire()
        try:
            done = self._answer(stored, site, setup, with_model=with_model)
        finally:
            release()
        question = stored.record.question
        document = AnswerDocument.of(question, done, source_documents(question, done)).to_json()
        made = provenance_of(done, setup)
        before = (stored.document, stored.provenance)
        return Replay(
            answer=document,
            outcome=outcome_of(document),
            provenance=made,
            differences=differences(before, (document, made), self._served(stored, site)),
        )

    def _answer(
        self, stored: StoredQuestion, site: SiteSettings, setup: AnswerSetup, *, with_model: bool
    ) -> DoneEvent:
        events = self.pipelines.of(site).answerer.stream(
            stored.record.question,
            history=self.conversations.history_before(stored.conversation, stored.number),
            language=setup.language,
            sources=setup.sources,
            time=setup.time,
            filters=setup.filters,
            model_disabled=None if with_model else "daily_limit",
        )
        return next(event for event in events if isinstance(event, DoneEvent))

    def _site_of(self, stored: StoredQuestion) -> SiteSettings:
        """Return the site, with the named index whose preset answered then, if it still has that."""
        site = next((each for each in self.sites.all() if each.key == stored.record.site), None)
        if site is None:
            raise ConflictError(NO_SITE)
        preset = stored.provenance["preset"]["name"] if stored.provenance else None
        alike = (each for each in site.variants() if self.pipelines.preset_of(each).name == preset)
        return next(alike, site)

    def _setup_of(self, stored: StoredQuestion, site: SiteSettings) -> AnswerSetup:
        asked = stored.provenance["asked"] if stored.provenance else {}
        at = asked.get("at")
        return self.pipelines.setup_of(
            site,
            sources=frozenset(asked.get("sources", ())) or self.all_sources(site),
            language=asked.get("language"),
            time=TimeFilter(at=date.fromisoformat(at) if at else None),
            filters=filters_in(asked.get("filters") or {}, self.fields),
        )

    def _served(self, stored: StoredQuestion, site: SiteSettings) -> dict[PageRef, IndexedPage]:
        """Return the pages in the stored answer's provenance, as the index has them now."""
        pages = stored.provenance["pages"] if stored.provenance else ()
        sources = frozenset(page["source"] for page in pages)
        retriever = self.pipelines.of(site).retriever
        named = retriever.named_pages(sources, {page["id"] for page in pages})
        return {page.ref: page for page in named}
