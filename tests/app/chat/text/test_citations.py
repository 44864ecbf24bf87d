"""The grammar of citations, whatever way the answer is cut into deltas."""

import itertools
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.chat.text.citations import HELD_CHARACTERS, CitationFilter

KNOWN = {1, 2, 3, 12}
ALPHABET = st.sampled_from(
    [
        *list("12390 [],;-–`~\\\n(:ab_.é［］，"),
        *("[1]", " [9]", "[1, 2]", "```\n", "[10, 11, 12, 13]", "[1 und 2]", " [1,", "    ", "\n\n", "- "),
        *("(Quelle 1)", "[Source 2", "[^1]", " (source", "Sources ", "quelle", ")", "^"),
    ]
)
TEXTS = st.lists(ALPHABET, max_size=40).map("".join)
WORDS = st.sampled_from(["Ab.", "ü,", "x\n\n", "é:\n", "!", "`y [9]`", "so (so).", "und –"])
NUMBERS = st.one_of(
    st.integers(1, 15).map(lambda n: (n, n)), st.tuples(st.integers(1, 15), st.integers(1, 15))
)
BETWEEN = st.sampled_from([", ", ",", "; ", " und ", ", and ", " et ", "，", "、", "\n& "])
CITATIONS = st.lists(st.tuples(NUMBERS, BETWEEN, st.sampled_from("-–—")), min_size=1, max_size=3)


def filtered(text: str) -> tuple[str, list[int]]:
    citations = CitationFilter(KNOWN)
    return citations.feed(text) + citations.close(), citations.cited


@pytest.mark.parametrize(
    ("text", "expected", "cited"),
    [
        ("Open on Monday [1].", "Open on Monday [1].", [1]),
        ("First [2], then [1], again [2].", "First [2], then [1], again [2].", [2, 1]),
        ("Both [1][2].", "Both [1][2].", [1, 2]),
        ("All [1-3].", "All [1, 2, 3].", [1, 2, 3]),
        ("All [2–1].", "All [2, 1].", [2, 1]),
        ("All [1‑3].", "All [1, 2, 3].", [1, 2, 3]),
        ("All [1 — 2, 12].", "All [1, 2, 12].", [1, 2, 12]),
        ("All [1-99].", "All [1, 2, 3, 12].", [1, 2, 3, 12]),
        ("Both [1 , 3].", "Both [1, 3].", [1, 3]),
        ("Both [1,2].", "Both [1, 2].", [1, 2]),
        ("Both [1; 2].", "Both [1, 2].", [1, 2]),
        ("Both [1\u202fund\xa02].", "Both [1, 2].", [1, 2]),
        ("Three [1, 2, and 3].", "Three [1, 2, 3].", [1, 2, 3]),
        ("Both [1 & 2].", "Both [1, 2].", [1, 2]),
        ("Both [1 et 2].", "Both [1, 2].", [1, 2]),
        ("Over lines [1,\n2].", "Over lines [1, 2].", [1, 2]),
        ("费用是96欧元［１，２］。", "费用是96欧元[1, 2]。", [1, 2]),
        ("费用是96欧元【1】。", "费用是96欧元[1]。", [1]),
        ("Known and not [1, 9].", "Known and not [1].", [1]),
        ("Partly known [2-5].", "Partly known [2, 3].", [2, 3]),
        ("Long [10, 11, 12, 13].", "Long [12].", [12]),
        ("Longer [1, 2, 3, 12, 13, 14, 15, 16].", "Longer [1, 2, 3, 12].", [1, 2, 3, 12]),
        ("Worded [Quelle 1].", "Worded [1].", [1]),
        ("Worded [Source 2, Source 3].", "Worded [2, 3].", [2, 3]),
        ("Worded (Source 1).", "Worded [1].", [1]),
        ("Worded (Quellen 1 und 3).", "Worded [1, 3].", [1, 3]),
        ("Worded (Quelle: 1)\nNext.", "Worded [1]\nNext.", [1]),
        ("Worded [SOURCES 1-3].", "Worded [1, 2, 3].", [1, 2, 3]),
        ("Like a note [^1][^2].", "Like a note [1][2].", [1, 2]),
        ("Unknown (Quelle 9) and [^8].", "Unknown and.", []),
        ("Cut short [Quel", "Cut short", []),
        ("Not cut (Quel", "Not cut (Quel", []),
        ("Only a number (1) or (3).", "Only a number (1) or (3).", []),
        ("Ours [Quelle im Park] (Source of it).", "Ours [Quelle im Park] (Source of it).", []),
        ("Mixed (Quelle 1] and [Quelle 1).", "Mixed (Quelle 1] and [Quelle 1).", []),
        ("a note [^1](https://example.org)", "a note [^1](https://example.org)", []),
        ("No such source [9].", "No such source.", []),
        ("Nor these [9] [8-9]!", "Nor these!", []),
        ("[7] at the start", " at the start", []),
        ("[1]: 96 Euro", "[1]: 96 Euro", [1]),
        ("As said in [2]:\n\n- so", "As said in [2]:\n\n- so", [2]),
        ("As said in [9]:", "As said in:", []),
        ("Cut short [1, ", "Cut short", []),
        ("Cut short [1 un", "Cut short", []),
        ("Cut short [", "Cut short", []),
        ("Cut short [1,\n\nNext [2].", "Cut short\n\nNext [2].", [2]),
        ("array[1] is code-like", "array[1] is code-like", []),
        ("an_[9] too", "an_[9] too", []),
        ("a [1](https://example.org) link", "a [1](https://example.org) link", []),
        (r"escaped \[9] bracket", r"escaped \[9] bracket", []),
        ("a year [2024]", "a year [2024]", []),
        ("two figures [1 2]", "two figures [1 2]", []),
        ("other words [1 undo 2]", "other words [1 undo 2]", []),
        ("two blocks [1,\n\n2]", "two blocks\n\n2]", []),
        ("not digits [a] []", "not digits [a] []", []),
        ("span `x [9]` and [1]", "span `x [9]` and [1]", [1]),
        ("``x ` [9]`` and [1]", "``x ` [9]`` and [1]", [1]),
        ("escaped \\` tick [9].", "escaped \\` tick.", []),
        ("open `span [9]\n\nnext [9].", "open `span [9]\n\nnext.", []),
        ("```py\nx = [9]\n```\nSo [1].", "```py\nx = [9]\n```\nSo [1].", [1]),
        ("~~~\n[9] ```\n~~~\nSo [1].", "~~~\n[9] ```\n~~~\nSo [1].", [1]),
        ("````\n```\n[9]\n````\nSo [1].", "````\n```\n[9]\n````\nSo [1].", [1]),
        ("So:\n\n    x = [1,9]\n\n\ty = [9]\n\nSo [9].", "So:\n\n    x = [1,9]\n\n\ty = [9]\n\nSo.", []),
        ("- So\n\n    and so [1,9].", "- So\n\n    and so [1].", [1]),
        ("So it is\n    in one paragraph [1,9].", "So it is\n    in one paragraph [1].", [1]),
    ],
)
def test_a_citation_is_kept_reduced_or_removed(text: str, expected: str, cited: list[int]) -> None:
    assert filtered(text) == (expected, cited)


