"""Configurations compared by the grades of their answers, and the page about it."""

from collections.abc import Mapping

import pytest
from bs4 import BeautifulSoup

from app.errors import InputError
from app.features.evaluation.configurations import GradedComparison, compare_grades
from app.features.evaluation.grades import Grade, GradedSheet, Style
from app.features.evaluation.report.configurations import render
from app.features.evaluation.report.texts import LANGUAGES, page_texts
from app.features.evaluation.rubric import Weights
from tests.app.features.evaluation.judge import sheet


def graded(
    number: int, scores: Mapping[str, float | None], style: Style = "metrics", **values: object
) -> GradedSheet:
    answer = sheet(number, **values)
    grade = Grade(sheet=answer.fingerprint, judge="j", style=style, recipe="r", scores=scores)
    return GradedSheet(answer, grade)


def ungraded(number: int) -> GradedSheet:
    answer = sheet(number)
    grade = Grade(sheet=answer.fingerprint, judge="j", style="metrics", recipe="r", ungraded="no JSON")
    return GradedSheet(answer, grade)


def right(share: float, **more: float | None) -> dict[str, float | None]:
    return {"answer_correctness": share, **more}


def compared(**sides: list[GradedSheet]) -> GradedComparison:
    return compare_grades(sides, Weights())


def words(comparison: GradedComparison, language: str = "en") -> str:
    html = render(comparison, judge="strong", pool="pool.jsonl", language=language)
    return " ".join(BeautifulSoup(html, "lxml").get_text(" ").split())


def test_only_questions_that_were_graded_for_all_count_and_the_others_are_told() -> None:
    found = compared(
        one=[graded(n, right(1.0)) for n in range(3)],
        two=[graded(0, right(0.5)), graded(1, right(0.5)), ungraded(2), graded(7, right(0.0))],
    )
    one, two = found.configurations
    assert (one.figures["answer_correctness"].count, two.figures["answer_correctness"].count) == (2, 2)
    assert (one.left_out, two.left_out) == (1, 2)
    assert two.figures["answer_correctness"].value == 0.5


def test_a_figure_that_one_configuration_lacks_for_a_question_counts_for_none_of_them() -> None:
    found = compared(
        one=[graded(0, right(1.0, context_precision=1.0)), graded(1, right(1.0, context_precision=0.0))],
        two=[graded(0, right(1.0, context_precision=1.0)), graded(1, right(1.0, context_precision=None))],
    )
    figures = [each.figures["context_precision"] for each in found.configurations]
    assert [(each.value, each.count) for each in figures] == [(1.0, 1), (1.0, 1)]


def test_configurations_without_a_question_in_common_are_not_compared() -> None:
    with pytest.raises(InputError, match="no question has a usable grade for each configuration"):
        compared(one=[graded(0, right(1.0))], two=[graded(1, right(1.0))])


def test_the_page_says_which_is_better_or_that_it_may_be_chance() -> None:
    worse = {n: graded(n, right(0.2)) for n in range(12)}
    found = compared(
        first=[graded(n, right(0.8)) for n in range(12)],
        bad=list(worse.values()),
        alike=[graded(n, right(0.8 if n else 0.7)) for n in range(12)],
        same=[graded(n, right(0.8)) for n in range(12)],
    )
    said = words(found)
    assert "4 configurations have answered the same 12 questions." in said
    assert "bad is worse than first: Answer correctness 0.200 instead of 0.800 (p < 0.001)." in said
    for name in ("alike", "same"):
        assert f"The difference between {name} and first may be chance" in said
    assert "bad ist schlechter als first: Richtigkeit der Antwort 0,200 statt 0,800" in words(found, "de")


def test_of_the_regulators_grades_the_lower_mean_is_the_better() -> None:
    found = compared(
        first=[graded(n, {"grade": 4}, "rtr") for n in range(8)],
        other=[graded(n, {"grade": 1}, "rtr") for n in range(8)],
    )
    assert "other is better than first: Grade 1.000 instead of 4.000" in words(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_are_drawn_for_each_configuration_and_told_by_kind(language: str) -> None:
    found = compared(
        one=[graded(n, right(1.0), kind=("lookup", "complex")[n % 2]) for n in range(4)],
        two=[graded(n, right(0.0), kind=("lookup", "complex")[n % 2]) for n in range(4)],
    )
    html = render(found, judge="strong", pool="pool.jsonl", language=language)
    shown = BeautifulSoup(html, "lxml")
    assert [dot["cx"] for dot in shown.select("table.drawn circle")] == ["98.00%", "2.00%"]
    assert [each.get_text() for each in shown.find_all("caption")] == [
        page_texts("configurations", language)["kind"].format(kind=kind) for kind in ("complex", "lookup")
    ]


def test_the_answers_to_a_question_stand_side_by_side_the_most_different_first() -> None:
    found = compared(
        small=[graded(n, right(1.0), answer=f"small {n}") for n in range(3)],
        large=[graded(n, right(0.0 if n == 1 else 0.9), answer=f"large {n}") for n in range(3)],
    )
    html = render(found, judge="strong", pool="pool.jsonl", language="en")
    first, *others = BeautifulSoup(html, "lxml").find_all("article")
    assert [" ".join(each.get_text(" ").split()) for each in first.find_all("section")] == [
        "small small 1 1.000",
        "large large 1 0.000",
    ]
    assert len(others) == 2


def test_an_answer_side_by_side_is_text_and_never_markup() -> None:
    answers = [graded(0, right(1.0), answer="<script>alert(1)</script>")]
    html = render(compared(one=answers, two=answers), judge="j", pool="p", language="en")
    assert "<script>" not in html
