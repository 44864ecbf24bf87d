"""Results of questions for the tests of what is made of them."""

from datetime import UTC, datetime
from typing import Any, Final

from app.features.evaluation.answers import CONTEXT_CHARACTERS, JudgedAnswer
from app.features.evaluation.metrics import JudgedQuestion
from app.features.evaluation.pool import PoolQuestion, gold_sources
from app.features.evaluation.results import EvaluationRun, QuestionResult, figures, pool_hash, question_result
from ingest.types import PageRef

NOON: Final = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TOWN: Final = gold_sources([PageRef(source="town", id="a", language="de")])


def result(
    name: str, found: str = "", gold: str = "a", *, right: bool | None = None, **given: Any
) -> QuestionResult:
    """The result of a question whose gold and found pages are single letters. ``status``: "no_answer" where
    nothing was found; other values are the question's."""
    status = given.pop("status", "extractive" if found else "no_answer")
    asked = PoolQuestion(id=name, question=given.pop("question", f"{name}?"), gold=tuple(gold), **given)
    answer = JudgedAnswer(
        question=asked,
        status=status,
        shown=f"answer to {name}",
        is_right=right,
        grade=None if right is None else "good" if right else "bad",
        certainty="none" if status == "no_answer" else "sure",
        within=dict.fromkeys(CONTEXT_CHARACTERS, right) if right is not None else {},
        links=(),
        context=f"context of {name}",
    )
    return question_result(asked, JudgedQuestion(question=asked, found=tuple(found)), answer, TOWN)


def run(label: str, *results: QuestionResult, **given: Any) -> EvaluationRun:
    """A run with these results."""
    values: dict[str, Any] = {
        "started_at": NOON,
        "seconds": 1.5,
        "label": label,
        "index": "the live index",
        "pool": "pool.jsonl",
        "pool_hash": pool_hash([]),
        "configuration": {"preset": label},
        "figures": figures(results),
        "results": results,
    }
    return EvaluationRun(**values | given)
