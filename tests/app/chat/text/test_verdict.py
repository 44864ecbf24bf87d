"""The status line is read and not shown, whatever way the answer is cut; everything else passes."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.text.verdict import HELD_CHARACTERS, Verdict, VerdictFilter

PIECES = st.sampled_from(
    [*" \n*`:.aTß\u200b", "STATUS", "Status", ": ", "answered", "teilweise", "none", "Außerhalb", "#", "[1]"]
)
TEXTS = st.lists(PIECES, max_size=20).map("".join)


def filtered(text: str) -> tuple[str, Verdict | None]:
    verdict = VerdictFilter()
    return verdict.feed(text) + verdict.close(), verdict.verdict


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("STATUS: answered", "answered"),
        ("STATUS: partly", "partly"),
        ("STATUS: none", "none"),
        ("STATUS: outside", "outside"),
        ("Status: Beantwortet", "answered"),
        ("STATUS: teilweise", "partly"),
        ("status: keine", "none"),
        ("STATUS: AUSSERHALB", "outside"),
        ("STATUS: außerhalb", "outside"),
        ("**STATUS:** `answered`", "answered"),
        ("[STATUS: partly]", "partly"),
        ("STATUS: <partly>", "partly"),
        ("answered", "answered"),
        ("**Teilweise:**", "partly"),
        ("„Status“ – teilweise.", "partly"),
        ("### STATUS = none", "none"),
        ("STATUS answered", "answered"),
        ("\n \nSTATUS: answered  \t", "answered"),
        ("\ufeffSTA\u200bTUS: answered\r", "answered"),
        ("STATUS:\nanswered", "answered"),
        ("---\nSTATUS: none", "none"),
    ],
)
@pytest.mark.parametrize("rest", ["The pool opens at 9 [1].", "", "**Bold** first\n\n- and a list"])
def test_the_status_line_is_read_and_not_shown(line: str, verdict: Verdict, rest: str) -> None:
    assert filtered(f"{line}\n\n{rest}") == (rest, verdict)


def test_a_status_line_may_stand_alone() -> None:
    assert filtered("STATUS: none") == ("", "none")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("STATUS: answered The pool opens at 9.", "The pool opens at 9."),
        ("**STATUS: answered.** **The pool** opens.", "**The pool** opens."),
        ("STATUS: teilweise\t9 Uhr", "9 Uhr"),
        ("STATUS: answered - The pool opens at 9.", "The pool opens at 9."),
        ("STATUS: answered – es kostet 9 Euro.", "es kostet 9 Euro."),
    ],
)
def test_after_a_label_in_capitals_the_answer_may_follow_on_the_line(text: str, answer: str) -> None:
    assert filtered(text)[0] == answer
    assert filtered(text)[1] is not None


@pytest.mark.parametrize(
    "text",
    [
        "Status: your application is being examined.",
        "Status: answered questions are listed below.",
        "Status: None of the applications was refused.",
        "STATUS: none of the applications was refused.",
        "STATUS: unknown\nText",
        "STATUS: answered or partly\nText",
        "STATUS:\nThe pool",
        "---\nThe pool\n",
        "The pool opens.\n\nStatus: open since May\n- answered\n",
        "The status: answered",
        "Stat",
        "  ",
        "\n\n  indented",
        "",
        f"STATUS: {' ' * HELD_CHARACTERS}answered",
        f"{' ' * HELD_CHARACTERS}STATUS: answered\nText",
    ],
)
def test_any_other_beginning_passes_untouched(text: str) -> None:
    assert filtered(text) == (text, None)


@pytest.mark.parametrize(
    ("text", "answer", "verdict"),
    [
        ("The pool opens [1].\n\nSTATUS: partly", "The pool opens [1].\n\n", "partly"),
        ("Nine [1].\n**Status:** beantwortet\n", "Nine [1].\n", "answered"),
        ("STATUS: none\nNothing.\n`STATUS: answered`", "Nothing.\n", "none"),
        ("Nine [1].\nSTATUS: answered\nDogs stay out.", "Nine [1].\nDogs stay out.", "answered"),
    ],
)
def test_a_status_line_farther_below_is_read_and_not_shown(text: str, answer: str, verdict: Verdict) -> None:
    assert filtered(text) == (answer, verdict)


@given(text=TEXTS, cuts=st.sets(st.integers(0, 80)))
@example(text="STATUS: answered\n\nThe pool.", cuts=set(range(30)))
def test_any_split_into_pieces_gives_the_same_answer(text: str, cuts: set[int]) -> None:
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(text)), len(text)]
    verdict = VerdictFilter()
    pieces = [verdict.feed(text[start:end]) for start, end in itertools.pairwise(bounds)]
    assert ("".join(pieces) + verdict.close(), verdict.verdict) == filtered(text)


@given(text=TEXTS)
def test_little_is_held_back_and_without_a_verdict_nothing_is_lost(text: str) -> None:
    verdict = VerdictFilter()
    passed = ""
    for position, character in enumerate(text, start=1):
        passed += verdict.feed(character)
        assert verdict.verdict or position - len(passed) <= HELD_CHARACTERS
    passed += verdict.close()
    assert verdict.verdict or passed == text
    assert set(passed.splitlines()) <= {
        line[at:] for line in text.splitlines() for at in range(len(line) + 1)
    }


def test_a_long_answer_in_small_pieces_takes_no_time_to_speak_of() -> None:
    verdict = VerdictFilter()
    assert sum(len(verdict.feed("*")) for _ in range(100_000)) == 100_000
