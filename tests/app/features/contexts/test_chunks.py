"""Contexts of chunks at indexing: what is known is put in, what is missing is noted, and nothing waits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.features.contexts.chunks import outline
from app.features.contexts.services import wants_contexts
from app.presets.collection import Presets
from ingest.pipeline import PreparedPage
from ingest.types import Delete, FieldName, PageRef
from tests.app.features.contexts.context_world import ContextWorld
from tests.fakes.world import raw_page

PARAGRAPHS = [f"{number:02} {'The tax for each dog is due in spring. ' * 14}\n\n" for number in range(6)]
TEXT = f"## Amount\n\n{''.join(PARAGRAPHS)}"
FIELDS: dict[FieldName, str] = {"title": "Dog tax", "content": TEXT}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ContextWorld]:
    """An installation whose chunks get contexts."""
    world = ContextWorld(tmp_path)
    yield world
    world.close()


def prepared(world: ContextWorld, fields: dict[FieldName, str], page_id: str = "dogs") -> PreparedPage:
    """A page as it is cut."""
    return world.pipeline.prepare(raw_page(page_id, fields), 1)


def missing(world: ContextWorld, fields: dict[FieldName, str]) -> int:
    """How many chunks of a page have no context yet."""
    [page] = world.contexts.put_in([prepared(world, fields)])
    return len(page.missing)


def write_all(world: ContextWorld, fields: dict[FieldName, str]) -> int:
    """Write a context for each chunk that has none; how many."""
    [page] = world.contexts.put_in([prepared(world, fields)])
    for key, chunk in page.missing.items():
        world.context_store.write(page.page.page.ref, key, f"On part {chunk.position} of the dog tax.", {})
    return len(page.missing)


def test_a_known_context_stands_behind_the_context_line_and_the_text_stays_as_it_is(
    world: ContextWorld,
) -> None:
    write_all(world, FIELDS)
    [page] = world.contexts.put_in([prepared(world, FIELDS)])
    before = [chunk for chunk in prepared(world, FIELDS).chunks if chunk.field == "content"]
    chunks = [chunk for chunk in page.page.chunks if chunk.field == "content"]
    assert chunks[2].context == "Dog tax › Amount\nOn part 2 of the dog tax."
    assert [chunk.text for chunk in chunks] == [chunk.text for chunk in before]
    assert {chunk.context for chunk in page.page.chunks if chunk.field != "content"} == {""}


def test_a_page_is_indexed_at_once_with_its_headings_and_noted_as_due(world: ContextWorld) -> None:
    world.save(raw_page("dogs", FIELDS))
    [counts] = world.context_store.counts()
    assert world.served() == world.wanted()
    assert (counts.pages, counts.chunks, counts.written, counts.due) == (1, 7, 0, 1)
    assert any(text.startswith("Dog tax › Amount\n") for text in world.embedder.embedded)


def test_a_page_whose_contexts_are_known_is_indexed_with_them_and_not_due(world: ContextWorld) -> None:
    write_all(world, FIELDS)
    world.save(raw_page("dogs", FIELDS))
    [counts] = world.context_store.counts()
    assert (counts.written, counts.due) == (7, 0)
    assert any("On part 3 of the dog tax." in text for text in world.embedder.embedded)


def test_an_edit_of_one_paragraph_asks_only_for_the_chunks_whose_window_changed(world: ContextWorld) -> None:
    assert write_all(world, FIELDS) == 7
    edited = TEXT.replace(PARAGRAPHS[5], PARAGRAPHS[5].replace("spring", "autumn").replace("each ", "any "))
    assert 1 <= missing(world, {**FIELDS, "content": edited}) <= 3


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Cat tax", "content": TEXT},
        {"title": "Dog tax", "content": TEXT.replace("Amount", "Prices")},
    ],
)
def test_an_edit_of_title_or_headings_asks_for_all_chunks_of_the_page(
    world: ContextWorld, fields: dict[FieldName, str]
) -> None:
    write_all(world, FIELDS)
    assert missing(world, fields) == 7


@pytest.mark.parametrize(("model", "prompt"), [("another", "prompt"), ("fake", "another")])
def test_another_model_or_prompt_asks_for_all_chunks(world: ContextWorld, model: str, prompt: str) -> None:
    write_all(world, FIELDS)
    [page] = world.chunk_contexts(model, prompt).put_in([prepared(world, FIELDS)])
    assert len(page.missing) == 7


def test_the_outline_is_title_and_headings_with_their_levels(world: ContextWorld) -> None:
    page = prepared(
        world, {"title": "Dogs", "content": "# Tax\n\ntext\n\n## [When](x) due\n\n```\n# no\n```"}
    ).page
    assert outline(page) == "Dogs\n# Tax\n## When due"


def test_a_deleted_page_lacks_no_contexts(world: ContextWorld) -> None:
    world.save(raw_page("dogs", FIELDS))
    world.store.accept([Delete(source="town", id="dogs")])
    world.drain()
    assert world.context_store.counts() == []


def test_a_page_that_cannot_be_indexed_any_more_lacks_no_contexts(world: ContextWorld) -> None:
    world.save(raw_page("dogs", FIELDS))
    world.save(raw_page("dogs", {"content": " "}))
    assert world.context_store.counts() == []


def test_a_rebuild_keeps_the_contexts(world: ContextWorld) -> None:
    write_all(world, FIELDS)
    world.save(raw_page("dogs", FIELDS))
    world.embedder.embedded.clear()
    world.rebuilder.build()
    [counts] = world.context_store.counts()
    assert (counts.written, counts.due) == (7, 0)
    assert world.embedder.embedded == [], "the texts are those of before, contexts and all"


def test_a_rebuild_notes_the_pages_that_were_indexed_without(world: ContextWorld) -> None:
    world.save(raw_page("dogs", FIELDS))
    world.context_store.note([], [PageRef(source="town", id="dogs", language="en")])
    assert not world.context_store.is_due()
    world.rebuilder.build()
    assert world.context_store.is_due()


def test_a_sources_own_preset_says_whether_its_chunks_get_contexts() -> None:
    default, contextual = Presets().load("default").index, Presets().load("contextual").index
    wanted = wants_contexts(default, {"law": contextual})
    assert (wanted("town"), wanted("law")) == (False, True)
