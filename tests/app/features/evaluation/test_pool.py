"""Question pools: what a line may hold, and how a bad one is named."""

import json
import re
from pathlib import Path

import pytest

from app.errors import PoolError
from app.features.evaluation.pool import GoldUnit, PoolQuestion, missing_gold, with_texts
from app.features.evaluation.pool_file import load_pool, load_spans
from app.features.evaluation.spans import LawSpan, PageSpan


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "contains no questions"),
        (b"\n{}\n", "line 2: question"),
        (b'{"question": "a"}\n[1]', "line 2"),
        (b'{"question": ""}', "line 1: question"),
        (b'{"question": "a", "gold": "b"}', "line 1: gold"),
        (b'{"question": "a", "history": [{"role": "king", "content": "b"}]}', "line 1: history.0.role"),
        (
            b'{"question": "a", "spans": [{"page": "b"}]}',
            "line 1: spans.0.page.text: field required (write {",
        ),
        (
            b'{"question": "a", "spans": [{"page": "b", "text": "-"}]}',
            "without a letter or digit: quote what",
        ),
        (b'{"question": "a", "spans": ["b"]}', "line 1: spans.0.page: input should be"),
        (b'{"question": "a", "spans": [5]}', "line 1: spans.0"),
        (b'{"question": "a", "must": ["\xe2\x82\xac"]}', "line 1: must.0: without a letter"),
        (b'{"question": "a", "must_by_page": ["b"]}', "line 1: must_by_page"),
        (b"oops", "line 1 is not JSON"),
        (b"[1]", "line 1 is not a JSON object: write one for each question"),
        (b'{"question": "a", "answer": 5}', "line 1: answer"),
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


def test_a_history_of_questions_is_told_from_one_of_turns(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "a?"}
    path = lines(
        tmp_path / "pool",
        {"question": "b?", "history": ["a?"]},
        {"question": "c?", "history": [turn]},
        {"question": "d?", "history": []},
    )
    asked, turns, first = load_pool(path)
    assert (asked.earlier, asked.history, asked.is_follow_up) == (("a?",), (), True)
    assert (turns.earlier, turns.history[0].content, turns.is_follow_up) == ((), "a?", True)
    assert not first.is_follow_up
    with pytest.raises(PoolError, match="history"):
        load_pool(lines(tmp_path / "mixed", {"question": "e?", "history": ["a?", turn]}))


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


SPAN = {
    "celex": "32022R2065",
    "unit": "art_20",
    "version": "2022-10-19",
    "language": "en",
    "start": 4,
    "end": 9,
}


def lines(path: Path, *documents: object) -> Path:
    path.write_text("\n".join(map(json.dumps, documents)), "utf-8")
    return path


def test_gold_spans_come_with_the_question_or_in_a_file_of_their_own(tmp_path: Path) -> None:
    own = {"question": "a?", "id": "a", "spans": [{"page": "p", "text": "own"}], "must": ["own"]}
    pool = load_pool(lines(tmp_path / "pool", own, {"question": "b?", "id": "b"}, {**own, "id": "c"}))
    file = lines(
        tmp_path / "spans",
        {
            "id": "b",
            "spans": [SPAN, {"page": "p", "text": "x", "partial": True}],
            "must_by_page": {"p": ["y"]},
        },
        {"id": "c", "must": ["other"]},
        {"id": "elsewhere", "must": ["z"]},
    )
    first, second, third = load_spans(file, pool)
    assert (first.spans, first.must) == ((PageSpan(page="p", text="own"),), ("own",))
    assert second.spans == (LawSpan.model_validate(SPAN), PageSpan(page="p", text="x", partial=True))
    assert (second.question, dict(second.must_by_page)) == ("b?", {"p": ("y",)})
    assert (third.spans, third.must) == ((), ("other",))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"must": ["a"]}, "line 2: id: field required"),
        ({"id": "", "must": ["a"]}, "line 2: id: string should have at least 1 character"),
        ({"id": "a", "must": ["b"]}, "line 2: id 'a' is also on line 1: join the two"),
        (
            {"id": "b", "spans": [{**SPAN, "end": 4}]},
            "line 2: spans.0.unit: end 4 is not after start",
        ),
        ({"id": "b", "spans": [{**SPAN, "start": -1}]}, "line 2: spans.0.unit.start"),
        ({"id": "b", "spans": [{**SPAN, "version": "new"}]}, "line 2: spans.0.unit.version"),
        (
            {"id": "b", "spans": [{"celex": "3", "unit": "art_1"}]},
            'field required (write {"page", "text"} or, of',
        ),
    ],
)
def test_a_malformed_file_of_spans_is_refused(tmp_path: Path, line: object, complaint: str) -> None:
    path = lines(tmp_path / "spans", {"id": "a", "must": ["a"]}, line)
    with pytest.raises(PoolError, match=re.escape(complaint)) as refusal:
        load_spans(path, [PoolQuestion(question="a?", id="a")])
    assert str(path) in str(refusal.value)


def test_a_file_of_spans_that_belongs_to_another_pool_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "spans", {"id": "b", "must": ["a"]})
    with pytest.raises(PoolError, match="has no id of a question in the pool"):
        load_spans(path, [PoolQuestion(question="a?", id="a")])


def test_spans_of_law_without_a_text_are_told_and_left_out() -> None:
    known, gone = (LawSpan.model_validate({**SPAN, "end": end}) for end in (9, 10))
    questions = [
        PoolQuestion(question="a", spans=(known, gone)),
        PoolQuestion(question="b", spans=(gone,)),
        PoolQuestion(question="c", spans=(gone,), must=("six months",)),
    ]
    filled, missing = with_texts(questions, {known: "six months"})
    assert [[span.text for span in each.spans if isinstance(span, PageSpan)] for each in filled] == [
        ["six months"],
        [],
        [],
    ]
    assert (missing.spans, missing.total, missing.questions) == ((gone,), 2, 1)
