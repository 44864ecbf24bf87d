"""Admins give the console a file of questions; they are asked in the background and kept as an evaluation."""

import json
from io import BytesIO

import pytest
from werkzeug.test import TestResponse

from app.errors import InputError
from app.features.evaluation.asked_pool import AskedPools
from app.features.evaluation.evaluation_runs import EvaluationRuns
from app.features.evaluation.pool import parsed_pool
from app.features.evaluation.pool_step import MOST, PART, ask
from app.features.evaluation.results import run_of
from app.features.questions.services import QuestionServices
from app.indexing.stopping import never
from app.services import Services
from tests.app.console.conftest import OURS, Console
from tests.app.web.browser import soup

QUESTION = "How much is the dog tax?"


def pool(count: int = 3, gold: str = "dog-tax") -> str:
    lines = [{"id": str(number), "question": QUESTION, "gold": [gold]} for number in range(count)]
    return "\n".join(map(json.dumps, lines))


def upload(console: Console, text: str | bytes, name: str = "town.jsonl", **fields: str) -> TestResponse:
    data = text.encode() if isinstance(text, str) else text
    form = {"questions": (BytesIO(data), name), **fields}
    return console.client.post("/admin/evaluations", data=form, headers=OURS)


def asked_all(services: Services) -> None:
    for _ in range(4):
        services.background.features.run_lane("idle", never)
    assert not AskedPools(services.engine).is_waiting()


def test_the_questions_of_a_file_are_asked_in_the_background_and_kept_as_an_evaluation(
    admin: Console, services: Services
) -> None:
    answer = upload(admin, pool(PART + 1), site="town")
    assert (answer.status_code, answer.location) == (303, "/admin/evaluations?done=asking")
    assert f"0 of {PART + 1} questions from town.jsonl" in admin.get("/evaluations?lang=en").text
    services.background.features.run_lane("idle", never)
    assert f"{PART} of {PART + 1} questions" in admin.get("/evaluations?lang=en").text
    asked_all(services)
    [stored] = EvaluationRuns(services.engine).all()
    run = run_of(EvaluationRuns(services.engine).get(stored.number))
    assert (run.pool, run.configuration["site"], run.configuration["sources"]) == (
        "town.jsonl",
        "town",
        ["town"],
    )
    assert [result.id for result in run.results] == [str(number) for number in range(PART + 1)]
    assert run.figures["hit@1"] == 1.0
    page = admin.get("/evaluations").text
    assert "town.jsonl" in page
    assert "questions from" not in page
    assert services.feature(QuestionServices).questions.newest().questions == []


def test_other_questions_wait_until_these_are_asked_or_ended(admin: Console, services: Services) -> None:
    upload(admin, pool(), "first.jsonl")
    refused = upload(admin, pool(), "second.jsonl")
    assert refused.status_code == 409
    assert "other questions are being asked" in refused.text
    ended = admin.post("/evaluations/end")
    assert (ended.status_code, ended.location) == (303, "/admin/evaluations?done=asking_ended")
    assert upload(admin, pool(), "second.jsonl").status_code == 303
    asked_all(services)
    assert [run.document["pool"] for run in EvaluationRuns(services.engine).all()] == ["second.jsonl"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "town.jsonl line 1 is not JSON"),
        ("\n[", "town.jsonl line 2 is not JSON: EOF while parsing a list at column 1"),
        ('{"question": "Wo?", "n": ' + "1" * 5_000 + "}", "is not JSON: number out of range"),
        ('{"question": "Wo?", "n": ' + "[" * 50_000, "is not JSON: recursion limit exceeded"),
        ('{"question": "Wo?", "gold": ["\\ud800"]}', "town.jsonl line 1 is not JSON"),
        ('{"question": "Wo?", "must": "x"}', "town.jsonl line 1: must: input should be a valid array"),
        (
            '{"question": "Wo?", "language": "../de"}',
            "language: string should match pattern '^([a-z]{2}|und)?$'",
        ),
        ("[]", "town.jsonl line 1 is not a JSON object"),
        ('{"gold": []}', "town.jsonl line 1: question"),
        ('{"question": "Wo?", "draft": true}', "is a draft that nobody has accepted"),
        ("", "town.jsonl contains no questions"),
        (pool(gold="elsewhere"), "none of its gold pages is indexed (elsewhere)"),
        (pool(MOST + 1), "town.jsonl contains 2,001 questions: use at most 2,000 at once"),
        (b"\xff", "is not UTF-8 at byte 0: save it as text in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_asked_is_refused_with_a_reason(
    admin: Console, services: Services, text: str | bytes, said: str
) -> None:
    answer = upload(admin, text)
    assert answer.status_code == 400
    assert said in soup(answer).select_one(".failure").get_text()  # type: ignore[union-attr]
    assert not AskedPools(services.engine).is_waiting()


def test_without_a_file_or_a_site_nothing_is_asked(admin: Console) -> None:
    assert "choose a file" in admin.post("/evaluations").text
    assert "choose a file" in upload(admin, pool(), name="").text
    assert upload(admin, pool(), site="nowhere").status_code == 404


def test_a_file_that_is_too_large_is_refused(admin: Console) -> None:
    assert upload(admin, pool(1) + " " * 3_000_000).status_code == 413


def test_whoever_goes_on_begins_where_another_ended_and_nothing_counts_twice(
    admin: Console, services: Services
) -> None:
    upload(admin, pool(PART + 2))
    pools = AskedPools(services.engine)
    before = pools.current()
    assert before is not None
    ask(services, never)
    now = pools.current()
    assert now is not None
    assert len(now.results) == PART
    pools.add(before, now.results[:3], seconds=1.0, not_reranked=0)
    pools.fail(before, InputError("late"))
    assert pools.current() == now
    ask(services, lambda: True)  # stopped before the next question
    assert pools.current() == now
    asked_all(services)
    [kept] = EvaluationRuns(services.engine).all()
    assert kept.document["figures"]["questions"] == PART + 2


def test_questions_that_can_never_be_asked_end_with_a_reason(admin: Console, services: Services) -> None:
    upload(admin, json.dumps({"question": "x" * 100_000, "gold": ["dog-tax"]}))
    asked_all(services)
    page = soup(admin.get("/evaluations?lang=en")).get_text(" ", strip=True)
    assert "The questions from town.jsonl could not all be asked." in page
    page = soup(admin.get("/evaluations?lang=de")).get_text(" ", strip=True)
    assert ": Die Frage hat 100000 Zeichen: Höchstens" in page
    assert upload(admin, pool()).status_code == 303


def test_a_line_may_hold_any_character_but_a_newline() -> None:
    [question] = parsed_pool("pool", '{"question": "a\u2028b\x85c"}\r\n\n')
    assert question.question == "a\u2028b\x85c"


def test_only_admins_have_questions_asked(editor: Console) -> None:
    assert upload(editor, pool()).status_code == 403
    assert editor.post("/evaluations/end").status_code == 403
