"""Retrieves for every question of a pool and records what was found."""

from collections.abc import Iterator, Sequence
from functools import partial

from app.chat.follow_ups import search_follow_up
from app.evaluation.metrics import DEPTH, JudgedQuestion
from app.evaluation.pool import PoolQuestion
from app.indexing.progress import Progress, Show, silent
from app.law.retriever import LawRetriever


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
