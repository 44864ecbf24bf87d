"""Retrieves pages for every question of a pool, observes for calibration, and looks up spans of law."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.chat.follow_ups import FollowUp
from app.features.evaluation.calibration import FoundPage, Observation
from app.features.evaluation.metrics import DEPTH, JudgedQuestion
from app.features.evaluation.pool import PoolQuestion, is_page_of
from app.features.evaluation.spans import LawSpan
from app.features.evaluation.word_calibration import MeasuredWord, measured_word
from app.features.evaluation.words import words
from app.indexing.progress import Progress, Show, silent
from app.search import analysis
from app.search.examples import OffTopic
from app.search.fusion import levelled
from app.search.index import SearchIndex
from app.search.languages import question_language
from app.search.query import towards_passages
from app.search.recorder import QuestionEmbedded, WordsUnknown, recording
from app.search.site_retriever import SiteRetriever
from app.search.types import QuerySpec
from ingest.protocols import Embedder
from ingest.types import FIELDS, PageRef

OBSERVED_PAGES: Final = 200
"""A calibration looks at this many pages for each question and field."""


def judge(
    retriever: SiteRetriever,
    questions: Sequence[PoolQuestion],
    sources: frozenset[str],
    show: Show = silent,
) -> Iterator[JudgedQuestion]:
    """Retrieve pages for every question, without a model. ``show`` is called with the progress."""
    for done, question in enumerate(questions, start=1):
        search = partial(retriever.retrieve, sources=sources, language=question.language, limit=DEPTH)
        retrieval = FollowUp(search, question.question, question.history).as_meant()
        found = tuple(hit.page.ref.id for hit in retrieval.hits)
        yield JudgedQuestion(question=question, found=found, degraded=retrieval.degraded)
        show(Progress(done=done, total=len(questions), unit="questions"))


def served_pages(index: SearchIndex, sources: frozenset[str]) -> list[PageRef]:
    """Return the pages of ``sources`` that the index serves."""
    live = index.live()
    return [ref for ref, _ in index.refs(live.number) if ref.source in sources] if live else []


def span_texts(
    index: SearchIndex, served: Collection[PageRef], questions: Sequence[PoolQuestion]
) -> dict[LawSpan, str]:
    """Return the texts of the questions' spans of law, if they lie within the ``served`` pages."""
    spans = defaultdict[tuple[str, str], set[LawSpan]](set)
    for question in questions:
        for span in question.law_spans:
            spans[span.page, span.language].add(span)
    pages = index.pages([ref for ref in served if (ref.id, ref.language) in spans])
    found = {
        span: page.fields.get("content", "")[span.start : span.end]
        for page in pages
        for span in spans[page.ref.id, page.ref.language]
    }
    return {span: text for span, text in found.items() if len(text) == span.end - span.start and words(text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Observer:
    """Searches ``sources`` for questions by their meaning, without thresholds. ``retriever``: searches as
    visitors do, to find the words that no page has."""

    index: SearchIndex
    embedder: Embedder
    off_topic: OffTopic
    sources: frozenset[str]
    retriever: SiteRetriever

    def observe(self, questions: Sequence[PoolQuestion], show: Show) -> Iterator[Observation]:
        """Search for every question, except follow-ups and questions too short to be searched by meaning.

        Raises ``EmbedderUnavailableError`` and ``IndexUnavailableError``.
        """
        for done, question in enumerate(questions, start=1):
            if not question.is_follow_up and not analysis.is_short(question.question):
                yield self._observation(question)
            show(Progress(done=done, total=len(questions), unit="questions"))

    def _observation(self, question: PoolQuestion) -> Observation:
        asked = self.embedder.embed_query(question.question)
        language = question.language or question_language(question.question)
        spec = QuerySpec(
            words=analysis.content_words(question.question, language or ""),
            sources=self.sources,
            vector=towards_passages(asked, self.embedder),
            k=dict.fromkeys(FIELDS, OBSERVED_PAGES),
            keyword="any",
            keyword_limit=OBSERVED_PAGES,
        )
        return Observation(
            is_answerable=question.answerable,
            pages=tuple(
                FoundPage(
                    is_gold=any(is_page_of(gold, candidate.page.ref.id) for gold in question.gold),
                    similarity=candidate.similarity,
                    added=candidate.added,
                    coverage=candidate.coverage,
                )
                for candidate in levelled(self.index.search(spec), language)
            ),
            off_topic=self.off_topic.similarity(asked, self.embedder),
            words=self._words(question),
        )

    def _words(self, question: PoolQuestion) -> tuple[MeasuredWord, ...]:
        with recording() as recorder:
            self.retriever.retrieve(question.question, sources=self.sources, language=question.language)
        steps = [each.part for each in recorder.parts]
        thresholds = [step.thresholds for step in steps if isinstance(step, QuestionEmbedded)]
        unknown = [step.words for step in steps if isinstance(step, WordsUnknown)]
        return tuple(
            measured_word(word, known)
            for known, words in zip(thresholds, unknown, strict=False)
            for word in words
        )
