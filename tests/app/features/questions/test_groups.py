"""Visitors' questions are grouped in the background, with the vectors that were kept when they were asked."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from app import create_app
from app.chat.provenance import read_vector
from app.features.questions.filter import QuestionFilter
from app.features.questions.gaps import QuestionGroupsDocument
from app.features.questions.grouping_step import GroupingStep
from app.features.questions.services import QuestionServices
from app.features.questions.tables import question_groups
from app.indexing.stopping import never
from app.pages.database import reading, writing
from app.pages.question_tables import answer_records, answers, questions
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
FERRY = "When does the ferry leave the harbour on weekdays?"
POOL = "How much is a ticket for the outdoor pool in summer?"


@pytest.fixture
def services(tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    settings = load_settings(data=new_data(tmp_path), embedder="hashing", admin_token=TOKEN)
    with Services(settings) as services:
        services.indexing.converter = converter
        services.store.accept([Save(page=raw_page("ferry", {"content": "The ferry leaves at nine."}))])
        services.indexing.indexer.sync_pages()
        yield services


def ask(services: Services, question: str) -> str:
    """Ask as a visitor does; returns the answer's id."""
    client = create_app(services=services).test_client()
    response = client.post("/api/chat", json={"question": question})
    assert response.status_code == 200
    assert response.text  # to its end
    return services.feature(QuestionServices).questions.newest().questions[0].id


def vectors(services: Services) -> dict[str, bytes]:
    with reading(services.engine) as connection:
        rows = connection.execute(select(answer_records))
        return {row.answer: row.vector for row in rows if row.vector is not None}


def set_outcome(services: Services, answer: str, outcome: str, **document: object) -> None:
    """Make an answer one with this outcome, and with these values in its document."""
    with writing(services.engine) as connection:
        [kept] = connection.execute(select(answers.c.document).where(answers.c.id == answer)).scalars()
        told = {"document": json.dumps({**json.loads(kept), **document})}
        connection.execute(update(answers).where(answers.c.id == answer).values(told))
        of_answer = questions.c.answer == answer
        connection.execute(update(questions).where(of_answer).values(outcome=outcome, language="de"))


def regrouped(services: Services, **chosen: str) -> QuestionGroupsDocument:
    services.feature(QuestionServices).groups.request()
    services.background.features.run_lane("idle", never)
    return services.feature(QuestionServices).gaps.listed(**chosen)  # type: ignore[arg-type]


def test_the_vector_of_a_question_is_kept_in_half_the_size(services: Services) -> None:
    answer = ask(services, FERRY)
    kept = read_vector(vectors(services)[answer])
    embedded = services.indexing.embedder.embed_query(FERRY)
    assert len(vectors(services)[answer]) == embedded.nbytes // 2
    assert kept is not None
    assert float(kept @ embedded) > 0.999


def test_no_vector_is_kept_of_a_question_that_tells_who_asked(services: Services) -> None:
    ask(services, "When does the ferry leave? Tell otter@otterfurt.example please")
    assert vectors(services) == {}


def test_a_vector_is_deleted_with_its_question(services: Services) -> None:
    answer = ask(services, FERRY)
    regrouped(services)
    conversation = services.chat.conversations.answer("default", answer).conversation
    services.chat.conversations.delete("default", conversation)
    with reading(services.engine) as connection:
        assert connection.execute(select(answer_records)).all() == []
        assert connection.execute(select(question_groups)).all() == []
    assert services.feature(QuestionServices).gaps.listed().groups == []


def test_equal_questions_are_one_group_and_others_are_not(services: Services) -> None:
    for question in (FERRY, FERRY, FERRY.upper(), POOL):
        ask(services, question)
    found = regrouped(services)
    assert [(group.count, group.question.lower()) for group in found.groups] == [
        (3, FERRY.lower()),
        (1, POOL.lower()),
    ]
    assert (found.questions, found.left, found.requested) == (4, 0, False)
    assert found.made_at is not None
    [first, second] = found.groups
    members = services.feature(QuestionServices).questions.all(QuestionFilter(group=first.number))
    assert {each.question for each in members} == {FERRY, FERRY.upper()}
    assert second.unanswered in (0, 1)


