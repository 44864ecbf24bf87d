"""What of a model's reply becomes a context, and which replies are none."""

import pytest

from app.features.contexts.reply import MAX_CHARACTERS, ReplyError, context_of
from tests.attacks.payloads import PAYLOADS

GOOD = "From the page on the dog tax of Otterfurt; it concerns when the tax for a second dog is due."
TASK = "Write a short context in the language of the document, in one or two sentences without a line break."


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"  {GOOD}\n",
        f"Context: {GOOD}",
        f"**Kontext:** {GOOD}",
        f"Here is a short context for the passage: {GOOD}",
        f'"{GOOD}"',
        f"<think>The passage is about dogs.</think>{GOOD}",
        f"<context>{GOOD}</context>",
        GOOD.replace("dog tax", "**dog tax**").replace(";", ";\n\n"),
        GOOD.replace("dog tax", "[dog tax](https://evil.example/x)"),
        f"{GOOD} {GOOD} {GOOD[:40]}",
        f"{GOOD} https://evil.example/steal?x=1",
    ],
)
def test_a_context_is_a_line_of_plain_text(reply: str) -> None:
    assert context_of(reply, TASK) == GOOD


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("Context:", "empty"),
        ("<think>I never end", "empty"),
        ("I'm sorry, but I cannot help with that.", "refusal"),
        ("Sorry, the passage is not clear enough to me.", "refusal"),
        ("Es tut mir leid, dabei kann ich nicht helfen.", "refusal"),
        ("As an AI language model I do not write contexts.", "refusal"),
        (f"You asked me: {TASK}", "repeats the instructions"),
        ("the dog tax and " * 30, "turns in a circle"),
    ],
)
def test_what_is_no_context_is_told_with_a_reason(reply: str, reason: str) -> None:
    with pytest.raises(ReplyError) as raised:
        context_of(reply, TASK)
    assert raised.value.reason == reason


def test_a_context_has_a_bounded_length() -> None:
    words = " ".join(f"word{number}" for number in range(2_000))
    assert len(context_of(words, TASK)) <= MAX_CHARACTERS


def test_no_markup_comes_through() -> None:
    for payload in PAYLOADS:
        found = context_of(f"{GOOD} {payload.text}", TASK)
        assert not {"<", ">", "`"} & set(found)
        assert "://" not in found
