"""A scripted judge: grades by what the answer says, and answer sheets to be graded."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.features.evaluation.sheets import AnswerSheet
from tests.fakes.llm import Reply

_ANSWER: Final = re.compile(r"<answer>\n(.*?)\n</answer>", re.DOTALL)
USAGE: Final = (1_000, 400, 60)


def asked_about(request: Mapping[str, Any]) -> str:
    """The answer that a request is about."""
    found = _ANSWER.findall(request["messages"][1]["content"])
    return str(found[-1]) if found else ""


def scores(correctness: int, completeness: int = 3, readability: int = 3) -> dict[str, object]:
    """A reply of the form that the judge is asked for."""
    return {
        "correctness_reason": "It says what the page says.",
        "correctness": correctness,
        "completeness_reason": "All of it.",
        "completeness": completeness,
        "readability_reason": "A short sentence.",
        "readability": readability,
    }


def grades_by_number(request: dict[str, Any]) -> Reply:
    """Give an answer that ends in ``=N`` the score N for correctness."""
    found = re.search(r"=(\d+)$", asked_about(request))
    return saying(scores(int(found[1]) if found else 0))


def metrics_found(request: Mapping[str, Any], *, is_met: bool = True) -> Reply:
    """What a judge finds that is asked for any of the six metrics."""
    user = request["messages"][1]["content"]
    task = user.rpartition("Task: ")[2]
    numbers = [int(found) for found in re.findall(r"^(\d+): <source>", user, re.MULTILINE)]
    found: dict[str, object] = {
        '{"verdicts"': {"verdicts": [{"number": n, "reason": "r", "is_met": is_met} for n in numbers]},
        '"numbers"': {"reason": "r", "numbers": numbers[:1]},
        '{"claims"': {"claims": [{"claim": "It opens.", "reason": "r", "is_met": is_met}]},
        '{"questions"': {"questions": ["When does it open?"]},
        '{"both"': {"both": ["a"] if is_met else [], "answer_only": [], "reference_only": ["b"]},
    }
    return saying(next(reply for form, reply in found.items() if form in task))


def saying(document: object, **more: Any) -> Reply:
    """A reply in JSON."""
    return Reply(deltas=(json.dumps(document),), usage=USAGE, **more)


def sheet(number: int = 0, **values: Any) -> AnswerSheet:
    """An answer sheet; the ``number`` makes it another question."""
    given = {
        "id": f"q{number}",
        "question": f"When does pool {number} open?",
        "language": "en",
        "kind": "lookup",
        "reference": "At nine. On Sundays at ten.",
        "model": "small",
        "answer": "It opens at nine [1]. =3",
        "context": ("Pool\n\nIt opens at nine. Bring a towel.", "Library\n\nIt lends books."),
    }
    return AnswerSheet.model_validate({**given, **values})


def write_sheets(path: Path, *sheets: AnswerSheet) -> Path:
    """Write sheets as ``auskunft sheets`` does."""
    path.write_text("".join(f"{each.model_dump_json()}\n" for each in sheets), "utf-8")
    return path
