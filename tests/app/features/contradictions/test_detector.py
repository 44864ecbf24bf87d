"""Passages that say different figures of the same thing are told from those that do not."""

import pytest

from app.features.contradictions.detector import contradictions
from app.features.contradictions.statements import statements_of
from benchmarks.contradictions import figures, read_pairs


def kinds(one: str, other: str, above: tuple[str, str] = ("", ""), language: str = "en") -> list[str]:
    first = statements_of(one, above[0], language)
    return [found.kind for found in contradictions(first, statements_of(other, above[1], language))]


def test_precision_and_recall_on_the_pool_are_as_wanted() -> None:
    pairs = read_pairs()
    assert (len(pairs), sum(pair["contradicts"] for pair in pairs)) == (80, 40)
    precision, recall = figures(pairs)
    assert precision >= 0.8
    assert recall >= 0.6


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The pool opens at 9 am.", "The pool opens at 10 am.", "time"),
        ("A swim in the pool costs 5 euros.", "A swim in the pool costs 6 euros.", "money"),
        ("The pool opens on 1 May.", "The pool opens on 15 May.", "date"),
        ("Pool passes are valid for two weeks.", "Pool passes are valid for 30 days.", "days"),
        ("Call the pool on 020 7946 0123.", "Call the pool on 020 7946 0999.", "phone"),
        ("The pool has 12 lanes.", "The pool has 8 lanes.", "of lane"),
        ("The pool pays 7 percent tax.", "The pool pays 19 percent tax.", "percent"),
    ],
)
def test_values_of_every_kind_are_compared(one: str, other: str, kind: str) -> None:
    assert kinds(one, other) == [kind]
    assert kinds(other, one) == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pool passes are valid for two weeks.", "Pool passes are valid for 14 days."),
        ("The pool opens at 9 am.", "The pool opens at 9:00."),
        ("The pool costs 5 euros.", "The pool costs 5,00 €."),
        ("Adults pay 5 euros at the pool.", "Children pay 3 euros at the pool."),
        ("The pool opens at 9 am on Mondays.", "The pool opens at 11 am on Sundays."),
        ("In 2025 the pool cost 5 euros.", "In 2026 the pool costs 6 euros."),
        ("The pool costs 5 euros a day.", "The pool costs 90 euros a year."),
        ("The pool opens at 9 am.", "The museum opens at 10 am."),
        ("The pool opens at 9 am.", "The pool opens at 9 am and closes at 8 pm."),
        ("The pool is blue.", "The pool is green."),
        ("[Minutes](https://a.example/2024/5.pdf) (PDF, 478KB, 5 pages)", "Minutes (PDF, 27.5KB, 4 pages)"),
        ("[Pool](https://a.example/5-euros) is open.", "[Pool](https://a.example/6-euros) is open."),
    ],
)
def test_what_may_hold_at_once_is_no_contradiction(one: str, other: str) -> None:
    assert kinds(one, other) == []


def test_the_title_says_what_a_statement_is_about_and_of_which_year() -> None:
    assert kinds("It costs 5 euros.", "The pool costs 6 euros.", ("Pool", "Prices")) == ["money"]
    assert kinds("It costs 5 euros.", "The pool costs 6 euros.", ("Museum", "Prices")) == []
    assert kinds("Price of the pool: 5 euros.", "Pool: 6 euros", ("Pool", "Prices")) == ["money"]
    assert kinds("Price of the pool: 5 euros.", "Pool: 6 euros", ("Pool 2025", "Prices 2026")) == []


def test_rows_and_items_are_statements_of_their_own() -> None:
    table = "| Pool | 5 euros |\n| Sauna | 12 euros |"
    assert [statement.text for statement in statements_of(table, "", "en")] == [
        "Pool | 5 euros",
        "Sauna | 12 euros",
    ]
    assert kinds(table, "The sauna costs 14 euros.") == ["money"]


def test_hostile_text_is_read_in_time() -> None:
    for text in ("1" * 5_000, "1,1" * 2_000, "mo " * 3_000, "(" * 5_000, "\0\ud800 5 euros"):
        kinds(text, text)
