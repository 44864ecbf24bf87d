"""A small real language model grades: whatever it says ends as a grade of the scale or as ungraded with a
reason."""

from collections import Counter
from collections.abc import Iterator

import pytest

from app.chat.model.prompts import PACKAGE_PROMPTS
from app.features.evaluation.grades import figures, joined
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge import CriteriaGrader
from app.features.evaluation.judge_model import JudgeModel, make_judge
from app.features.evaluation.rubric import CRITERIA, NO_EXAMPLES, Scale, Weights
from app.settings.settings import load_settings
from tests.app.features.evaluation.judge import sheet
from tests.services import MissingServiceError, outcome
from tests.services.language_model import language_model

pytestmark = pytest.mark.model

ANSWERS = (
    "It opens at nine [1].",
    "Sorry, I do not know.",
    "### %% ### %%",
    "",
    "It opens at midnight, on Mars.",
)


@pytest.fixture
def judge() -> Iterator[JudgeModel]:
    try:
        with language_model() as base_url:
            settings = {"base_url": base_url, "model": "smollm2", "answer_tokens": 200, "retries": 1}
            made = make_judge(load_settings(judge=settings))
            assert made is not None
            yield made
    except MissingServiceError as missing:
        raise outcome(missing) from None


def test_whatever_a_small_model_says_is_a_grade_of_the_scale_or_ungraded(judge: JudgeModel) -> None:
    sheets = [sheet(number, answer=answer) for number, answer in enumerate(ANSWERS)]
    grader = CriteriaGrader(prompts_of=PACKAGE_PROMPTS, scale_of=Scale(0, 3), rubric=NO_EXAMPLES)
    grades = list(GradingRun(judge=judge, grader=grader, parallel=1).grades(sheets))
    assert len(grades) == len(sheets)
    for grade in grades:
        if grade.ungraded:
            assert grade.scores == {}
        else:
            assert grade.scores.keys() == set(CRITERIA)
            assert all(score in range(4) for score in grade.scores.values())
            assert all(grade.reasons[name] for name in CRITERIA)
    found = figures(joined(sheets, grades), Weights())
    assert found["graded"] + found["ungraded"] == len(sheets)
    print(found, Counter(grade.ungraded for grade in grades))  # noqa: T201 - what the run is for
