"""Grading of answers that visitors got: a sample, redacted, each once, whatever happens to the judge."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from app.chat.conversations import Conversations
from app.chat.feedback import Feedback, Rating
from app.chat.model.prompts import PACKAGE_PROMPTS
from app.errors import ModelError
from app.features.evaluation.feature import LIVE_ANSWERS, LIVE_SCORES
from app.features.evaluation.grades import Grade
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge import make_criteria_grader
from app.features.evaluation.judge_model import make_judge
from app.features.evaluation.live_figures import Ratings, live_quality
from app.features.evaluation.live_grades import LiveGrades
from app.features.evaluation.live_quality import (
    GRADED_STATUSES,
    NO_CONTEXT,
    LiveGrader,
    SampleSettings,
    day_to_grade,
)
from app.features.evaluation.rubric import Weights
from app.indexing.stopping import Stop, never
from app.pages.counters import Counters
from app.pages.database import open_engine
from app.pages.workers import WorkerRegistry
from app.settings.settings import load_settings
from tests.app.features.evaluation.judge import asked_about, grades_by_number, saying, scores
from tests.fakes.databases import new_sqlite
from tests.fakes.llm import FakeLlm, Reply

NIGHT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
DAY = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = grades_by_number
        yield fake


class Town:
    """An installation's answers of a day, and who grades them in the night."""

    def __init__(self, folder: Path, llm: FakeLlm) -> None:
        self.engine: Engine = open_engine(new_sqlite(folder / "pages.sqlite"))
        self.workers = WorkerRegistry(folder / "workers")
        self.asked_at = DAY
        self.kept = Conversations(self.engine, lambda: self.asked_at)
        self.stored = LiveGrades(self.engine, GRADED_STATUSES)
        self._llm = llm

    def answer(self, text: str, question: str = "When does the pool open?", **given: Any) -> str:
        """Store an answer, and return its id."""
        begun = self.kept.begin("town", question, given.get("conversation"))
        document = {"answer": text, "status": given.get("status", "answered"), "model": "small"}
        self.kept.finish(begun.answer, document, given.get("context", ["Pool\n\nIt opens at nine."]))
        return begun.answer

    def grader(self, number: int = 100, **judge: Any) -> LiveGrader:
        """One as a process that has just started has it."""
        at = {"model": "judge", "base_url": self._llm.base_url, "retries": 0, "parallel": 2}
        settings = load_settings(judge={**at, **judge})
        made = make_judge(settings)
        assert made is not None
        return LiveGrader(
            stored=self.stored,
            conversations=self.kept,
            run=GradingRun(
                judge=made,
                grader=make_criteria_grader(PACKAGE_PROMPTS, settings.judge),
                parallel=settings.judge.parallel,
            ),
            sample=SampleSettings(number=number, lease=timedelta(minutes=5)),
            workers=self.workers,
            clock=lambda: NIGHT,
        )

    def grades(self) -> dict[str, Grade]:
        """The grades by answer."""
        return {each.id: Grade.model_validate(each.grade) for each in self.stored.since(DAY.date())}


@pytest.fixture
def town(tmp_path: Path, llm: FakeLlm) -> Iterator[Town]:
    made = Town(tmp_path, llm)
    yield made
    made.workers.close()
    made.engine.dispose()


def to_the_end(grader: LiveGrader, stop: Stop = never) -> None:
    while grader(stop):
        pass


def test_the_day_that_is_graded_ended_before_the_night() -> None:
    assert day_to_grade(NIGHT) == DAY.date()
    assert day_to_grade(NIGHT - timedelta(seconds=1)) == DAY.date() - timedelta(days=1)
    assert day_to_grade(NIGHT + timedelta(hours=23)) == DAY.date()


