"""Sections: cut at headings, long ones recursively by characters."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunkers.sections import SectionsChunker, sections, split
from ingest.types import Chunk, Page, PageRef

PIECES = ["a", "ä€😀", "word ", "end. ", "\n", "\n\n", "# Head\n", "```\n", "x" * 90]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=120).map("".join)
SIZES = st.tuples(st.integers(20, 100), st.integers(0, 19))


def chunks(content: str, characters: int = 400, overlap: int = 50) -> list[Chunk]:
    """The content's chunks."""
    ref = PageRef(source="law", id="art_1", language="en")
    page = Page(ref=ref, document="act", sequence=1, url="", fields={"content": content})
    return list(SectionsChunker(characters=characters, overlap=overlap).chunk(page))


def cores(content: str, found: list[Chunk]) -> list[str]:
    """The chunks without their overlaps."""
    return [content.encode()[chunk.start : chunk.end].decode() for chunk in found]


def test_a_section_begins_at_each_heading_and_short_ones_stay_whole() -> None:
    content = "Before.\n\n# One\n\nText of one.\n\n## Two\nText of two.\n"
    found = chunks(content)
    assert [chunk.text for chunk in found] == [
        "Before.\n\n", "# One\n\nText of one.\n\n", "## Two\nText of two.\n"
    ]  # fmt: skip
    assert [chunk.context for chunk in found] == ["", "One", "One › Two"]


def test_a_heading_without_text_of_its_own_stays_with_what_follows() -> None:
    assert sections("# One\n\n## Two\n\nText.\n\n# Three\n") == ["# One\n\n## Two\n\nText.\n\n", "# Three\n"]


def test_a_heading_in_a_code_block_begins_no_section() -> None:
    assert len(sections("Text.\n\n```\n# comment\n```\n")) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One two.\nThree.\n\nFour.", ["One two.\nThree.\n\n", "Four."]),
        ("One.\n\nTwo.\nThree.\nFour.", ["One.\n\n", "Two.\nThree.\nFour."]),
        ("Exactly 9\nfits this\nhere.", ["Exactly 9\nfits this\n", "here."]),
        ("One two three.\nFour five.", ["One two three.\n", "Four five."]),
        ("One two three. Four five.", ["One two three. ", "Four five."]),
        ("One two three four five", ["One two three four ", "five"]),
        ("abcdefghijklmnopqrstuvwxyz", ["abcdefghijklmnopqrst", "uvwxyz"]),
        (
            "One.\n\nTwo three four. Five six.\n\nSeven.",
            ["One.\n\n", "Two three four. ", "Five six.\n\nSeven."],
        ),
    ],
)
def test_a_long_text_is_cut_after_the_largest_thing_that_fits(text: str, parts: list[str]) -> None:
    assert split(text, 20) == parts


@given(TEXTS, SIZES)
def test_no_part_is_too_long_and_no_two_neighbours_would_fit_into_one(
    text: str, sizes: tuple[int, int]
) -> None:
    limit, _ = sizes
    parts = split(text, limit)
    assert "".join(parts) == text
    assert all(len(part) <= limit for part in parts)
    assert all(len(left) + len(right) > limit for left, right in pairwise(parts))


@given(TEXTS, SIZES)
def test_a_text_is_its_core_after_what_stands_before_it_and_never_too_long(
    content: str, sizes: tuple[int, int]
) -> None:
    characters, overlap = sizes
    found = chunks(content, characters, overlap)
    ends = {sum(map(len, sections(content)[:n])) for n in range(len(sections(content)) + 1)}
    start = 0
    for chunk, core in zip(found, cores(content, found), strict=True):
        before = chunk.text.removesuffix(core)
        assert content[: start + len(core)].endswith(chunk.text)
        assert len(chunk.text) <= characters
        assert len(before) <= overlap
        assert not any(start - len(before) < end <= start for end in ends if before)
        start += len(core)


def test_the_overlap_begins_with_a_word() -> None:
    content = "alpha beta gamma delta epsilon zeta eta theta"
    found = chunks(content, characters=30, overlap=10)
    assert [chunk.text for chunk in found] == [
        "alpha beta gamma ",
        "gamma delta epsilon zeta ",
        "zeta eta theta",
    ]


def test_the_overlap_of_text_without_spaces_is_full() -> None:
    found = chunks("abcdefghijklmnopqrstuvwxyz", characters=20, overlap=5)
    assert [chunk.text for chunk in found] == ["abcdefghijklmno", "klmnopqrstuvwxyz"]


@pytest.mark.parametrize(("characters", "overlap"), [(0, 0), (50, 50), (50, -1)])
def test_an_overlap_that_leaves_no_room_is_refused(characters: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="use 0 or more, but less than these"):
        SectionsChunker(characters=characters, overlap=overlap)
