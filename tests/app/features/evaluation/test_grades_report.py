"""The page about graded answers: what is told, drawn and escaped."""

import pytest
from bs4 import BeautifulSoup, Tag

from app.features.evaluation.grades import Grade, GradedSheet, ReferenceComparison, Style
from app.features.evaluation.report.grades import render
from app.features.evaluation.report.texts import LANGUAGES, page_texts
from app.features.evaluation.rubric import Weights
from app.features.evaluation.sheets import AnswerSheet, SheetSource
from tests.app.features.evaluation.judge import sheet

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


def compared(number: int, grade: int, style: str = "good", model: str = "small") -> GradedSheet:
    """A sheet beside its reference, with the regulator's grade and style."""
    answer = sheet(number, model=model)
    comparison = ReferenceComparison.model_validate(
        {
            "question": answer.question,
            "reference": answer.reference,
            "answer": answer.answer,
            "summary": f"B names hour {number} as well.",
            "grade": grade,
            "grade_reason": "Why.",
            "style": style,
            "style_reason": "It offers more help." if style == "bad" else "Sober.",
        }
    )
    reasons = {"grade": comparison.grade_reason, "style": comparison.style_reason}
    return _graded(answer, style="rtr", scores={"grade": grade}, reasons=reasons, comparison=comparison)


MARKS = [compared(0, 1), compared(1, 2), compared(2, 4, "bad"), compared(3, 3), compared(4, 2)]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            (
                "Without a contradiction to the reference answer (grades 1 and 2): 60% (3 of 5). "
                "A possible contradiction (grade 3): 1. A contradiction (grade 4): 1.",
                "Good style (professional, legally clear): 80% (4 of 5).",
            ),
        ),
        (
            "de",
            (
                "Ohne Widerspruch zur Musterantwort (Noten 1 und 2): 60 % (3 von 5). "
                "Möglicher Widerspruch (Note 3): 1. Widerspruch (Note 4): 1.",
                "Guter Stil (sachlich, juristisch klar): 80 % (4 von 5).",
            ),
        ),
    ],
)
def test_the_regulators_grades_say_how_many_contradict_and_how_many_are_written_well(
    language: str, sentences: tuple[str, ...]
) -> None:
    said = words(page(MARKS, language))
    assert [sentence for sentence in sentences if sentence not in said] == []


def test_the_regulators_grades_are_counted_for_each_model_with_the_style() -> None:
    table = page([*MARKS, compared(0, 1, model="large")]).find("table")
    rows = {words(row.th): [words(cell) for cell in row.find_all("td")] for row in table.tbody.find_all("tr")}  # type: ignore[union-attr, arg-type]
    assert rows["Grade 1: no legal difference"] == ["1", "1"]
    assert rows["Grade 2: one treats more aspects"] == ["0", "2"]
    assert rows["Grade 3: a possible contradiction"] == rows["Grade 4: a contradiction"] == ["0", "1"]
    assert (rows["Style good"], rows["Style bad"]) == (["1", "4"], ["0", "1"])


@pytest.mark.parametrize(
    ("language", "style"), [("en", "Style bad It offers"), ("de", "Stil schlecht It offers")]
)
def test_the_worst_of_the_regulators_answers_come_with_summary_and_style_in_words(
    language: str, style: str
) -> None:
    worst = words(page(MARKS, language).find_all("article")[0])
    assert "When does pool 2 open?" in worst
    assert "B names hour 2 as well." in worst
    assert style in worst


def test_models_with_the_same_mean_are_a_tie_and_none_of_them_is_the_best() -> None:
    tied = [graded(n, 3, model=model) for model in ("large", "middle") for n in range(2)]
    said = words(page(tied))
    assert "A tie with 3.000: large and middle, over 2 questions that were graded for all." in said
    assert "best" not in said
    third = words(page([*tied, *(graded(n, 1, model="small") for n in range(2))]))
    assert "large and middle, over 2 questions that were graded for all. small follows with 1.800." in third
    assert "Gleichauf mit 3,000: large und middle, über 2 Fragen" in words(page(tied, "de"))


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
    assert page_texts("grades", language)["ungraded"].format(count=1) in words(shown)
    assert not shown.find("table")
