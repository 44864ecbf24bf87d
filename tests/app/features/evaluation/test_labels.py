"""Labels of people: the table to fill in, and agreement against a hand-computed example."""

import csv
import io
from pathlib import Path

import pytest

from app.api.csv import csv_lines
from app.errors import InputError
from app.features.evaluation.grades import Grade
from app.features.evaluation.labels import COLUMNS, RUBRIC_ROW, agreement, kappa, label_rows, read_labels
from app.features.evaluation.rubric import CRITERIA, Scale
from app.features.evaluation.sheets import SheetSource
from tests.app.features.evaluation.judge import sheet

SCALE = Scale(0, 3)
SHEETS = [sheet(number, answer=f"=At {number}") for number in range(3)]


def exported() -> str:
    return "".join(csv_lines(COLUMNS, label_rows(SHEETS, SCALE, "de")))


def filled(text: str, *scores: str, separator: str = ",") -> str:
    """The table with scores in the rows of the first sheets."""
    rows = list(csv.reader(io.StringIO(text)))
    for row, given in enumerate(scores, start=5):
        rows[row][-4:] = given.split(",")
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator).writerows(rows)
    return buffer.getvalue()


def grade(number: int, *scores: float, scale: str = "0-3") -> Grade:
    given = dict(zip(CRITERIA, scores, strict=True))
    return Grade(sheet=f"s{number}", judge="j", style="criteria", scale=scale, recipe="r", scores=given)


def test_the_table_has_the_rubric_and_no_name_of_a_model() -> None:
    text = exported()
    assert text.count("rubric,") == 4
    assert "3: richtig: nichts Wichtiges fehlt" in text
    assert "small" not in text
    assert "'=At 1" in text, "no spreadsheet runs an answer as a formula"


def test_the_table_has_what_the_model_read_so_that_people_can_judge_faithfulness() -> None:
    sources = [
        SheetSource(number=n, source="town", id=f"{n}", language="en", title="", url="", cited=n == 2)
        for n in (1, 2)
    ]
    asked = sheet(
        sources=sources,
        context=("Pool\n\nBring a towel.", "Hours\n\nIt opens at nine."),
        history=[{"role": "user", "content": "Where is the pool?"}],
    )
    [row] = [each for each in label_rows([asked], SCALE, "en") if each["sheet"] != RUBRIC_ROW]
    assert row["context"] == "[2] Hours\n\nIt opens at nine.\n\n[1] Pool\n\nBring a towel."
    assert row["question"] == "Visitor: Where is the pool?\nWhen does pool 0 open?"
    *_, long = label_rows([sheet(context=["word " * 9_000])], SCALE, "en")
    assert len(long["context"]) < 32_767, "the most that a spreadsheet takes in a cell"


def test_labels_are_read_from_what_people_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(filled(exported(), "3,2,1,fine", ",,,"), "utf-8-sig")
    [label] = read_labels(path, SHEETS, SCALE, "Ada")
    assert (label.judge, label.sheet) == ("Ada", SHEETS[0].fingerprint)
    assert label.scores == {"correctness": 3, "completeness": 2, "readability": 1}
    assert label.reasons == {"comment": "fine"}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("4,2,1,", "row 6: correctness: '4' is not a score: use a whole number from 0-3"),
        ("2,,1,", "row 6: completeness: the score is missing"),
        ("2,good,1,", "completeness: 'good' is not a score"),
        (",,,", "has no label: fill in the columns correctness"),
    ],
)
def test_a_label_that_is_none_is_refused_with_its_row(tmp_path: Path, scores: str, message: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(filled(exported(), scores))
    with pytest.raises(InputError, match=message):
        read_labels(path, SHEETS, SCALE, "Ada")


def test_labels_for_other_sheets_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(filled(exported(), "3,3,3,"))
    with pytest.raises(InputError, match="is not one of these sheets"):
        read_labels(path, [sheet(0, answer="At ten, now.")], SCALE, "Ada")
    with pytest.raises(InputError, match="no sheet has scores in both"):
        agreement([grade(1, 1, 1, 1)], [grade(2, 1, 1, 1)])
    with pytest.raises(InputError, match="cannot be compared"):
        agreement([grade(1, 1, 1, 1)], [grade(1, 1, 1, 1, scale="0-1")])


def test_a_table_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("sheet;correctness\n")
    with pytest.raises(InputError, match="no column 'completeness'"):
        read_labels(path, SHEETS, SCALE, "Ada")


def test_agreement_is_that_of_an_example_computed_by_hand() -> None:
    """Correctness: 3-3, 3-2, 2-2, 0-3. Three of the four shares of chance: p_e = (2*2 + 1*2 + 0) / 16."""
    judge = [grade(1, 3, 3, 3), grade(2, 3, 3, 3), grade(3, 2, 3, 2), grade(4, 0, 3, 1)]
    people = [grade(1, 3, 3, 3), grade(2, 2, 3, 3), grade(3, 2, 3, 2), grade(4, 3, 3, 1), grade(5, 1, 1, 1)]
    found = agreement(judge, people)
    correctness = found["correctness"]
    assert (correctness.sheets, correctness.exact, correctness.within_1) == (4, 0.5, 0.75)
    chance = (2 * 2 + 1 * 2) / 16
    assert correctness.kappa == pytest.approx((0.5 - chance) / (1 - chance), abs=0.001)
    assert found["completeness"].kappa is None, "both gave one score to all: nothing to tell from chance"
    assert found["readability"].kappa == 1.0


def test_kappa_is_that_of_the_textbook() -> None:
    """Two readers of 50 grant proposals: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.4."""
    pairs = [(1.0, 1.0)] * 20 + [(1.0, 0.0)] * 5 + [(0.0, 1.0)] * 10 + [(0.0, 0.0)] * 15
    assert kappa(pairs) == 0.4


def test_what_is_ungraded_is_left_out_of_the_agreement() -> None:
    ungraded = Grade(sheet="s1", judge="j", style="criteria", scale="0-3", recipe="r", ungraded="no JSON")
    found = agreement([ungraded, grade(2, 1, 1, 1)], [grade(1, 0, 0, 0), grade(2, 1, 1, 1)])
    assert found["correctness"].sheets == 1
