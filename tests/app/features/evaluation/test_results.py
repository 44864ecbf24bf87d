"""Results of questions and runs: grouped, ordered, stored and read again."""

import json

import pytest

from app.features.evaluation.pool import GoldUnit, PoolQuestion, gold_sources
from app.features.evaluation.results import (
    EvaluationRun,
    QuestionResult,
    by_group,
    figures,
    pool_hash,
    question_key,
    worst,
)
from ingest.types import PageRef
from tests.app.features.evaluation.results import result, run


def test_the_figures_are_those_of_pages_and_answers() -> None:
    found = figures([result("x", "ba", right=True), result("y", "", right=False), result("z", "b", "")])
    assert (found["questions"], found["answerable"], found["spans"]) == (3, 2, 2)
    assert (found["hit@1"], found["hit@5"], found["none"]) == (0.0, 0.5, 0.0)
    assert (found["shown"], found["refused"], found["lost"]) == (0.5, 0.0, 0.5)


def test_results_are_grouped_where_there_are_several_groups() -> None:
    results = [
        result("one", "a", language="fr"),
        result("two", "b"),
        result("three", "a", language="en", kind="yes-no"),
    ]

    def named(group: str) -> dict[str, list[str]]:
        found = by_group(results, lambda each: str(getattr(each, group)))
        return {name: [each.id for each in own] for name, own in found.items()}

    assert named("language") == {"en": ["three"], "fr": ["one"], "und": ["two"]}
    assert named("kind") == {"other": ["one", "two"], "yes-no": ["three"]}
    assert named("source") == {}


def test_a_question_is_of_the_sources_of_its_gold_pages() -> None:
    law = "32024R1689@2024-06-13/art_6.1"
    refs = [
        PageRef(source=source, id=page, language="en")
        for source, page in (("town", "a"), ("state", "a"), ("law", law))
    ]
    sources = gold_sources(refs)
    assert sources["a"] == {"town", "state"}
    assert sources[law] == sources[GoldUnit(celex="32024R1689", unit="art_6")] == {"law"}
    assert result("x", "a").source == "town"
    assert result("x", "a", "z").source == result("x", "", "").source == ""


def test_the_worst_come_first_and_perfect_ones_never() -> None:
    results = [
        result("fine", "a"),
        result("second", "ba"),
        result("found, not shown", "a", right=False),
        result("lost, shown", "b", right=True),
        result("lost", "b", right=False),
        result("found, refused", "a", status="no_answer"),
        result("made up", "b", ""),
        result("refused", "", ""),
    ]
    named = [each.id for each in worst(results, 9)]
    assert named == ["lost", "lost, shown", "second", "found, not shown", "found, refused", "made up"]
    assert [each.id for each in worst(results, 1)] == ["lost"]


def test_a_question_is_the_same_whatever_its_id_and_another_with_other_gold() -> None:
    asked = PoolQuestion(question="Wo?", gold=("a", "b"), id="1", kind="lookup")
    assert question_key(asked) == question_key(asked.model_copy(update={"id": "2", "kind": ""}))
    for change in ({"gold": ("a",)}, {"question": "Wann?"}, {"language": "de"}, {"must": ("nine",)}):
        assert question_key(asked) != question_key(asked.model_copy(update=change)), change
    other = PoolQuestion(question="Wann?")
    assert pool_hash([asked, other]) == pool_hash([other, asked]) != pool_hash([asked])


@pytest.mark.parametrize("right", [True, None])
def test_a_run_is_the_same_after_it_was_json(right: bool | None) -> None:
    made = run("default", result("ü", "ba", right=right), notes={"missing_gold": {"warning": "1 of 2"}})
    document = json.loads(json.dumps(made.document()))
    results = json.loads(json.dumps([each.model_dump(mode="json") for each in made.results]))
    again = EvaluationRun(**document, results=[QuestionResult(**each) for each in results])
    assert again == made
    assert again.estimates == made.estimates
