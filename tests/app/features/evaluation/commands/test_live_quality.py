"""``auskunft live-quality``."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.chat.feedback import Rating
from app.features.evaluation.grades import Grade
from app.features.evaluation.services import EvaluationServices
from app.pages.database import utc_now
from app.services import Services
from app.settings.settings import Settings
from tests.fakes.command import Command
from tests.fakes.databases import new_data


def graded(data: Path, correctness: int | None, rating: Rating | None = None) -> None:
    """Store an answer of today with its grade."""
    with Services(Settings(data=data, embedder="hashing")) as services:
        chat = services.chat
        begun = chat.conversations.begin("town", f"Question {correctness}?")
        document = {"answer": "At nine.", "status": "answered"}
        chat.conversations.finish(begun.answer, document, ["Pool"])
        if rating:
            chat.feedback.give("town", begun.answer, rating)
        said: dict[str, Any] = {"ungraded": "no JSON"}
        if correctness is not None:
            names = ("correctness", "completeness", "readability")
            said = {"scores": dict.fromkeys(names, correctness), "reasons": dict.fromkeys(names, "So.")}
        grade = Grade(sheet="x", judge="strict", style="criteria", scale="0-3", recipe="r", **said)
        services.feature(EvaluationServices).stored.add(begun.answer, grade.model_dump_json(), {})


@pytest.fixture
def town(tmp_path: Path) -> Command:
    new_data(tmp_path / "data")
    return Command(tmp_path)


def test_grades_are_told_by_day_and_thumbs_by_grade_with_the_worst_answers(town: Command) -> None:
    for correctness, rating in ((3, "up"), (3, "down"), (0, "down"), (None, None)):
        graded(town.data, correctness, rating)  # type: ignore[arg-type]
    document = town.run("live-quality", "--json", "--show", "1", judge__input_price=1).json()
    [day] = document["days"]
    assert datetime.fromisoformat(day["day"]).date() in (utc_now().date(), datetime.now(UTC).date())
    assert (day["judge"], day["graded"], day["ungraded"], day["correctness"]) == ("strict", 3, 1, 2.0)
    assert [(each["correctness"], each["share_up"]) for each in document["by_correctness"]] == [
        (0, 0.0),
        (3, 0.5),
    ]
    assert document["reasons"] == {"no JSON": 1}
    assert document["cost"] == 0
    assert [(each["question"], each["answer"]) for each in document["worst"]] == [("Question 0?", "At nine.")]
    out = town.run("live-quality", "--show", "1").out
    assert "strict" in out
    assert "1 ungraded: no JSON" in out
    assert "correctness: 0  So." in out


def test_without_grades_it_says_why(town: Command) -> None:
    assert "judge.live_answers is 0" in town.run("live-quality").out
    on: dict[str, Any] = {"judge__live_answers": 5, "chat__base_url": "http://x/v1", "chat__model": "m"}
    assert "in the night after it" in town.run("live-quality", **on).out
    assert json.loads(town.run("live-quality", "--json").out)["days"] == []
    assert "days" in town.run("live-quality", "--days", "0").complaint(2)
