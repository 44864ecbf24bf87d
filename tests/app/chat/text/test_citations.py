"""The grammar of citations, whatever way the answer is cut into deltas."""

import itertools
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.chat.text.citations import HELD_CHARACTERS, CitationFilter

KNOWN = {1, 2, 3, 12}
ALPHABET = st.sampled_from(
    [*list("12390 [],-–`~\\\n(:ab_.é"), "[1]", " [9]", "[1, 2]", "```\n", "[10, 11, 12, 13]"]
)
TEXTS = st.lists(ALPHABET, max_size=40).map("".join)


def filtered(text: str) -> tuple[str, list[int]]:
    citations = CitationFilter(KNOWN)
    return citations.feed(text) + citations.close(), citations.cited


@pytest.mark.parametrize(
    ("text", "expected", "cited"),
    [
        ("Open on Monday [1].", "Open on Monday [1].", [1]),
        ("First [2], then [1], again [2].", "First [2], then [1], again [2].", [2, 1]),
        ("All [1-3].", "All [1-3].", [1, 2, 3]),
        ("All [2–1].", "All [2–1].", [2, 1]),
        ("Both [1 , 3].", "Both [1 , 3].", [1, 3]),
        ("Over lines [1,\n2].", "Over lines [1,\n2].", [1, 2]),
        ("Known and not [1, 9].", "Known and not [1].", [1]),
        ("Partly known [2-5].", "Partly known [2, 3].", [2, 3]),
        ("Long [10, 11, 12, 13].", "Long [12].", [12]),
        ("No such source [9].", "No such source.", []),
        ("Nor these [9] [8-9]!", "Nor these!", []),
        ("[7] at the start", " at the start", []),
        ("array[1] is code-like", "array[1] is code-like", []),
        ("an_[9] too", "an_[9] too", []),
        ("a [1](https://example.org) link", "a [1](https://example.org) link", []),
        ("[9]: https://example.org", "[9]: https://example.org", []),
        (r"escaped \[9] bracket", r"escaped \[9] bracket", []),
        ("a year [2024]", "a year [2024]", []),
        ("a list [1, 2, 3, 12, 13]", "a list [1, 2, 3, 12, 13]", []),
        ("never closed [1", "never closed [1", []),
        ("not digits [a] []", "not digits [a] []", []),
        ("span `x [9]` and [1]", "span `x [9]` and [1]", [1]),
        ("``x ` [9]`` and [1]", "``x ` [9]`` and [1]", [1]),
        ("escaped \\` tick [9].", "escaped \\` tick.", []),
        ("open `span [9]\n\nnext [9].", "open `span [9]\n\nnext.", []),
        ("```py\nx = [9]\n```\nSo [1].", "```py\nx = [9]\n```\nSo [1].", [1]),
        ("~~~\n[9] ```\n~~~\nSo [1].", "~~~\n[9] ```\n~~~\nSo [1].", [1]),
        ("````\n```\n[9]\n````\nSo [1].", "````\n```\n[9]\n````\nSo [1].", [1]),
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
def test_at_most_sixteen_characters_are_held_back(text: str) -> None:
    citations = CitationFilter(set(range(100)))
    passed = 0
    for position, character in enumerate(text, start=1):
        passed += len(citations.feed(character))
        assert position - passed <= HELD_CHARACTERS


@given(text=TEXTS)
def test_what_is_no_citation_passes_unchanged(text: str) -> None:
    citations = CitationFilter(set(range(100)))
    assert citations.feed(text) + citations.close() == text


@given(text=st.text(alphabet="12390 [],-–(:ab.\n", max_size=40))
def test_outside_code_it_does_what_one_regular_expression_over_the_whole_would(text: str) -> None:
    def single(match: re.Match[str]) -> str:
        return match[0] if int(match[1]) in KNOWN else ""

    brackets = re.findall(r"\[[^\[\]]*\]", text)
    assume(not any(re.search("[,–-]", bracket) for bracket in brackets))
    expected = re.sub(r"(?: |(?<!\w))\[([0-9]{1,2})\](?![(:])", single, text)
    assert filtered(text)[0] == expected
