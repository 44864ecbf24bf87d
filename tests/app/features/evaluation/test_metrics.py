"""Metrics on rankings and answers worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.errors import PoolError
from app.features.evaluation.answers import CONTEXT_CHARACTERS, AnswerSource, JudgedAnswer
from app.features.evaluation.metrics import (
    ANSWER_FIGURES,
    Figures,
    JudgedQuestion,
    answer_scores,
    means,
    summary,
)
from app.features.evaluation.pool import GoldUnit, PoolQuestion
from app.features.evaluation.pool_file import load_pool


def judged(gold: str, found: str, name: str = "") -> JudgedQuestion:
    """A question whose gold and found pages are single letters."""
    return JudgedQuestion(question=PoolQuestion(question="?", id=name, gold=tuple(gold)), found=tuple(found))


def test_the_summary_of_three_rankings_is_what_the_definitions_say() -> None:
    figures = summary([judged("a", "abc"), judged("bx", "cdefb"), judged("z", "abc")])
    assert figures["hit@1"] == pytest.approx(1 / 3, abs=5e-4)
    assert figures["hit@5"] == pytest.approx(2 / 3, abs=5e-4)
    assert figures["recall@20"] == 0.5
    assert figures["mrr@10"] == pytest.approx((1 + 1 / 5 + 0) / 3, abs=5e-4)


def test_a_gold_page_at_rank_11_counts_for_recall_but_not_for_mrr_at_10() -> None:
    figures = summary([judged("k", "abcdefghijk")])
    assert (figures["mrr@10"], figures["hit@10"], figures["recall@20"]) == (0.0, 0.0, 1.0)


def test_ndcg_discounts_each_gold_page_where_it_is_found_first() -> None:
    # Ranks 1 and 3 of two gold pages: (1 + 1/2) / (1 + 1/log2(3)).
    assert judged("ac", "abc").ndcg(10) == pytest.approx(1.5 / 1.6309297)
    # One of three gold pages, at rank 2: (1/log2(3)) / (1 + 1/log2(3) + 1/2).
    assert judged("bxy", "ab").ndcg(10) == pytest.approx(0.6309297 / 2.1309297)
    assert (judged("ab", "ba").ndcg(10), judged("z", "abc").ndcg(10)) == (1.0, 0.0)
    # Only as many as the depth can be found: the only place is taken by gold.
    assert judged("abc", "xa").ndcg(1) == 0.0
    assert judged("abc", "a").ndcg(1) == 1.0


def test_recall_counts_the_gold_pages_down_to_each_depth() -> None:
    figures = summary([judged("afk", "abcdefghijk"), judged("z", "abc")])
    assert (figures["recall@5"], figures["recall@10"], figures["recall@20"]) == (0.167, 0.333, 0.5)
    assert figures["1-recall@20"] == 0.5
    assert figures["ndcg@10"] == pytest.approx((1 + 1 / 2.8073549) / 2.1309297 / 2, abs=5e-4)


def test_unanswerable_questions_count_only_as_rightly_refused_or_not() -> None:
    figures = summary([judged("", ""), judged("", "abc"), judged("a", "a")])
    assert (figures["answerable"], figures["hit@1"], figures["none"]) == (1, 1.0, 0.5)


def test_a_figure_without_questions_is_null() -> None:
    assert summary([judged("", "")])["mrr@10"] is None


ARTICLE = GoldUnit(celex="32024R1689", unit="art_6")


@pytest.mark.parametrize(
    ("page", "rank"),
    [
        ("32024R1689@2024-06-13/art_6", 1),
        ("32024R1689@2026-08-02/art_6.2", 1),
        ("32024R1689@2024-06-13/art_6a", None),
        ("32024R1689@2024-06-13/art_60", None),
        ("32024R1689@2024-06-13/rct_6", None),
        ("32024R1689R(01)@2024-06-13/art_6", None),
        ("32016R0679@2016-04-27/art_6", None),
        ("32024R1689/art_6", None),
        ("art_6", None),
    ],
)
def test_a_unit_of_law_is_found_in_any_version_and_part_of_it_and_in_no_other_unit(
    page: str, rank: int | None
) -> None:
    question = PoolQuestion(question="?", gold=(ARTICLE,))
    assert JudgedQuestion(question=question, found=(page,)).rank == rank


def test_several_pages_of_one_unit_count_once_beside_a_page_named_by_its_id() -> None:
    gold = (ARTICLE, GoldUnit(celex="32024R1689", unit="anx_III"), "faq.html")
    found = ("x", "32024R1689@2024-06-13/art_6.1", "32024R1689@2024-06-13/art_6.2", "faq.html")
    item = JudgedQuestion(question=PoolQuestion(question="?", gold=gold), found=found)
    assert item.recall(20) == pytest.approx(2 / 3)
    assert (item.reciprocal_rank(10), item.hit(1), item.hit(2)) == (0.5, 0.0, 1.0)


def answer(
    question: PoolQuestion, *, right: bool | None = None, shown: str = "", within: int = 0, **given: Any
) -> JudgedAnswer:
    """An answer; the context holds the gold text within its first ``within`` characters, 0: not at all."""
    judgement = JudgedAnswer(
        question=question,
        status="extractive",
        shown=shown,
        is_right=right,
        grade=None,
        certainty="sure",
        within={limit: 0 < within <= limit for limit in CONTEXT_CHARACTERS} if right is not None else {},
        links=(),
    )
    return replace(judgement, **given)


def figures_of(answers: Sequence[JudgedAnswer]) -> Figures:
    return means(ANSWER_FIGURES, [answer_scores(each) for each in answers])


def test_the_figures_of_answers_are_what_the_definitions_say() -> None:
    known, unknown = PoolQuestion(question="?", gold=("a",)), PoolQuestion(question="?")
    figures = figures_of(
        [
            answer(known, right=True, grade="good", shown="1234", within=100, links=(True, True)),
            answer(
                known,
                right=False,
                grade="ok",
                certainty="near",
                shown="123456",
                within=3_000,
                links=(False,),
            ),
            answer(known, right=False, grade="bad", shown="12", within=9_000, status="no_answer"),
            answer(known, shown="not judged by its text"),
            answer(unknown, status="no_answer", certainty="none"),
            answer(unknown, links=(True,)),
        ]
    )
    assert figures == {
        "good": 0.333,
        "ok": 0.333,
        "bad": 0.333,
        "honest": 0.5,
        "named": None,
        "hedged": 0.25,
        "shown": 0.333,
        "shown_characters": 4,
        "context@2000": 0.333,
        "context@4000": 0.667,
        "context@8000": 0.667,
        "context@16000": 1.0,
        "links": 0.75,
        "citation_precision": None,
        "citation_recall": 0.0,
        "refused": 0.5,
        "refusal_precision": 0.5,
        "lost": 0.25,
        "milliwatt_hours": None,
    }


def cited(*pages: str, unused: str = "") -> tuple[AnswerSource, ...]:
    return tuple(
        AnswerSource(page=page, title=page, href="", cited=page not in unused) for page in (*pages, *unused)
    )


def test_citations_are_compared_with_the_gold_pages() -> None:
    two, law = PoolQuestion(question="?", gold=("a", "b")), PoolQuestion(question="?", gold=(ARTICLE,))
    figures = figures_of(
        [
            answer(two, sources=cited("a", "x", unused="b")),  # half of both
            answer(law, sources=cited("32024R1689@2024-06-13/art_6.1", "32024R1689@2024-06-13/art_6.2")),
            answer(two, sources=cited(unused="a")),  # cites nothing: precision does not count
            answer(two, status="no_answer", sources=cited("x")),  # not answered: neither counts
            answer(PoolQuestion(question="?"), sources=cited("x")),
        ]
    )
    assert figures["citation_precision"] == 0.75
    assert figures["citation_recall"] == 0.5


def test_refusals_are_right_where_no_page_answers() -> None:
    known, unknown = PoolQuestion(question="?", gold=("a",)), PoolQuestion(question="?")
    refusals = [answer(question, status="no_answer") for question in (known, unknown, unknown)]
    figures = figures_of([*refusals, answer(unknown), answer(unknown), answer(known)])
    assert figures["refusal_precision"] == 0.667
    assert figures["refused"] == 0.5


def test_figures_of_answers_that_nothing_counts_for_are_null() -> None:
    assert figures_of([]) == dict.fromkeys(ANSWER_FIGURES)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("not json", "line 2 is not JSON"),
        ('{"gold": []}', "line 2: question"),
        ('{"question": ""}', "line 2: question"),
        ('{"question": "?", "gold": 5}', "line 2: gold"),
        ('{"question": "?", "gold": [5]}', "line 2: gold.0.id: input should be a valid string"),
        ('{"question": "?", "gold": ["a", {"celex": "32024R1689"}]}', "line 2: gold.1.unit.unit: field req"),
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


@pytest.mark.parametrize(
    ("word", "absent", "named"),
    [
        ("Bauantrag", ("Bauantrag",), 1.0),
        ("EC-Karte", ("ec",), 1.0),
        ("Bauantrag", ("Rathaus",), 0.0),
        ("Bauantrag", (), 0.0),
        (None, ("Bauantrag",), None),
    ],
)
def test_the_word_that_no_page_has_is_named_by_the_answer_or_not(
    word: str | None, absent: tuple[str, ...], named: float | None
) -> None:
    question = PoolQuestion(question="?", word=word)
    assert figures_of([answer(question, absent_words=absent)])["named"] == named