@given(text=TEXTS, cuts=st.sets(st.integers(0, 80)))
@example(text="A [1].", cuts={2, 3, 4, 5})
def test_any_split_into_deltas_gives_the_same_answer(text: str, cuts: set[int]) -> None:
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(text)), len(text)]
    citations = CitationFilter(KNOWN)
    pieces = [citations.feed(text[start:end]) for start, end in itertools.pairwise(bounds)]
    assert ("".join(pieces) + citations.close(), citations.cited) == filtered(text)


@given(text=TEXTS)
def test_at_most_forty_characters_are_held_back(text: str) -> None:
    citations = CitationFilter(set(range(100)))
    passed = 0
    for position, character in enumerate(text, start=1):
        passed += len(citations.feed(character))
        assert position - passed <= HELD_CHARACTERS


@given(parts=st.lists(st.tuples(WORDS, st.sampled_from(["", " "]), CITATIONS), max_size=6))
def test_an_answer_gains_and_loses_nothing_but_citations(
    parts: list[tuple[str, str, list[tuple[tuple[int, int], str, str]]]],
) -> None:
    text = expected = ""
    for word, space, items in parts:
        numbers: dict[int, None] = {}
        body = ""
        for (first, last), between, dash in items:
            body += (between if body else "") + (str(first) if first == last else f"{first}{dash}{last}")
            numbers |= dict.fromkeys(
                range(first, last + 1) if first <= last else [first, *range(last, first)]
            )
        kept = ", ".join(str(number) for number in numbers if number in KNOWN)
        text += f"{word}{space}[{body}]"
        expected += word + (f"{space}[{kept}]" if kept else "")
    assert filtered(text + ".")[0] == expected + "."


@given(text=TEXTS)
def test_what_has_no_brackets_passes_unchanged(text: str) -> None:
    plain = re.sub(r"[\[［(]", "", text)
    assert filtered(plain) == (plain, [])


@given(text=st.text(alphabet="12390 [],-–(:ab.\n", max_size=40))
def test_outside_code_it_does_what_one_regular_expression_over_the_whole_would(text: str) -> None:
    def single(match: re.Match[str]) -> str:
        return match[0] if int(match[1]) in KNOWN else ""

    brackets = re.findall(r"\[[^\[\]]*(?:\]|\Z)", text)
    assume(not any(re.search(r"[,–-]|\s*\Z", bracket[:-1]) for bracket in brackets))
    expected = re.sub(r"(?: |(?<!\w))\[([0-9]{1,2})\](?!\()", single, text)
    assert filtered(text)[0] == expected