def test_a_sample_is_graded_once_and_refusals_and_other_days_are_not(town: Town, llm: FakeLlm) -> None:
    ids = [town.answer(f"At nine, {number}. ={number % 4}") for number in range(7)]
    town.answer("I do not know. =0", status="no_answer")
    town.asked_at = DAY + timedelta(days=1)
    town.answer("Tomorrow. =0")
    to_the_end(town.grader(5))
    assert len(llm.requests) == len(town.grades()) == 5
    found = {id_: grade.scores["correctness"] for id_, grade in town.grades().items()}
    assert found == {id_: ids.index(id_) % 4 for id_ in found}
    to_the_end(town.grader(5))
    assert len(llm.requests) == 5, "the day is done"


def test_nothing_is_sent_that_was_not_redacted(town: Town, llm: FakeLlm) -> None:
    secrets = ("ada@otter.example", "0171 2345678", "DE89 3704 0044 0532 0130 00")
    before = town.answer(f"Write to {secrets[0]}.", f"Is {secrets[1]} yours?")
    conversation = town.kept.answer("town", before).conversation
    town.answer(
        f"Call {secrets[1]}, pay to {secrets[2]}. =3",
        f"I am {secrets[0]}, and you?",
        conversation=conversation,
        context=[f"Imprint\n\n{' '.join(secrets)}"],
    )
    to_the_end(town.grader())
    assert len(llm.requests) == 2
    sent = json.dumps(llm.requests)
    assert [secret for secret in secrets if secret in sent] == []
    assert all(marker in sent for marker in ("[e-mail]", "[tel.]", "[IBAN]"))
    assert "Visitor: Is [tel.] yours?" in sent, "with what was asked before"


def test_what_cannot_be_graded_is_ungraded_with_a_reason_and_no_score(town: Town, llm: FakeLlm) -> None:
    prose, bare = town.answer("Prose. =9"), town.answer("Nothing was read. =3", context=[])
    good = town.answer("Good. =3")

    def judge(request: dict[str, Any]) -> Reply:
        return Reply(deltas=("Fine!",)) if "Prose" in asked_about(request) else grades_by_number(request)

    llm.answer = judge
    to_the_end(town.grader())
    grades = town.grades()
    assert (grades[prose].ungraded, grades[bare].ungraded) == ("no JSON", NO_CONTEXT)
    assert (grades[prose].scores, grades[bare].scores) == ({}, {})
    quality = live_quality(town.stored.since(DAY.date()), Weights())
    [day] = quality.days
    assert (day.graded, day.ungraded, day.scores["correctness"]) == (1, 2, 3.0)
    assert grades[good].ungraded == ""
    amounts = Counters(town.engine).read()
    assert amounts[LIVE_ANSWERS, "town", "ungraded"] == 2
    assert amounts[LIVE_SCORES, "town", "correctness"] == 1.0


def test_two_answers_that_are_the_same_are_asked_about_once(town: Town, llm: FakeLlm) -> None:
    same = {town.answer("At nine. =2"), town.answer("At nine. =2")}
    to_the_end(town.grader())
    assert (len(llm.requests), {*town.grades()}) == (1, same)


def test_a_judge_that_is_away_costs_no_grade_and_the_rest_is_graded_when_it_is_back(
    town: Town, llm: FakeLlm
) -> None:
    ids = {town.answer(f"At nine, {number}. =3") for number in range(6)}
    passes = iter(range(2))

    def judge(request: dict[str, Any]) -> Reply:
        return Reply(status=503) if next(passes, None) is None else grades_by_number(request)

    llm.answer = judge
    grader = town.grader()
    with pytest.raises(ModelError):
        to_the_end(grader)
    assert len(town.grades()) == 2
    asked = len(llm.requests)
    llm.answer = grades_by_number
    to_the_end(town.grader())
    assert town.grades().keys() == ids
    assert len(llm.requests) == asked + 4, "what has a grade is not graded again"


