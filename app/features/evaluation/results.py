"""The results of an evaluation: of each question, and of a run over a pool. Stored as JSON."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from app.chat.events import Status
from app.features.evaluation.answers import REFUSALS, AnswerSource, JudgedAnswer
from app.features.evaluation.evaluation_runs import StoredRun
from app.features.evaluation.metrics import (
    ANSWER_FIGURES,
    PAGE_FIGURES,
    Figures,
    JudgedQuestion,
    Score,
    answer_scores,
    means,
    page_scores,
)
from app.features.evaluation.pool import Gold, PoolQuestion
from app.features.evaluation.statistics import Estimate, estimates
from ingest.fingerprints import text_hash
from ingest.types import UNDETERMINED

_ASKED = {"question", "language", "history", "gold", "spans", "must", "must_by_page"}
_ASKED_LATELY = {"earlier", "also", "must_not"}
"""Left out of the key if a question has none, so that keys of runs stored before these fields still match."""


class QuestionResult(BaseModel):
    """A question of a pool with the pages found, its answer and its scores.

    ``key``: the same for the same question with the same gold. ``source``: of its gold pages, several joined
    by ``+``; empty if they are not indexed, or if there are none. ``found``: ids of pages, best first;
    ``rank``: of the first gold page. ``is_right``: see :class:`app.features.evaluation.answers.JudgedAnswer`.
    ``reference``: the pool's answer. ``follow_up``: True if it was asked in a conversation.
    """

    model_config = ConfigDict(frozen=True)

    key: str
    id: str
    question: str
    language: str
    kind: str
    source: str
    gold: tuple[str, ...]
    found: tuple[str, ...]
    rank: int | None
    status: Status
    shown: str
    is_right: bool | None
    sources: tuple[AnswerSource, ...]
    context: str
    reference: str = ""
    follow_up: bool = False
    scores: dict[str, Score]

    @property
    def name(self) -> str:
        """The question's id, or its beginning if it has none."""
        return self.id or self.question[:40]

    @property
    def is_refused(self) -> bool:
        """True if the question was not answered."""
        return self.status in REFUSALS

    @property
    def place(self) -> str:
        """The place in a conversation where it was asked, for tables."""
        return "in a conversation" if self.follow_up else "first question"

    @property
    def quality(self) -> tuple[float, ...]:
        """The quality of the result as numbers up to 1, greater is better.

        Answerable: the reciprocal rank; 1 if the answer is right; 1 if there is one. Unanswerable: 1 if it
        was refused."""
        if not self.gold:
            return (float(self.is_refused),)
        right = 1.0 if self.is_right is None else float(self.is_right)
        return 1 / self.rank if self.rank else 0.0, right, float(not self.is_refused)


class EvaluationRun(BaseModel):
    """One configuration, measured on one pool.

    ``number``: in the store, ``None`` if it is not stored. ``label``: the configuration's name in tables.
    ``index``: a description of the index searched. ``pool_hash``: the same for the same questions with the
    same gold. ``notes``: on what is missing, by kind, each with a ``warning``.
    """

    model_config = ConfigDict(frozen=True)

    number: int | None = None
    started_at: datetime
    seconds: float
    label: str
    index: str
    pool: str
    pool_hash: str
    configuration: dict[str, Any]
    notes: dict[str, dict[str, Any]] = {}
    figures: Figures
    results: tuple[QuestionResult, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the run without its results, in JSON."""
        return self.model_dump(mode="json", exclude={"number", "results"})

    def result_documents(self) -> list[dict[str, Any]]:
        """Return its results in JSON."""
        return [result.model_dump(mode="json") for result in self.results]

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The figures with their intervals, computed at each access."""
        return estimates([result.scores for result in self.results])


def question_key(question: PoolQuestion) -> str:
    """Return the key of a question as its pool has it: equal for equal questions with equal gold."""
    asked = question.model_dump(mode="json", include=_ASKED)
    asked |= question.model_dump(mode="json", include=_ASKED_LATELY, exclude_defaults=True)
    return text_hash(json.dumps(asked, sort_keys=True))[:16]


def pool_hash(questions: Iterable[PoolQuestion]) -> str:
    """Hash a pool's questions, in whatever order."""
    return text_hash("\n".join(sorted(map(question_key, questions))))[:16]


def question_result(
    asked: PoolQuestion, judged: JudgedQuestion, answer: JudgedAnswer, sources: Mapping[Gold, set[str]]
) -> QuestionResult:
    """Join the results of a question. ``asked``: as the pool has it; ``sources``: of indexed gold pages."""
    own = sorted({source for gold in asked.gold for source in sources.get(gold, ())})
    return QuestionResult(
        key=question_key(asked),
        id=asked.id,
        question=asked.question,
        language=asked.language or UNDETERMINED,
        kind=asked.kind or "other",
        source=" + ".join(own),
        gold=tuple(map(str, asked.gold)),
        found=judged.found,
        rank=judged.rank,
        status=answer.status,
        shown=answer.shown,
        is_right=answer.is_right,
        sources=answer.sources,
        context=answer.context,
        reference=asked.answer,
        follow_up=asked.is_follow_up,
        scores={**page_scores(judged), **answer_scores(answer)},
    )


def figures(results: Sequence[QuestionResult]) -> Figures:
    """Compute the figures of a pool. ``spans``: the number of questions with the text of a gold answer."""
    scores = [result.scores for result in results]
    return {
        "questions": len(results),
        "answerable": sum(bool(result.gold) for result in results),
        **means(PAGE_FIGURES, scores),
        "spans": sum(result.is_right is not None for result in results),
        **means(ANSWER_FIGURES, scores),
    }


def by_group(
    results: Sequence[QuestionResult], group: Callable[[QuestionResult], str]
) -> dict[str, list[QuestionResult]]:
    """Group the results, sorted by group; empty if there is only one. The group ``""`` is left out."""
    names = sorted({name for result in results if (name := group(result))})
    if len(names) < 2:
        return {}
    return {name: [result for result in results if group(result) == name] for name in names}


def worst(results: Sequence[QuestionResult], count: int) -> list[QuestionResult]:
    """Return the ``count`` worst results, answerable questions first, without perfect ones."""
    found = [result for result in results if min(result.quality) < 1]
    return sorted(found, key=lambda result: (not result.gold, result.quality))[:count]


def run_of(stored: StoredRun) -> EvaluationRun:
    """Restore a stored run."""
    results = [QuestionResult(**each) for each in stored.results]
    return EvaluationRun(number=stored.number, results=results, **stored.document)
