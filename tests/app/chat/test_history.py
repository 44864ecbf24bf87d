"""How much of a conversation is passed on."""

from hypothesis import given
from hypothesis import strategies as st

from app.chat.history import TURN_CHARACTERS, TURNS, newest, recent
from app.chat.model.tokens import estimate
from app.chat.text.catalogue import texts
from app.chat.types import Turn

TURN_TEXTS = st.lists(st.text(alphabet="ab ü", max_size=1_000), max_size=10)


@given(texts=TURN_TEXTS, tokens=st.integers(-5, 2_000))
def test_the_newest_turns_fit(texts: list[str], tokens: int) -> None:
    history = [Turn(role="assistant" if len(text) % 2 else "user", content=text) for text in texts]
    kept = newest(history, tokens)
    assert sum(estimate(turn.content) for turn in kept) <= max(tokens, 0)
    said = [turn.content for turn in recent(history)[len(recent(history)) - len(kept) :]]
    assert [turn.content.removeprefix("STATUS: answered\n") for turn in kept] == said


def test_long_turns_are_shortened_at_a_word() -> None:
    [turn] = recent([Turn(role="user", content="word " * 500)])
    assert turn.content.endswith("word …")
    assert len(turn.content) <= TURN_CHARACTERS + 2
    assert len(recent([turn] * 20)) == TURNS


def test_answers_are_passed_on_without_citations() -> None:
    said = "It costs 96 Euro [1, 2]. `x[1]` stays [3]:"
    history = [Turn(role="user", content="What of [1]?"), Turn(role="assistant", content=said)]
    assert [turn.content for turn in recent(history)] == ["What of [1]?", "It costs 96 Euro. `x[1]` stays:"]


def test_answers_are_passed_on_without_marks_and_to_the_answering_model_below_their_status() -> None:
    history = [
        Turn(role="user", content="What is it?"),
        Turn(
            role="assistant",
            content="It is 99 [not found in the sources]. Es [nicht in den Quellen]",
            verdict="partly",
        ),
    ]
    assert recent(history)[1].content == "It is 99. Es"
    assert [turn.content for turn in newest(history, 100)] == ["What is it?", "STATUS: partly\nIt is 99. Es"]


def test_text_of_a_model_without_support_is_not_passed_on_but_the_passages_below_it_are() -> None:
    label = texts("en").unverified
    said = [f"Two hundred euros.\n\n{label}\n\n> It is nine. [1]", "It is two hun", "It is nine [1]."]
    turns = [
        Turn(role="assistant", content=said[0]),  # as clients send it that keep their conversations
        Turn(role="assistant", content=said[1], is_supported=False),
        Turn(role="assistant", content=said[2]),
    ]
    assert [turn.content for turn in recent(turns)] == [
        "> It is nine.",
        "The pages of this website do not answer this question.",
        "It is nine.",
    ]
