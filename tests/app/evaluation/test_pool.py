"""Question pools: what a line may hold, and how a bad one is named."""

import re
from pathlib import Path

import pytest

from app.errors import PoolError
from app.evaluation.pool import GoldUnit, PoolQuestion, load_pool, missing_gold


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "holds no question"),
        (b"\n{}\n", "line 2: question"),
        (b'{"question": "a"}\n[1]', "line 2"),
        (b'{"question": ""}', "line 1: question"),
        (b'{"question": "a", "gold": "b"}', "line 1: gold"),
        (b'{"question": "a", "history": [{"role": "king", "content": "b"}]}', "line 1: history.0.role"),
        (b"oops", "line 1 is not JSON"),
        (b"[" * 100_000, "line 1 is not JSON"),
        (b"\xff", "not UTF-8"),
        (None, "No such file"),
    ],
)
def test_a_malformed_pool_is_refused(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    path = tmp_path / "pool.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PoolError, match=re.escape(complaint)) as refusal:
        load_pool(path)
    assert str(path) in str(refusal.value)


def test_gold_that_is_not_indexed_is_named_once() -> None:
    article, annex = GoldUnit(celex="32024R1689", unit="art_6"), GoldUnit(celex="32024R1689", unit="anx_I")
    questions = [
        PoolQuestion(question="a", gold=("there", "gone")),
        PoolQuestion(question="b", gold=("gone",)),
        PoolQuestion(question="c", gold=(article,)),
        PoolQuestion(question="d", gold=(annex,)),
        PoolQuestion(question="e"),
    ]
    found = missing_gold(questions, {"there", "32024R1689@2024-06-13/art_6.2"})
    assert (found.gold, found.total, found.questions) == (("gone", annex), 4, 2)
