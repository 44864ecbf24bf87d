"""Retrieval metrics on rankings worked out by hand."""

from pathlib import Path

import pytest

from app.errors import PoolError
from app.evaluation.metrics import Judged, summary, worst
from app.evaluation.pool import PoolQuestion, load_pool


def judged(gold: str, found: str, name: str = "") -> Judged:
    """A question whose gold and found pages are single letters."""
    return Judged(question=PoolQuestion(question="?", id=name, gold=tuple(gold)), found=tuple(found))


def test_the_summary_of_three_rankings_is_what_the_definitions_say() -> None:
    figures = summary([judged("a", "abc"), judged("bx", "cdefb"), judged("z", "abc")])
    assert figures["hit@1"] == pytest.approx(1 / 3, abs=5e-4)
    assert figures["hit@5"] == pytest.approx(2 / 3, abs=5e-4)
    assert figures["recall@20"] == 0.5
    assert figures["mrr@10"] == pytest.approx((1 + 1 / 5 + 0) / 3, abs=5e-4)


def test_a_gold_page_at_rank_11_counts_for_recall_but_not_for_mrr_at_10() -> None:
    figures = summary([judged("k", "abcdefghijk")])
    assert (figures["mrr@10"], figures["hit@10"], figures["recall@20"]) == (0.0, 0.0, 1.0)


def test_unanswerable_questions_count_only_as_rightly_refused_or_not() -> None:
    figures = summary([judged("", ""), judged("", "abc"), judged("a", "a")])
    assert (figures["answerable"], figures["hit@1"], figures["none"]) == (1, 1.0, 0.5)


def test_a_figure_without_questions_is_null() -> None:
    assert summary([judged("", "")])["mrr@10"] is None


def test_the_worst_come_first_and_perfect_ones_never() -> None:
    items = [
        judged("a", "a", "fine"),
        judged("a", "ba", "second"),
        judged("a", "b", "lost"),
        judged("", "b", "made up"),
    ]
    assert [item.question.id for item in worst(items, 9)] == ["lost", "second", "made up"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("not json", "line 2 is not JSON"),
        ('{"gold": []}', "line 2: question"),
        ('{"question": ""}', "line 2: question"),
        ('{"question": "?", "gold": 5}', "line 2: gold"),
        ('{"question": "?", "history": [{"role": "root", "content": ""}]}', "line 2: history"),
    ],
)
def test_a_malformed_pool_is_refused_by_line(tmp_path: Path, line: str, complaint: str) -> None:
    pool = tmp_path / "pool.jsonl"
    pool.write_text('{"question": "fine?"}\n' + line + "\n", "utf-8")
    with pytest.raises(PoolError, match=complaint):
        load_pool(pool)


def test_an_empty_and_a_missing_pool_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(PoolError, match="no question"):
        load_pool(tmp_path / "empty.jsonl")
    with pytest.raises(PoolError, match="cannot be read"):
        load_pool(tmp_path / "missing.jsonl")
