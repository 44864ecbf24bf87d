"""The rubric: scales, weights, examples that people have checked."""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from app.chat.model.prompts import PACKAGE_PROMPTS
from app.errors import InputError, SettingsError
from app.features.evaluation.judge import CriteriaGrader
from app.features.evaluation.judge_model import make_judge
from app.features.evaluation.rubric import CRITERIA, Example, Rubric, Scale, Weights, load_rubric
from app.features.evaluation.rubric_draft import TO_BE_WRITTEN, RubricDraft, rubric_text
from app.settings.settings import load_settings
from tests.app.features.evaluation.judge import saying, sheet
from tests.fakes.llm import FakeLlm, Reply

SCALE = Scale(0, 3)
DRAFTED = {
    "question": "When?",
    "context": "At nine.",
    "answer": 'At "nine" \\ ten.\n',
    "reason": "It says so.",
}


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.default = saying(DRAFTED)
        yield fake


def drafted(llm: FakeLlm) -> Rubric:
    judge = make_judge(load_settings(judge={"model": "judge", "base_url": llm.base_url}))
    assert judge is not None
    draft = RubricDraft(judge=judge, prompts=PACKAGE_PROMPTS, scale=SCALE, language="en")
    return Rubric(examples=tuple(draft.examples(["A page about the pool."], random.Random(1))))


def test_a_draft_has_an_example_for_every_score_and_the_judge_takes_it_once_people_have_checked_it(
    llm: FakeLlm, tmp_path: Path
) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(rubric_text(drafted(llm)), "utf-8")
    with pytest.raises(InputError, match=r"nobody has checked the examples for correctness 0, .* and 9 more"):
        load_rubric(path, SCALE)
    path.write_text(path.read_text("utf-8").replace("checked = false", "checked = true"), "utf-8")
    rubric = load_rubric(path, SCALE)
    assert {(each.criterion, each.score) for each in rubric.examples} == set(product(CRITERIA, range(4)))
    assert rubric.examples[0].answer == DRAFTED["answer"]
    [[rules, _]] = CriteriaGrader(prompts_of=PACKAGE_PROMPTS, scale_of=SCALE, rubric=rubric).prompts(sheet())
    assert rules.content.count("Example. Question: When?") == 12
    assert "mostly right: one important aspect is missing or invented" in rules.content


def test_an_example_that_the_model_does_not_write_is_left_to_people(llm: FakeLlm) -> None:
    llm.default = Reply(deltas=("I cannot.",))
    assert {example.answer for example in drafted(llm).examples} == {TO_BE_WRITTEN}


def test_examples_must_be_there_for_every_score_and_on_the_judges_scale(tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    one = Example(criterion="correctness", score=0, question="Q", answer="", reason="R", checked=True)
    path.write_text(rubric_text(Rubric(examples=(one,))), "utf-8")
    with pytest.raises(InputError, match="no example for correctness 1, correctness 2, correctness 3 and 8"):
        load_rubric(path, SCALE)
    with pytest.raises(InputError, match="is for scores of 0-3, the judge gives 0-10"):
        load_rubric(path, Scale(0, 10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("examples = [", "is not TOML"),
        ("[[examples]]\nscore = 1", "examples.0.criterion: field required"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_rubric_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "rubric.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_rubric(path, SCALE)


@pytest.mark.parametrize(
    ("scale", "places"),
    [("0-1", [0, 1]), ("0-3", [0, 1, 2, 3]), ("1-5", [1, 2, 4, 5]), ("0-10", [0, 3, 7, 10])],
)
def test_the_definitions_stand_at_their_places_on_every_scale(scale: str, places: list[int]) -> None:
    for language, criterion in product(("de", "en"), CRITERIA):
        meanings = Scale.of(scale).definitions(criterion, language)
        assert [score for score, meaning in meanings.items() if meaning] == places
        assert list(meanings) == list(Scale.of(scale).scores)


@pytest.mark.parametrize("scale", ["3-0", "0-30", "good-bad", "0-0", ""])
def test_a_scale_that_is_none_is_refused(scale: str) -> None:
    with pytest.raises(SettingsError, match="0-1, 0-3, 1-5 or 0-10"):
        load_settings(judge={"scale": scale})


def test_correctness_dominates_the_composite() -> None:
    scores = {"correctness": 1.0, "completeness": 3.0, "readability": 2.0}
    assert Weights().composite(scores) == pytest.approx(0.6 * 1 + 0.2 * 3 + 0.2 * 2)
    assert Weights(correctness=2, completeness=1, readability=1).composite(scores) == pytest.approx(7 / 4)
    with pytest.raises(SettingsError, match="a wrong answer must not rank high"):
        load_settings(judge={"readability_weight": 0.9})
