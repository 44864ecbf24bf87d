"""Ask every question of a pool and judge what retrieval finds."""

from collections.abc import Callable, Iterator, Sequence

from app.chat.rephrase import without_model
from app.evaluation.metrics import DEPTH, Judged
from app.evaluation.pool import PoolQuestion
from app.search.retrieve import Retriever


def judge(
    retriever: Retriever,
    questions: Sequence[PoolQuestion],
    sources: frozenset[str],
    progress: Callable[[int], None] = lambda _done: None,
) -> Iterator[Judged]:
    """Retrieve for every question, without a model: a follow-up is searched with the question before it."""
    for done, question in enumerate(questions, start=1):
        asked = without_model(question.question, question.history)
        retrieval = retriever.retrieve(asked, sources=sources, language=question.language, limit=DEPTH)
        yield Judged(question=question, found=tuple(hit.page.ref.id for hit in retrieval.hits))
        progress(done)
