"""Retrieves for every question of a pool and records what was found; looks up spans of law."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from app.chat.follow_ups import search_follow_up
from app.evaluation.metrics import DEPTH, JudgedQuestion
from app.evaluation.pool import PoolQuestion
from app.evaluation.spans import LawSpan
from app.evaluation.words import words
from app.indexing.progress import Progress, Show, silent
from app.law.retriever import LawRetriever
from app.search.index import SearchIndex
from ingest.types import PageRef


def judge(
    retriever: LawRetriever,
    questions: Sequence[PoolQuestion],
    sources: frozenset[str],
    show: Show = silent,
) -> Iterator[JudgedQuestion]:
    """Retrieve for every question, without a model. ``show`` is called with the progress."""
    for done, question in enumerate(questions, start=1):
        search = partial(retriever.retrieve, sources=sources, language=question.language, limit=DEPTH)
        retrieval = search_follow_up(search, question.question, question.history)
        yield JudgedQuestion(question=question, found=tuple(hit.page.ref.id for hit in retrieval.hits))
        show(Progress(done=done, total=len(questions), unit="questions"))


def span_texts(
    index: SearchIndex, served: Collection[PageRef], questions: Sequence[PoolQuestion]
) -> dict[LawSpan, str]:
    """The texts of the questions' spans of law, from the ``served`` pages; of those that lie in them."""
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
