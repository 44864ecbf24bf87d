"""What is kept of conversations, in every database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from app.chat.conversations import MAX_ANSWERS, Conversations, PendingAnswer
from app.chat.stored import RUNNING_TIMEOUT
from app.chat.types import CitedPage, Turn
from app.errors import ConflictError, NotFoundError
from app.pages.database import open_engine
from app.pages.question_tables import answers
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(new_database: NewDatabase, clock: Clock) -> Conversations:
    return Conversations(open_engine(new_database()), clock)


def answered(
    kept: Conversations,
    question: str,
    conversation: str | None = None,
    text: str = "Yes.",
    status: str = "answered",
) -> PendingAnswer:
    begun = kept.begin("town", question, conversation)
    kept.finish(begun.answer, document(text) | {"status": status})
    return begun


def document(text: str) -> dict[str, Any]:
    return {"answer": text, "status": "answered"}


def test_an_answer_is_kept_with_its_question(kept: Conversations) -> None:
    begun = kept.begin("town", "Is there a pool?\0")
    assert begun.history == ()
    assert kept.answer("town", begun.answer).document is None
    kept.finish(begun.answer, document("Yes \ud800 [1]."))
    stored = kept.answer("town", begun.answer)
    assert (stored.conversation, stored.question) == (begun.conversation, "Is there a pool?\ufffd")
    assert stored.document is not None
    assert stored.document["status"] == "answered"


@pytest.mark.parametrize("damaged", ["{x", "", "7", "{}", '{"answer": 7}', '{"answer": "", "sources": 7}'])
def test_an_answer_that_cannot_be_read_has_failed_and_the_conversation_continues(
    kept: Conversations, damaged: str
) -> None:
    first = answered(kept, "Where is the pool?")
    answered(kept, "Is it open?", first.conversation, text="Yes [1].")
    with kept._engine.begin() as connection:
        lost = update(answers).where(answers.c.id == first.answer)
        connection.execute(lost.values(document=damaged))
    told = kept.answers("town", first.conversation)
    assert [(answer.status, answer.document is None) for answer in told] == [
        ("failed", True),
        ("answered", False),
    ]
    history = kept.begin("town", "Until when?", first.conversation).history
    assert [turn.content for turn in history] == ["Is it open?", "Yes [1]."]


def test_a_conversation_continues_with_what_was_said(kept: Conversations) -> None:
    first = answered(kept, "Where is the pool?", text="At the lake [1].")
    second = kept.begin("town", "And when is it open?", first.conversation)
    assert second.conversation == first.conversation
    assert second.history == (
        Turn(role="user", content="Where is the pool?"),
        Turn(role="assistant", content="At the lake [1]."),
    )


def test_the_history_says_how_each_answer_ended(kept: Conversations) -> None:
    ended = {"answered": "answered", "partly": "partly", "no_answer": "none", "out_of_scope": "outside"}
    statuses = [*ended, "extractive", "unverified"]
    conversation = None
    for status in statuses:
        conversation = answered(kept, "Q?", conversation, status=status).conversation
    history = kept.begin("town", "And?", conversation).history
    verdicts = [turn.verdict for turn in history if turn.role == "assistant"]
    assert verdicts == [ended.get(status, "partly") for status in statuses]


def test_the_history_says_which_pages_an_answer_cites(kept: Conversations) -> None:
    pool = {"number": 1, "id": "pool", "url": "https://town.example/pool", "title": "Pool"}
    sources = [
        pool,
        pool | {"number": 2, "id": "bus"},
        pool | {"number": None, "id": "lake"},
        7,
        {"number": 1},
    ]
    begun = kept.begin("town", "Is there a pool?")
    kept.finish(begun.answer, document("Yes [1].") | {"sources": sources, "citations": [1]})
    _, answer = kept.begin("town", "And a sauna?", begun.conversation).history
    assert answer.cited == (CitedPage(id="pool", url="https://town.example/pool"),)


def test_only_the_last_exchanges_are_returned_and_none_that_broke_off(
    kept: Conversations, clock: Clock
) -> None:
    begun = answered(kept, "Question 0")
    for number in range(1, 12):
        answered(kept, f"Question {number}", begun.conversation)
    kept.begin("town", "Broken off", begun.conversation)
    clock.advance(RUNNING_TIMEOUT.total_seconds())
    history = kept.begin("town", "And now?", begun.conversation).history
    assert [turn.content for turn in history if turn.role == "user"] == [
        f"Question {n}" for n in range(2, 12)
    ]


def test_ids_cannot_be_guessed(kept: Conversations) -> None:
    begun = [kept.begin("town", "Q?") for _ in range(20)]
    ids = {id_ for each in begun for id_ in (each.answer, each.conversation)}
    assert len(ids) == 40
    assert {len(id_) for id_ in ids} == {22}


def test_another_site_knows_nothing_of_it(kept: Conversations) -> None:
    begun = answered(kept, "Q?")
    for tried in (
        lambda: kept.begin("other", "Q?", begun.conversation),
        lambda: kept.answer("other", begun.answer),
        lambda: kept.delete("other", begun.conversation),
        lambda: kept.begin("town", "Q?", begun.answer),
        lambda: kept.answer("town", begun.conversation),
        lambda: kept.delete("town", "' OR 1=1 --"),
    ):
        with pytest.raises(NotFoundError):
            tried()
    assert kept.answer("town", begun.answer)


def test_a_second_question_waits_for_the_first_ones_answer(kept: Conversations, clock: Clock) -> None:
    begun = kept.begin("town", "Q?")
    with pytest.raises(ConflictError):
        kept.begin("town", "And?", begun.conversation)
    kept.finish(begun.answer, document("Yes."))
    again = kept.begin("town", "And?", begun.conversation)
    clock.advance(RUNNING_TIMEOUT.total_seconds() - 1)
    with pytest.raises(ConflictError):
        kept.begin("town", "Still?", again.conversation)
    clock.advance(1)
    assert kept.begin("town", "Still?", again.conversation)


def test_of_two_questions_at_once_one_is_answered(kept: Conversations) -> None:
    begun = answered(kept, "Q?")

    def ask(number: int) -> bool:
        try:
            kept.begin("town", f"Question {number}", begun.conversation)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(ask, range(8))) == [False] * 7 + [True]


def test_what_a_visitor_deletes_is_gone(kept: Conversations) -> None:
    begun, other = answered(kept, "Q?"), answered(kept, "Other?")
    running = kept.begin("town", "And?", begun.conversation)
    kept.delete("town", begun.conversation)
    kept.finish(running.answer, document("Too late."))
    for answer in (begun.answer, running.answer):
        with pytest.raises(NotFoundError):
            kept.answer("town", answer)
    assert kept.answer("town", other.answer)


def test_what_was_not_used_for_the_retention_is_forgotten_on_its_site(
    kept: Conversations, clock: Clock
) -> None:
    old, used, other = answered(kept, "Old?"), answered(kept, "Used?"), kept.begin("other", "Other?")
    clock.advance(86_400)
    answered(kept, "Still?", used.conversation)
    clock.advance(86_400)
    assert kept.expire({"town": timedelta(days=1.5)}, otherwise=timedelta(days=9)) == 1
    with pytest.raises(NotFoundError):
        kept.answer("town", old.answer)
    assert kept.answer("town", used.answer)
    assert kept.answer("other", other.answer)


def test_conversations_of_sites_that_are_gone_do_not_stay(kept: Conversations, clock: Clock) -> None:
    gone = answered(kept, "Anybody?")
    clock.advance(2 * 86_400)
    assert kept.expire({"other": timedelta(days=9)}, otherwise=timedelta(days=1)) == 1
    with pytest.raises(NotFoundError):
        kept.answer("town", gone.answer)


def test_all_that_was_said_can_be_read_again(kept: Conversations) -> None:
    first = answered(kept, "Where is the pool?")
    kept.begin("town", "And when is it open?", first.conversation)
    said = kept.answers("town", first.conversation)
    assert [(each.question, each.status) for each in said] == [
        ("Where is the pool?", "answered"),
        ("And when is it open?", "running"),
    ]
    with pytest.raises(NotFoundError):
        kept.answers("other", first.conversation)


def test_after_a_stop_the_conversation_continues_and_what_still_comes_is_kept(kept: Conversations) -> None:
    first = kept.begin("town", "Where is the pool?")
    kept.stop("town", first.answer)
    assert kept.answer("town", first.answer).status == "interrupted"
    kept.begin("town", "And the bus?", first.conversation)
    kept.finish(first.answer, {"answer": "At the", "status": "interrupted"})
    assert kept.answer("town", first.answer).document == {"answer": "At the", "status": "interrupted"}


def test_only_its_own_site_can_stop_an_answer(kept: Conversations) -> None:
    first = kept.begin("town", "Where is the pool?")
    with pytest.raises(NotFoundError):
        kept.stop("other", first.answer)
    with pytest.raises(ConflictError):
        kept.begin("town", "And the bus?", first.conversation)


def test_an_answer_that_nobody_finished_counts_as_broken_off(kept: Conversations, clock: Clock) -> None:
    first = kept.begin("town", "Where is the pool?")
    assert kept.answer("town", first.answer).status == "running"
    clock.advance(RUNNING_TIMEOUT.total_seconds() + 1)
    assert kept.answer("town", first.answer).status == "interrupted"


def test_an_answer_that_could_not_be_started_leaves_nothing(kept: Conversations) -> None:
    first = answered(kept, "Where is the pool?")
    kept.discard(kept.begin("town", "And when?", first.conversation))
    assert len(kept.answers("town", first.conversation)) == 1
    alone = kept.begin("town", "Anybody?")
    kept.discard(alone)
    with pytest.raises(NotFoundError):
        kept.answers("town", alone.conversation)


def test_a_sites_questions_of_a_day_are_counted_and_deleting_gives_none_back(
    kept: Conversations, clock: Clock
) -> None:
    assert answered(kept, "Yesterday?").questions_today == 1
    clock.advance(86_400)
    begun = answered(kept, "Today?")
    assert begun.questions_today == 1
    kept.delete("town", begun.conversation)
    assert kept.begin("town", "And?").questions_today == 2
    assert kept.begin("other", "Today?").questions_today == 1


def test_all_who_ask_at_once_are_counted_apart(kept: Conversations) -> None:
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda number: kept.begin("town", f"Question {number}?"), range(8)))
    assert sorted(each.questions_today for each in begun) == list(range(1, 9))


def test_thanks_are_not_what_a_follow_up_is_about(kept: Conversations) -> None:
    first = answered(kept, "Where is the pool?")
    thanks = kept.begin("town", "Thank you!", first.conversation)
    kept.finish(thanks.answer, {"answer": "You're welcome!", "status": "greeting"})
    third = kept.begin("town", "And the bus?", first.conversation)
    assert [turn.content for turn in third.history] == ["Where is the pool?", "Yes."]


def test_a_conversation_does_not_grow_without_end(kept: Conversations) -> None:
    first = answered(kept, "Where is the pool?")
    for number in range(1, MAX_ANSWERS):
        answered(kept, f"Question {number}?", first.conversation)
    with pytest.raises(NotFoundError, match="start a new one"):
        kept.begin("town", "One more?", first.conversation)
