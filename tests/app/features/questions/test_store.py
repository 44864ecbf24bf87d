"""The list of what was asked, in every database."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, update

from app.chat.conversations import AnswerRecord, Conversations
from app.chat.feedback import Feedback
from app.chat.outcomes import GAPS, Outcome
from app.chat.stored import RUNNING_TIMEOUT
from app.errors import InputError, NotFoundError
from app.features.questions.filter import QuestionFilter
from app.features.questions.store import READ_BATCH, QuestionDocument, Questions
from app.pages.database import open_engine
from app.pages.question_tables import answers
from ingest.types import PageRef
from tests.contracts.conftest import NewDatabase, new_database
from tests.contracts.page_store.helpers import NOON, Clock

__all__ = ["new_database"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(new_database: NewDatabase) -> Engine:
    return open_engine(new_database())


@pytest.fixture
def kept(engine: Engine, clock: Clock) -> Conversations:
    return Conversations(engine, clock)


@pytest.fixture
def given(engine: Engine, clock: Clock) -> Feedback:
    return Feedback(engine, clock)


@pytest.fixture
def questions(engine: Engine, clock: Clock) -> Questions:
    return Questions(engine, clock)


def answered(
    kept: Conversations, question: str, status: str = "answered", site: str = "town", **more: Any
) -> str:
    begun = kept.begin(site, question)
    document: Mapping[str, Any] = {"answer": "A.", "status": status, "sources": [], "citations": []}
    kept.finish(begun.answer, {**document, **more})
    return begun.answer


def asked(questions: Questions, **chosen: Any) -> list[str]:
    return [each.question for each in found(questions, **chosen)]


def found(questions: Questions, **chosen: Any) -> list[QuestionDocument]:
    return list(questions.all(QuestionFilter(**chosen)))


def citing(page: str) -> AnswerRecord:
    """The record of an answer whose first source is a page."""
    page_of = {"source": "town", "id": page, "language": "en"}
    pages = [page_of | {"number": 1}, page_of | {"id": "other", "number": 2}, page_of | {"number": None}]
    return AnswerRecord(provenance={"pages": pages})


def test_a_question_is_listed_with_its_answers_end_and_cited_sources(
    kept: Conversations, questions: Questions
) -> None:
    sources = [
        {"number": 1, "url": "https://otter.example/1"},
        {"number": 2, "url": "https://otter.example/2"},
        {"number": None, "url": "https://otter.example/unread"},
    ]
    answer = answered(
        kept, "Is a@otter.example yours?", "partly", sources=sources, citations=[2], degraded=["time_dropped"]
    )
    [row] = questions.all()
    assert row.to_json() == {
        "id": answer,
        "asked_at": NOON.isoformat(timespec="seconds"),
        "site": "town",
        "language": "",
        "question": "Is [e-mail] yours?",
        "outcome": "doubtful",
        "status": "partly",
        "answer": "A.",
        "sources": ["https://otter.example/2"],
        "degraded": ["time_dropped"],
        "rating": "",
        "comment": "",
    }


def test_an_answer_that_nobody_finished_is_running_then_interrupted(
    kept: Conversations, questions: Questions, clock: Clock
) -> None:
    kept.begin("town", "Q?")
    assert [row.status for row in questions.all()] == ["running"]
    clock.advance(RUNNING_TIMEOUT.total_seconds() + 1)
    assert [row.status for row in questions.all()] == ["interrupted"]


def test_times_are_told_in_whole_seconds(kept: Conversations, questions: Questions, clock: Clock) -> None:
    clock.advance(0.123456)
    answered(kept, "Q?")
    [row] = questions.all()
    assert row.to_json()["asked_at"] == NOON.isoformat(timespec="seconds")


def test_questions_are_chosen_by_site_outcome_and_moment(
    kept: Conversations, given: Feedback, questions: Questions, clock: Clock
) -> None:
    rated = answered(kept, "Rated?")
    given.give("town", rated, "up")
    for status in ("no_answer", "out_of_scope", "greeting", "interrupted", "extractive"):
        answered(kept, status, status)
    clock.advance(60)
    answered(kept, "Elsewhere?", "no_answer", "other")
    in_town = ["Rated?", "no_answer", "out_of_scope", "greeting", "interrupted", "extractive"]
    assert sorted(asked(questions)) == sorted(["Elsewhere?", *in_town])
    assert sorted(asked(questions, site="town", outcomes=GAPS)) == ["no_answer"]
    assert sorted(asked(questions, outcomes=("other",))) == ["greeting", "out_of_scope"]
    assert asked(questions, outcomes=("unfinished",)) == ["interrupted"]
    assert asked(questions, rating="any") == asked(questions, rating="up") == ["Rated?"]
    assert asked(questions, rating="down") == []
    assert len(asked(questions, rating="none")) == 6
    for moment in (NOON + timedelta(seconds=1), NOON + timedelta(seconds=60)):
        assert asked(questions, since=moment) == ["Elsewhere?"]
    assert sorted(asked(questions, until=NOON)) == sorted(in_town)
    assert asked(questions, site="nobody") == []


@pytest.mark.parametrize(("certainty", "outcome"), [("sure", "answered"), ("near", "doubtful")])
def test_passages_that_only_come_near_are_no_full_answer(
    kept: Conversations, questions: Questions, certainty: str, outcome: Outcome
) -> None:
    begun = kept.begin("town", "Q?")
    document = {
        "answer": "A.",
        "status": "extractive",
        "sources": [],
        "citations": [],
        "certainty": certainty,
    }
    kept.finish(begun.answer, document, record=AnswerRecord(language="en"))
    assert asked(questions, outcomes=[outcome], language="en") == ["Q?"]
    assert asked(questions, language="de") == []


def test_an_answer_whose_model_failed_is_doubtful_and_one_that_nobody_waited_for_is_not(
    kept: Conversations, questions: Questions
) -> None:
    answered(kept, "Left?", "interrupted")
    answered(kept, "Model?", "interrupted", degraded=["model_unavailable"])
    assert asked(questions, outcomes=("doubtful",)) == ["Model?"]


def test_questions_are_found_by_their_words_in_any_case(kept: Conversations, questions: Questions) -> None:
    for question in ("Wann ÖFFNET das Bad?", "Was kostet das Bad?", "100% Rabatt?", "1000 Rabatte?"):
        answered(kept, question)
    assert asked(questions, text="bad öffnet") == ["Wann ÖFFNET das Bad?"]
    assert asked(questions, text="0% rabatt") == ["100% Rabatt?"]
    assert asked(questions, text="b_d") == []


def test_questions_of_sites_that_the_reader_may_not_see_do_not_exist(
    kept: Conversations, questions: Questions
) -> None:
    own, other = answered(kept, "Own?"), answered(kept, "Other?", site="other")
    assert asked(questions, sites=["town"]) == ["Own?"]
    assert asked(questions, sites=[]) == asked(questions, sites=["town"], site="other") == []
    assert questions.counts(QuestionFilter(sites=["town"])).sites == {"town": 1}
    assert questions.stored(own, sites=["town"]).record.question == "Own?"
    with pytest.raises(NotFoundError):
        questions.stored(other, sites=["town"])


def test_counts_tell_what_each_other_choice_would_find(
    kept: Conversations, given: Feedback, questions: Questions
) -> None:
    for status, site in (("answered", "town"), ("no_answer", "town"), ("no_answer", "other")):
        answer = answered(kept, "Q?", status, site)
    given.give("other", answer, "down")
    assert questions.counts().to_json() == {
        "total": 3,
        "sites": {"town": 2, "other": 1},
        "outcomes": {"unanswered": 2, "answered": 1},
        "languages": {"": 3},
        "ratings": {"none": 2, "down": 1},
    }
    chosen = QuestionFilter(site="town", outcomes=["unanswered"])
    assert questions.counts(chosen).to_json() == {
        "total": 1,
        "sites": {"town": 1, "other": 1},
        "outcomes": {"unanswered": 1, "answered": 1},
        "languages": {"": 1},
        "ratings": {"none": 1},
    }
    assert questions.counts(QuestionFilter(rating="down")).to_json() == {
        "total": 1,
        "sites": {"other": 1},
        "outcomes": {"unanswered": 1},
        "languages": {"": 1},
        "ratings": {"none": 2, "down": 1},
    }


def test_many_questions_come_once_each_the_newest_first(
    kept: Conversations, questions: Questions, clock: Clock
) -> None:
    for number in range(READ_BATCH + 20):
        kept.begin("town", f"Q{number}")
        clock.advance(number % 3 == 0)
    rows = list(questions.all())
    assert len({row.question for row in rows}) == len(rows) == READ_BATCH + 20
    assert [row.asked_at for row in rows] == sorted((row.asked_at for row in rows), reverse=True)


def test_a_page_of_the_list_continues_the_one_before_though_questions_came_meanwhile(
    kept: Conversations, questions: Questions, clock: Clock
) -> None:
    for number in range(5):
        answered(kept, f"Q{number}")
        clock.advance(1.5)
    first = questions.newest(limit=2)
    answered(kept, "Meanwhile?")
    second = questions.newest(after=first.next, limit=3)
    shown = [each.question for page in (first, second) for each in page.questions]
    assert (shown, second.next) == (["Q4", "Q3", "Q2", "Q1", "Q0"], None)


@pytest.mark.parametrize("cursor", ["", "x", "1", "1-", "-1-a", "1-a\n", f"{10**17}-a", "١-a"])
def test_what_is_no_cursor_is_refused(questions: Questions, cursor: str) -> None:
    with pytest.raises(InputError, match="cursor"):
        questions.newest(after=cursor)


def test_a_deleted_conversation_leaves_no_question(kept: Conversations, questions: Questions) -> None:
    answer = answered(kept, "Q?")
    kept.delete("town", kept.answer("town", answer).conversation)
    assert (asked(questions), questions.counts().total) == ([], 0)


def test_an_unknown_site_is_refused_with_the_names_of_those_that_are_known(
    kept: Conversations, questions: Questions
) -> None:
    with pytest.raises(InputError, match="'nobody': the settings name none"):
        questions.check("nobody", ())
    answered(kept, "Q?", site="gone")
    for site in ("town", "gone"):
        questions.check(site, ["town"])
    with pytest.raises(InputError, match="unknown site 'nobody': use one of gone, town"):
        questions.check("nobody", ["town"])


def test_the_questions_whose_answers_cite_a_page_are_found_until_they_are_deleted(
    kept: Conversations, questions: Questions
) -> None:
    def answer(question: str, page: str, *numbers: int) -> str:
        begun, document = kept.begin("town", question), {"answer": "A.", "status": "answered", "sources": []}
        kept.finish(begun.answer, document | {"citations": list(numbers)}, record=citing(page))
        return begun.conversation

    def cited(page: str, language: str = "en") -> set[str]:
        return set(asked(questions, cited=PageRef(source="town", id=page, language=language)))

    first = answer("First?", "pool", 1)
    answer("Second?", "pool", 1, 2)
    answer("Read, not cited?", "pool")
    answer("Another page?", "tax", 1)
    answered(kept, "Nothing is known of it?")
    assert cited("pool") == {"First?", "Second?"}
    assert cited("tax") == {"Another page?"}
    assert cited("other") == {"Second?"}
    assert cited("pool", "de") == cited("nothing") == set()
    assert questions.counts(QuestionFilter(cited=PageRef(source="town", id="pool", language="en"))).total == 2
    kept.delete("town", first)
    assert cited("pool") == {"Second?"}
    kept.expire({}, timedelta(hours=-1))
    assert cited("pool") == set()


@pytest.mark.parametrize("damaged", ["{x", "", "7", "{}", '{"answer": 7}', '{"answer": "", "sources": 7}'])
def test_a_question_whose_answer_is_damaged_is_listed_as_failed(
    kept: Conversations, questions: Questions, engine: Engine, damaged: str
) -> None:
    answer = answered(kept, "Where is the pool?")
    with engine.begin() as connection:
        connection.execute(update(answers).where(answers.c.id == answer).values(document=damaged))
    [row] = questions.all()
    assert (row.status, row.sources) == ("failed", [])
