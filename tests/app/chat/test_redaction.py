"""What visitors write loses what tells who they are, and nothing else."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.redaction import redacted
from tests.shared import QUESTIONS, needs

HERE = Path(__file__).parent
REDACTED = [line.split(" => ") for line in (HERE / "redacted.txt").read_text("utf-8").splitlines()]
ROOT = HERE.parents[2]
UNREDACTED = (HERE / "unredacted.txt").read_text("utf-8").splitlines()
PIECES = [
    *(
        "030 123456",
        "0171/2345678",
        "+49",
        "+",
        "0",
        "(0)",
        "00",
        "(",
        ")",
        "-",
        "/",
        ".",
        ",",
        ":",
        " ",
        "\n",
    ),
    *("1", "12", "01.02.2024", "09.00", "115", "a", "ä", "x@y.example", "@", "[at]", "(dot)", "b.example"),
    *(
        "Tel.",
        "Telefon ",
        "nummer",
        "ISBN ",
        "https://",
        "www.",
        "DE89 3704 0044 0532 0130 00",
        "DE",
        "89",
        "_",
    ),
]


@pytest.mark.parametrize(("text", "expected"), REDACTED, ids=[text for text, _ in REDACTED])
def test_what_tells_who_somebody_is_is_taken_out(text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize("text", UNREDACTED)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    "pool",
    [
        ROOT / "app/demo/questions.jsonl",
        ROOT / "benchmarks/pools/law.jsonl",
        pytest.param(QUESTIONS, marks=needs(QUESTIONS)),
    ],
    ids=lambda path: path.parent.name,
)
def test_real_questions_are_left_alone(pool: Path) -> None:
    questions = [json.loads(line)["question"] for line in pool.read_text("utf-8").splitlines()]
    assert questions
    assert [redacted(question) for question in questions] == questions


@pytest.mark.parametrize("text", ["", "Ja.", "030 123456\nund mehr"])
def test_what_stands_around_it_is_kept(text: str) -> None:
    assert redacted(text) == text.replace("030 123456", "[tel.]")


@pytest.mark.parametrize(
    "hidden", ["\0", "\u00ad", "\u200b", "\u200d", "\u202a", "\u2060", "\ufeff", "\U000e0031"]
)
def test_characters_that_do_not_show_hide_nothing(hidden: str) -> None:
    text = "+49 30 123456 oder max@b.example, DE89 3704 0044 0532 0130 00"
    assert redacted(hidden + hidden.join(text)) == "[tel.] oder [e-mail], [IBAN]"


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_what_was_taken_out_leaves_nothing_to_take_out(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "0",
            "1",
            "a",
            "@",
            "+",
            "(",
            " ",
            ".",
            "_",
            "0 ",
            "(0",
            "+1",
            "01/",
            "a.",
            "a@",
            "@a.",
            "1-",
            "0-",
            "00 ",
        ),
        *(
            "www.",
            "http://",
            "x(at)",
            "a@b.",
            "a (at) b (dot) ",
            "030 123456 ",
            "01.",
            "DE12",
            "DE12 ",
            "DE 12 ",
        ),
        *(
            "a @ b . ",
            '"',
            '"a',
            '"a"@',
            '"a"@b ',
            "a@[",
            "a@[1",
            "a@1.",
            "@ ",
            "DE8.",
            "DE 8 9 ",
            "DE89 . ",
            "0   ",
        ),
        *("Tel. ", "Telefon 1 ", "ISBN 1 ", "09.00-", "0.1", "%", "ä", "\u0660", "[at]", "a [dot] ", "GB1A "),
    ],
)
def test_reading_takes_time_by_length_alone(piece: str) -> None:
    for end in ("", "@", "x", "!"):
        text = (piece * 2_000)[:2_000] + end
        seconds = []
        for _ in range(3):
            start = time.thread_time()
            redacted(text)
            seconds.append(time.thread_time() - start)
        assert min(seconds) < 0.05
