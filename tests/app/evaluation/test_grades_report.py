"""The page about graded answers: what is told, drawn and escaped."""

import pytest
from bs4 import BeautifulSoup, Tag

from app.evaluation.grades import Comparison, Grade, GradedSheet, Style
from app.evaluation.report.grades import render
from app.evaluation.report.texts import GRADES, LANGUAGES
from app.evaluation.rubric import Weights
from app.evaluation.sheets import AnswerSheet, SheetSource
from tests.fakes.judge import sheet

WEIGHTS = Weights(correctness=0.6, completeness=0.2, readability=0.2)
SOURCE = SheetSource(
    number=1,
    source="town",
    id="pool",
    language="en",
    title="Pool <b>",
    url="https://t.example/pool",
    cited=True,
)


def graded(number: int, correctness: float, *, model: str = "small", **values: object) -> GradedSheet:
    """A sheet whose answer got this score for correctness and 3 for the rest."""
    return _graded(
        sheet(number, model=model, sources=(SOURCE,), **values),
        style="criteria",
        scale="0-3",
        scores={"correctness": correctness, "completeness": 3, "readability": 3},
        reasons={"correctness": f"It is <i>{correctness:g}</i> right."},
    )


def ungraded(number: int) -> GradedSheet:
    return _graded(sheet(number), style="criteria", scale="0-3", ungraded="the reply has no JSON")


def _graded(answer: AnswerSheet, *, style: Style, **values: object) -> GradedSheet:
    given = {"sheet": answer.fingerprint, "judge": "strong", "style": style, "recipe": "abc", **values}
    return GradedSheet(answer, Grade.model_validate(given))


SHEETS = [
    *(graded(number, 3, model="large") for number in range(4)),
    *(graded(number, number % 2) for number in range(4)),
    ungraded(9),
]


def page(sheets: list[GradedSheet], language: str = "en", count: int = 3) -> BeautifulSoup:
    html = render(
        sheets, judge="strong", sheets="sheets.jsonl", weights=WEIGHTS, language=language, count=count
    )
    return BeautifulSoup(html, "lxml")


def words(shown: Tag) -> str:
    return " ".join(shown.get_text(" ").split())


def test_the_result_says_how_many_were_graded_how_good_they_are_and_which_model_is_best() -> None:
    said = words(page(SHEETS))
    assert "strong graded 8 of 9 answers." in said
    assert "Without a usable grade: 1. They count in no mean." in said
    assert "1 ungraded: the reply has no JSON" in said
    assert "Their mean is 2.250 of 3 points (95 % interval " in said
    assert "large answers best, with 3.000, before small with 1.500, over 4 questions" in said


def test_figures_stand_in_a_column_for_each_model_and_are_drawn_on_the_scale() -> None:
    shown = page(SHEETS)
    table = shown.find("table")
    assert [cell.get_text() for cell in table.thead.find_all("th")] == ["Figure", "large", "small"]  # type: ignore[union-attr]
    correctness = next(row for row in table.tbody.find_all("tr") if "Correctness" in row.th.get_text())  # type: ignore[union-attr]
    assert [dot["cx"] for dot in correctness.find_all("circle")] == ["98.00%", "18.00%"]


def test_the_worst_answers_come_first_with_what_the_judge_says_of_them() -> None:
    shown = page(SHEETS)
    worst = shown.find_all("article")
    titles = [words(each) for each in shown.select("article h3")]
    assert titles == [f"When does pool {n} open?" for n in (0, 2, 1)]
    assert "It is <i>0</i> right." in words(worst[0])
    assert [each["href"] for each in worst[0].find_all("a")] == ["https://t.example/pool"]
    assert not shown.find_all(["script", "img", "link", "i", "b"])


def test_the_regulators_grades_say_how_many_contradict_nothing() -> None:
    sheets = []
    for number, mark in enumerate((1, 2, 4, 2)):
        answer = sheet(number)
        comparison = Comparison(
            question=answer.question,
            reference=answer.reference,
            answer=answer.answer,
            summary="Both say nine.",
            grade=mark,
            grade_reason="Why.",
            style="good",
            style_reason="Sober.",
        )
        sheets.append(_graded(answer, style="rtr", scores={"grade": mark}, comparison=comparison))
    shown = page(sheets)
    assert "75% of the answers do not contradict the reference answer" in words(shown)
    assert "When does pool 2 open?" in words(shown.find_all("article")[0])


def test_metrics_are_told_where_they_could_be_measured() -> None:
    values = (
        {"answer_correctness": 0.5, "faithfulness": None},
        {"answer_correctness": 1.0, "faithfulness": None},
    )
    sheets = [_graded(sheet(n), style="metrics", scores=each) for n, each in enumerate(values)]
    said = words(page(sheets))
    assert "Their mean correctness is 0.750 of 1 (95 % interval 0.500 to 1.000)." in said
    assert "Faithfulness" not in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_nothing_could_be_graded_the_page_says_so_in_both_languages(language: str) -> None:
    shown = page([ungraded(1)], language)
    assert shown.html["lang"] == language  # type: ignore[index]
    assert str(GRADES[language]["ungraded"]).format(count=1) in words(shown)
    assert not shown.find("table")
    assert GRADES["de"].keys() == GRADES["en"].keys()
    assert GRADES["de"]["figures"].keys() == GRADES["en"]["figures"].keys()  # type: ignore[attr-defined]
