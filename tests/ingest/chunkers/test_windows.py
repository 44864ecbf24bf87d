"""Windows: exact cuts, exact overlap, the context line."""

import signal
from math import ceil

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.chunkers.context import MAX_CONTEXT_CHARACTERS
from ingest.chunkers.windows import CORE_BYTES, OVERLAP_BYTES, WindowsChunker, core_spans, window_text
from ingest.types import FieldName, Page, PageRef

ANY_TEXT = st.text(min_size=1, max_size=3_000) | st.text(alphabet="aä€😀\n# ", min_size=400, max_size=2_500)


def page(content: str, title: str = "", name: str = "") -> Page:
    """A page with these fields."""
    given: dict[FieldName, str] = {"name": name, "title": title, "content": content}
    fields = {field: text for field, text in given.items() if text}
    ref = PageRef(source="town", id="page", language="de")
    return Page(ref=ref, document="page", sequence=1, url="https://town.example/", fields=fields)


@given(ANY_TEXT)
@example("😀" * 128)
@example("a" * 511 + "€" + "b" * 600)
def test_there_are_exactly_as_many_cores_as_512_byte_blocks_and_they_join_to_the_field(text: str) -> None:
    data = text.encode()
    spans = core_spans(data)
    assert len(spans) == ceil(len(data) / CORE_BYTES)
    assert b"".join(data[start:end] for start, end in spans) == data


@given(ANY_TEXT)
def test_no_core_breaks_a_code_point_and_each_cut_moves_back_by_at_most_three_bytes(text: str) -> None:
    data = text.encode()
    for position, (start, end) in enumerate(core_spans(data)):
        data[start:end].decode()
        assert 0 <= position * CORE_BYTES - start <= 3


@given(ANY_TEXT)
def test_a_window_is_its_core_with_the_neighbours_overlap_moved_inwards_to_code_points(text: str) -> None:
    data = text.encode()
    boundaries = [0]
    for character in text:
        boundaries.append(boundaries[-1] + len(character.encode()))
    for start, end in core_spans(data):
        first = min(b for b in boundaries if b >= start - OVERLAP_BYTES)
        last = max(b for b in boundaries if b <= end + OVERLAP_BYTES)
        assert window_text(data, start, end) == data[first:last].decode()


def test_ascii_overlap_is_exactly_102_bytes_on_both_sides() -> None:
    data = bytes(97 + i % 26 for i in range(2_000))
    start, end = core_spans(data)[1]
    assert window_text(data, start, end).encode() == data[512 - 102 : 1024 + 102]


@given(ANY_TEXT, st.integers(4, 600), st.data())
def test_windows_of_any_size_join_to_their_field_and_have_as_much_in_common(
    text: str, core: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, core))
    chunks = WindowsChunker(core_bytes=core, overlap_bytes=overlap).chunk(page(text))
    utf8 = text.encode()
    assert len(chunks) == ceil(len(utf8) / core)
    assert b"".join(utf8[chunk.start : chunk.end] for chunk in chunks) == utf8
    assert all(chunk.start < chunk.end for chunk in chunks)
    assert all(len(chunk.text.encode()) <= core + 2 * overlap + 3 for chunk in chunks)


def test_preset_naive_embeds_400_bytes_of_which_50_are_the_neighbours() -> None:
    text = "".join(chr(97 + i % 26) for i in range(2_000))
    first, second, third, *_ = WindowsChunker(False, core_bytes=350, overlap_bytes=25).chunk(page(text))
    assert (len(second.text), len(third.text)) == (400, 400)
    assert second.text[-50:] == third.text[:50]
    assert first.text[-50:] == second.text[:50]


@pytest.mark.parametrize(
    ("core", "overlap", "complaint"),
    [(3, 0, "use 4 or more"), (0, 0, "use 4 or more"), (10, 11, "an overlap of 11"), (10, -1, "of -1")],
)
def test_sizes_that_would_cut_nothing_or_repeat_too_much_are_refused(
    core: int, overlap: int, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        WindowsChunker(core_bytes=core, overlap_bytes=overlap)


def test_an_edit_leaves_every_window_before_it_unchanged() -> None:
    before = WindowsChunker().chunk(page(content="word " * 600))
    after = WindowsChunker().chunk(page(content="word " * 400 + "NEW " + "word " * 200))
    unchanged = (400 * 5 - OVERLAP_BYTES) // CORE_BYTES
    assert [c.embedded_text for c in before[:unchanged]] == [c.embedded_text for c in after[:unchanged]]
    assert before[unchanged].embedded_text != after[unchanged].embedded_text


def test_the_context_line_names_title_and_headings_in_force_at_the_start_of_the_core() -> None:
    content = "# Pool\n\n## Prices\n\n" + "x " * 300 + "\n\n## Hours\n\n" + "y " * 400
    contexts = [
        c.context for c in WindowsChunker().chunk(page(title="Bad", content=content)) if c.field == "content"
    ]
    assert contexts == ["Bad › Pool", "Bad › Pool › Prices", "Bad › Pool › Hours"]


def test_headings_inside_code_blocks_are_no_headings() -> None:
    content = "# Real\n\n```\n# comment\n```\n" + "z " * 400
    contexts = {
        c.context for c in WindowsChunker().chunk(page(title="T", content=content)) if c.field == "content"
    }
    assert contexts == {"T › Real"}


def test_without_context_line_only_the_window_is_embedded() -> None:
    chunks = WindowsChunker(context_line=False).chunk(page(title="T", content="# A\n\ntext"))
    assert [c.embedded_text for c in chunks] == ["T", "# A\n\ntext"]


def test_chunks_come_by_field_then_by_position_and_missing_fields_have_none() -> None:
    chunks = WindowsChunker().chunk(page(content="a" * 1_100, title="T", name="n"))
    assert [(c.field, c.position) for c in chunks] == [
        ("name", 0),
        ("title", 0),
        ("content", 0),
        ("content", 1),
        ("content", 2),
    ]


HOSTILE_LINES = (
    "# a" + " " * 20_000 + "b",
    "# a" + "#" * 20_000 + "b",
    "# " + "[" * 20_000,
    "# " + "[a](" * 5_000,
)


@pytest.mark.parametrize("line", HOSTILE_LINES)
def test_a_hostile_heading_takes_no_more_than_linear_time(line: str) -> None:
    # A backtracking pattern takes minutes on these; the alarm's default action ends the test run.
    signal.alarm(20)
    chunks = WindowsChunker().chunk(page(title="T" + "[" * 20_000, content=f"{line}\n" + "text " * 5_000))
    signal.alarm(0)
    assert all(len(chunk.context) <= MAX_CONTEXT_CHARACTERS for chunk in chunks)


def test_a_heading_is_read_without_closing_marks_and_link_targets() -> None:
    content = "## See [the pool](https://town.example/pool) ##\n\n" + "x " * 300
    contexts = [
        c.context for c in WindowsChunker().chunk(page(title="T", content=content)) if c.field == "content"
    ]
    assert contexts == ["T › See the pool", "T › See the pool"]