def test_an_answer_that_the_judge_fails_on_keeps_no_other_from_its_grade(town: Town, llm: FakeLlm) -> None:
    ids = [town.answer(f"At nine, {number}. =3") for number in range(5)]
    poison = min(ids)

    def judge(request: dict[str, Any]) -> Reply:
        is_poison = f"nine, {ids.index(poison)}." in asked_about(request)
        return Reply(status=500) if is_poison else grades_by_number(request)

    llm.answer = judge
    grader = town.grader()
    for _ in range(4):
        with pytest.raises(ModelError):
            to_the_end(grader)
    assert town.grades().keys() == {*ids} - {poison}


def test_work_that_is_stopped_ends_soon_and_is_gone_on_with(town: Town, llm: FakeLlm) -> None:
    for number in range(4):
        town.answer(f"At nine, {number}. =3")
    llm.answer = lambda request: Reply(silent=True)
    calls = iter([False, False])
    assert town.grader()(lambda: next(calls, True))
    assert town.grades() == {}
    llm.answer = grades_by_number
    to_the_end(town.grader())
    assert len(town.grades()) == 4


def test_nobody_grades_while_another_worker_does_or_something_is_more_urgent(
    town: Town, llm: FakeLlm
) -> None:
    town.answer("At nine. =3")
    assert town.stored.hold(DAY.date(), "another", NIGHT, NIGHT + timedelta(minutes=1))
    assert not town.grader()(never)
    town.stored.release("another")
    busy = town.grader()
    busy.busy = lambda: True
    assert not busy(never)
    assert llm.requests == []


def test_thumbs_are_told_for_each_score_of_the_last_judge(town: Town, llm: FakeLlm) -> None:
    feedback = Feedback(town.engine, lambda: DAY)
    said: list[tuple[str, Rating | None]] = [
        ("Good. =3", "up"),
        ("Fine. =3", "down"),
        ("Bad. =0", "down"),
        ("Mute. =3", None),
    ]
    for text, rating in said:
        answer = town.answer(text)
        if rating:
            feedback.give("town", answer, rating)
    to_the_end(town.grader())
    answers = town.stored.since(DAY.date())
    quality = live_quality(answers, Weights(), show=2)
    assert [(each.score, each.answers, each.ratings) for each in quality.by_score] == [
        (0, 1, Ratings(up=0, down=1)),
        (3, 3, Ratings(up=1, down=1)),
    ]
    assert [each.ratings.share_up for each in quality.by_score] == [0.0, 0.5]
    assert Ratings(up=0, down=0).share_up is None
    assert (quality.days[0].ratings, quality.tokens.prompt) == (Ratings(up=1, down=2), 4_000)
    assert quality.worst[0].grade.scores["correctness"] == 0
    assert quality.days[0].scores["composite"] == pytest.approx(0.6 * 2.25 + 0.4 * 3)


def test_days_of_two_judges_are_two_lines_and_only_the_last_ones_scores_are_joined(
    town: Town, llm: FakeLlm
) -> None:
    town.answer("Good. =3")
    to_the_end(town.grader())
    town.asked_at = DAY + timedelta(hours=1)
    other = town.answer("Good. =1")
    grade = town.grades().popitem()[1].model_copy(update={"judge": "other"})
    town.stored.add(other, grade.model_dump_json(), {})
    quality = live_quality(town.stored.since(DAY.date()), Weights())
    assert [(each.judge, each.graded) for each in quality.days] == [("judge", 1), ("other", 1)]
    assert [each.answers for each in quality.by_score] == [1]
    assert live_quality([], Weights()).days == ()


def test_a_reply_that_names_no_score_of_the_scale_is_asked_for_again(town: Town, llm: FakeLlm) -> None:
    town.answer("At nine.")
    replies: Iterator[Callable[[], Reply]] = iter([lambda: saying(scores(9)), lambda: saying(scores(2))])
    llm.answer = lambda _: next(replies)()
    to_the_end(town.grader(retries=1))
    [grade] = town.grades().values()
    assert (grade.scores["correctness"], grade.replies) == (2, 2)