def test_questions_about_one_missing_word_are_one_group(services: Services) -> None:
    asked = {
        "Wo stelle ich einen Bauantrag?": ["Bauantrag"],
        "Wie lange dauern in Otterfurt eigentlich Bauanträge?": ["Bauanträge"],
        "Wann ist das Hallenbad im Winter offen?": ["Hallenbad"],
        "Welche Fähre legt am Sonntag ab?": [],
    }
    for question, absent in asked.items():
        set_outcome(services, ask(services, question), "doubtful", absent_words=absent)
    served = ask(services, "Wer darf einen Bauantrag unterschreiben?")
    set_outcome(services, served, "answered", absent_words=["Bauantrag"])
    found = regrouped(services)
    assert sorted(group.count for group in found.groups) == [1, 1, 1, 2]
    [building] = (group for group in found.groups if group.count == 2)
    members = services.feature(QuestionServices).questions.all(QuestionFilter(group=building.number))
    assert {each.question for each in members} == {*list(asked)[:2]}


def test_the_name_of_a_group_goes_with_its_question(services: Services) -> None:
    answers = [ask(services, FERRY), ask(services, FERRY)]
    regrouped(services)
    conversation = services.chat.conversations.answer("default", answers[1]).conversation
    services.chat.conversations.delete("default", conversation)
    [group] = services.feature(QuestionServices).gaps.listed().groups
    assert (group.count, group.question) == (1, FERRY)


def test_questions_without_a_vector_are_embedded_then(services: Services) -> None:
    answer = ask(services, "ferry")  # searched by words alone
    assert vectors(services) == {}
    assert regrouped(services).questions == 1
    assert vectors(services).keys() == {answer}


def test_small_talk_is_in_no_group(services: Services) -> None:
    ask(services, "Hello!")
    assert regrouped(services).groups == []


def test_a_site_has_groups_of_its_own_questions_alone(services: Services) -> None:
    ask(services, FERRY)
    regrouped(services)
    assert len(services.feature(QuestionServices).gaps.listed(sites=["default"]).groups) == 1
    assert services.feature(QuestionServices).gaps.listed(sites=["other"]).groups == []


def test_nothing_is_grouped_before_it_is_asked_for_or_while_a_page_is_due(services: Services) -> None:
    ask(services, FERRY)
    services.background.features.run_lane("idle", never)
    assert services.feature(QuestionServices).gaps.listed().made_at is None
    services.store.accept([Save(page=raw_page("pool", {"content": "The pool opens at nine."}))])
    assert regrouped(services).made_at is None
    services.indexing.indexer.sync_pages()
    services.background.features.run_lane("idle", never)
    assert services.feature(QuestionServices).gaps.listed().made_at is not None


def test_questions_are_grouped_every_night(services: Services) -> None:
    services.background.delete_expired()
    assert services.feature(QuestionServices).groups.is_requested()


def test_vectors_of_another_embedder_do_not_count(services: Services) -> None:
    answer = ask(services, FERRY)
    groups = services.feature(QuestionServices).groups
    assert [each.vector is None for each in groups.candidates("another")] == [True]
    groups.keep_vectors(
        "another", {answer: np.ones(4, dtype=np.float32), "gone": np.ones(4, dtype=np.float32)}
    )
    assert isinstance(services.feature(QuestionServices).grouping, GroupingStep)
    assert [each.vector is None for each in groups.candidates("another")] == [False]
    assert regrouped(services).questions == 1


def test_groups_are_asked_for_and_listed_by_http(services: Services) -> None:
    ask(services, FERRY)
    client = create_app(services=services).test_client()
    url = "/api/admin/questions/groups"
    asked = client.post(url, headers=BEARER)
    assert (asked.status_code, (asked.json or {})["requested"]) == (202, True)
    services.background.features.run_lane("idle", never)
    listed = client.get(f"{url}?site=default", headers=BEARER).json or {}
    [group] = listed["groups"]
    assert (group["question"], group["count"], listed["next"]) == (FERRY, 1, None)
    members = client.get(f"/api/admin/questions?group={group['number']}", headers=BEARER).json or {}
    assert [each["question"] for each in members["questions"]] == [FERRY]
    assert client.get(f"{url}?after=x", headers=BEARER).status_code == 400
    assert client.get(f"{url}?site=nobody", headers=BEARER).status_code == 400
    assert client.post(url).status_code == 401


def test_groups_come_in_pages(services: Services) -> None:
    for question in (FERRY, FERRY, POOL, "Who is the mayor of this lovely old town?"):
        ask(services, question)
    whole = regrouped(services)
    first = services.feature(QuestionServices).gaps.listed(limit=1)
    second = services.feature(QuestionServices).gaps.listed(limit=2, after=first.next)
    assert [*first.groups, *second.groups] == whole.groups
    assert second.next is None


def test_a_text_in_the_place_of_a_vector_ends_no_grouping(services: Services) -> None:
    for question in (FERRY, POOL):
        ask(services, question)
    with services.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE answer_records SET vector = 'a text, not a vector'")
    assert [group.count for group in regrouped(services).groups] == [2]  # both have the same
