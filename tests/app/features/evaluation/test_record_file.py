"""Files of records: one run writes, what was half written is passed over and removed."""

from pathlib import Path

import pytest

from app.errors import ConflictError, InputError
from app.features.evaluation.sheets import load_sheets, sheet_file
from tests.app.features.evaluation.judge import sheet, write_sheets

ONE, TWO, THREE = sheet(1), sheet(2), sheet(3)


def test_a_half_written_last_line_is_passed_over_and_removed_by_the_next_run(tmp_path: Path) -> None:
    path = write_sheets(tmp_path / "a.jsonl", ONE, TWO)
    path.write_bytes(path.read_bytes() + ONE.model_dump_json().encode()[:40])
    assert load_sheets(path) == [ONE, TWO]
    with sheet_file(path).appending() as writer:
        writer.append(THREE)
    assert load_sheets(path) == [ONE, TWO, THREE]


def test_a_whole_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(ONE.model_dump_json())
    with sheet_file(path).appending() as writer:
        writer.append(TWO)
    assert load_sheets(path) == [ONE, TWO]


def test_a_second_run_at_the_same_file_is_refused(tmp_path: Path) -> None:
    file = sheet_file(tmp_path / "a.jsonl")
    with (
        file.appending(),
        pytest.raises(ConflictError, match="another run is writing"),
        file.appending(),
    ):
        pass


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no json\n", "line 1: no JSON"),
        (b"[1]\n", "line 1: no JSON object"),
        (b'\n{"question": "Q"}\n', "line 2: answer: field required"),
        (b"\xff\n", "line 1: no UTF-8"),
        (b'{"question": "Q", "answer": "A", "seconds": -1}\n', "line 1: seconds: input should be greater"),
        (b"", "contains no answers: `auskunft sheets` writes them"),
        (2 * (ONE.model_dump_json().encode() + b"\n"), "contains an answer twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_sheets(path)


def test_a_file_that_is_away_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_sheets(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="choose another --out"), sheet_file(tmp_path).appending():
        pass


def test_another_answer_is_another_sheet_and_the_same_one_is_not() -> None:
    assert sheet(1).fingerprint == ONE.fingerprint
    others = [sheet(1, answer="No."), sheet(1, model="large"), sheet(1, context=()), sheet(2)]
    assert len({ONE.fingerprint, *(each.fingerprint for each in others)}) == 5
