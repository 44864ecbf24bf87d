"""What every chunker does, whatever it cuts by."""

import signal
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest import registry
from ingest.chunkers.context import MAX_CONTEXT_CHARACTERS, marked_lines
from ingest.fingerprints import recipe_hash
from ingest.protocols import Chunker
from ingest.types import FIELDS, Chunk, FieldName, Page, PageRef

CHUNKERS = registry.names("chunkers")
PIECES = [
    "a",
    "ä",
    "€",
    "😀",
    "word ",
    ". ",
    "\n",
    "\n\n",
    "# Head\n",
    "## ä\n\n",
    "```\n",
    "\u2028",
    "\t",
    "x" * 300,
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=150).map("".join) | st.text(min_size=1)
FIELD_TEXTS = st.dictionaries(st.sampled_from(FIELDS), TEXTS)


def create(name: str, *, context_line: bool = True) -> Chunker:
    """The chunker as presets have it made."""
    chunker: Chunker = registry.create("chunkers", name, context_line=context_line)
    return chunker


def page(fields: dict[FieldName, str]) -> Page:
    """A page with these fields."""
    ref = PageRef(source="town", id="page", language="de")
    return Page(ref=ref, document="page", sequence=1, url="https://town.example/", fields=fields)


def of(field: FieldName, chunks: Sequence[Chunk]) -> list[Chunk]:
    """A field's chunks."""
    return [chunk for chunk in chunks if chunk.field == field]


@pytest.mark.parametrize("name", CHUNKERS)
@given(FIELD_TEXTS)
@example({"content": "😀" * 2_000})
def test_cores_join_to_their_field_byte_for_byte_and_none_is_empty(
    name: str, fields: dict[FieldName, str]
) -> None:
    chunks = create(name).chunk(page(fields))
    for field, text in fields.items():
        spans = [(chunk.start, chunk.end) for chunk in of(field, chunks)]
        data = text.encode()
        assert b"".join(data[start:end] for start, end in spans) == data
        assert [0, *(end for _, end in spans)] == [*(start for start, _ in spans), len(data)]
        assert all(start < end for start, end in spans)


@pytest.mark.parametrize("name", CHUNKERS)
@given(FIELD_TEXTS)
def test_chunks_come_by_field_and_position_and_only_for_fields_there_are(
    name: str, fields: dict[FieldName, str]
) -> None:
    chunks = create(name).chunk(page(fields))
    expected = [(field, n) for field in FIELDS for n in range(len(of(field, chunks)))]
    assert [(chunk.field, chunk.position) for chunk in chunks] == expected
    assert {chunk.field for chunk in chunks} == set(fields)


HEADED = st.lists(
    st.sampled_from(
        ["## Frage\n", "# Lange Überschrift eines Kapitels\n\n", "### Ä\n \n", "```\n# no heading\n```\n"]
    )
    | st.integers(1, 60).map("Ein Satz mit Worten. ".__mul__)
    | st.integers(1, 400).map("x".__mul__)
    | st.sampled_from(["\n", "\n\n"]),
    min_size=1,
    max_size=30,
).map("\n".join)


@pytest.mark.parametrize("name", [name for name in CHUNKERS if name != "windows"])
@given(HEADED)
def test_no_heading_is_cut_off_from_its_text_where_the_chunker_knows_headings(name: str, text: str) -> None:
    ends = [chunk.end for chunk in create(name).chunk(page({"content": text}))][:-1]
    assert not [end for end in ends for first, last in after_headings(text) if first <= end <= last]


def after_headings(text: str) -> Iterator[tuple[int, int]]:
    """From where each heading ends to where its text begins, in bytes."""
    offset, heading_end = 0, None
    for line, heading in marked_lines(text):
        if not heading and not line.isspace() and heading_end is not None:
            yield heading_end, offset
        offset += len(line.encode())
        if heading or not line.isspace():
            heading_end = offset if heading else None


@pytest.mark.parametrize("name", CHUNKERS)
@given(TEXTS)
def test_what_is_read_is_one_piece_of_the_field_and_holds_the_core(name: str, text: str) -> None:
    data = text.encode()
    for chunk in create(name).chunk(page({"content": text})):
        core = data[chunk.start : chunk.end].decode()
        assert core in chunk.text
        assert chunk.text in text


@pytest.mark.parametrize("name", CHUNKERS)
@given(FIELD_TEXTS)
def test_equal_pages_are_cut_alike_and_the_context_line_changes_no_cut(
    name: str, fields: dict[FieldName, str]
) -> None:
    chunks = create(name).chunk(page(fields))
    assert list(chunks) == list(create(name).chunk(page(fields)))
    without = create(name, context_line=False).chunk(page(fields))
    assert [(c.start, c.end, c.text) for c in chunks] == [(c.start, c.end, c.text) for c in without]
    assert all(chunk.embedded_text == chunk.text for chunk in without)


@pytest.mark.parametrize("name", CHUNKERS)
def test_content_has_its_headings_as_context_and_other_fields_have_none(name: str) -> None:
    text = "Some words stand here. " * 100
    chunks = create(name).chunk(page({"title": "Pool", "content": f"# Prices\n\n{text}"}))
    assert [chunk.context for chunk in of("title", chunks)] == [""]
    assert {chunk.context for chunk in of("content", chunks)} == {"Pool › Prices"}


def test_recipes_tell_chunkers_and_context_lines_apart() -> None:
    recipes = [create(name, context_line=line).recipe for name in CHUNKERS for line in (True, False)]
    assert len({recipe_hash(recipe) for recipe in recipes}) == 2 * len(CHUNKERS)


HOSTILE = ("x", " ", "\n", ".", ".)", ". ", "# ", "# a\n", "```\n", "\n ", "[a](", "😀")


@pytest.mark.parametrize("name", CHUNKERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_takes_no_more_than_linear_time(name: str, text: str) -> None:
    # Square time takes minutes on these; the alarm's default action ends the test run.
    signal.alarm(60)
    chunks = create(name).chunk(page({"title": "T", "content": text * (400_000 // len(text))}))
    signal.alarm(0)
    assert all(len(chunk.context) <= MAX_CONTEXT_CHARACTERS for chunk in chunks)
