"""A reply in a JSON object or a fence is the answer within."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.unwrapping import HELD_CHARACTERS, ReplyFormFilter

PIECES = st.sampled_from(
    [
        *'{}"`\n \\a',
        "```",
        "```json\n",
        "```md\n",
        "STATUS",
        "Status: none\n",
        '"answer": ',
        '"status": "partly"',
        ", ",
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def unwrapped(text: str) -> str:
    form = ReplyFormFilter()
    return form.feed(text) + form.close()


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"status": "answered", "answer": "Nine [1]."}', "STATUS: answered\nNine [1]."),
        (
            '```json\n{"answer": "Nine\\n- \\"so\\" [1]", "status": "partly"}\n```',
            'STATUS: partly\nNine\n- "so" [1]',
        ),
        ('{"status": "none", "answer": ""}', "STATUS: none\n"),
        ('{"Status": "unknown", "Antwort": "Neun [1]."}', "Neun [1]."),
        ('{"status": "answered", "answer": "Cut sho', "STATUS: answered\nCut sho"),
        ('{"answer": "a bad \\u00 escape"}', "a bad \\u00 escape"),
        ("```\nSTATUS: answered\nNine [1].\n```", "STATUS: answered\nNine [1]."),
        ("```\nSTATUS: answered\n```\nNine [1].", "STATUS: answered\nNine [1]."),
        ("```text\nStatus: none\n```\n\nSo:\n```\nx\n```", "Status: none\n\nSo:\n```\nx\n```"),
        ("```markdown\n# Nine [1]\n```\n", "# Nine [1]\n"),
    ],
)
def test_what_is_within_is_the_reply(reply: str, answer: str) -> None:
    assert unwrapped(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Nine [1].",
        "STATUS: answered\nNine.",
        "```py\nx = [9]\n```\nSo [1].",
        "```\nstat\n```",
        "```unfinished",
        '{"other": "field"}',
        "{curly} text",
        "  {",
        "`code` first",
        f"```{'x' * HELD_CHARACTERS}\nSTATUS: none\n```",
    ],
)
def test_every_other_reply_passes_untouched(reply: str) -> None:
    assert unwrapped(reply) == reply


@given(text=TEXTS, cuts=st.sets(st.integers(0, 80)))
def test_any_split_into_pieces_gives_the_same_reply(text: str, cuts: set[int]) -> None:
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(text)), len(text)]
    form = ReplyFormFilter()
    pieces = [form.feed(text[start:end]) for start, end in itertools.pairwise(bounds)]
    assert "".join(pieces) + form.close() == unwrapped(text)
