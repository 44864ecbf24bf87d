"""Prices of the first, the second and each further one are added as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.price_sums import asked_count, counted_rows, total

ROWS = [("erster Hund", "72 €"), ("zweiter Hund", "108 €"), ("jeder weitere Hund", "144 €")]


@given(st.integers(min_value=2, max_value=20))
def test_as_many_are_counted_as_are_asked_for(count: int) -> None:
    assert sum(times for _, times in counted_rows(ROWS, count)) == count


JOINT = [("erster Hund", "72 €"), ("zweiter und dritter Hund", "108 €"), ("jeder weitere Hund", "144 €")]


@pytest.mark.parametrize("rows", [ROWS[:2], ROWS[1:], [*ROWS, ("jede weitere Katze", "1 €")], JOINT, []])
def test_a_table_without_one_price_for_each_gives_none(rows: list[tuple[str, ...]]) -> None:
    assert not counted_rows(rows, 3)


@given(st.integers(min_value=0, max_value=99_999), st.integers(min_value=0, max_value=99_999))
def test_sums_are_exact_in_cents(one: int, other: int) -> None:
    written = [f"{cents // 100},{cents % 100:02} €" for cents in (one, other, one + 2 * other)]
    assert total([(written[0], 1), (written[1], 2)]) == written[2]


def test_rows_for_one_of_them_and_prices_of_a_year_are_added() -> None:
    rows = [("für den ersten Hund", "72,00 € jährlich"), ("für den zweiten Hund", "108,00 € jährlich")]
    rows.append(("für jeden weiteren Hund", "144,00 € jährlich"))
    counted = counted_rows(rows, 4)
    assert [times for _, times in counted] == [1, 1, 2]
    assert total([(row[1], times) for row, times in counted]) == "468,00 € jährlich"
    assert not total([("72 € jährlich", 1), ("10 € pro Jahr", 1)])


def test_a_sum_is_written_with_a_comma_where_one_price_is() -> None:
    assert total([("96 €", 1), ("120,50 €", 1)]) == "216,50 €"


@pytest.mark.parametrize(
    "prices", [["€4", "5 £"], ["72 €", "frei"], ["72", "108"], ["1.200 €", "5 €"], ["ab 5 €", "6 €"]]
)
def test_what_is_more_than_amounts_in_one_currency_is_not_added(prices: list[str]) -> None:
    assert not total([(price, 1) for price in prices])


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("Was kosten zwei Hunde?", (2, "Hunde")),
        ("for 3 dogs", (3, "dogs")),
        ("ein Hund", None),
        ("zwei Hunde, drei Katzen", None),
        ("2000 Hunde", None),
    ],
)
def test_a_count_is_read_if_there_is_one(question: str, count: tuple[int, str] | None) -> None:
    assert asked_count(question) == count
