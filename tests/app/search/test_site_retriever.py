"""Retrieval for one question: what may change in the middle of it is read once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.law.catalogue import Versions
from app.law.field import LawField
from app.law.scope import LawScopes
from app.search.site_retriever import SiteRetriever
from ingest.types import Delete, PageRef
from tests.app.law.test_scope import ACT
from tests.fakes.world import World, raw_page

TOWN = frozenset({"town"})
QUESTION = "How much is the dog tax?"
DOGS = PageRef(source="town", id="dogs", language="en")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.save(
        raw_page("dogs", {"title": "Dogs", "content": "The dog tax is 80 euros a year."}),
        raw_page("pool", {"title": "Pool", "content": "The pool opens at nine."}),
    )
    yield world
    world.close()


def found(retriever: SiteRetriever) -> list[PageRef]:
    return [hit.page.ref for hit in retriever.retrieve(QUESTION, sources=TOWN, language="en").hits]


def test_a_page_that_is_deleted_in_the_middle_of_a_question_is_hidden_from_the_next_one(world: World) -> None:
    retriever = SiteRetriever(world.retriever)
    asked = retriever.now()
    assert DOGS in found(asked)
    world.store.accept([Delete(source="town", id="dogs")])
    assert DOGS in found(asked)
    assert DOGS not in found(retriever.now())


def test_a_page_that_was_deleted_before_it_is_asked_for_is_hidden(world: World) -> None:
    asked = SiteRetriever(world.retriever).now()
    world.store.accept([Delete(source="town", id="dogs")])
    assert DOGS not in found(asked)


def test_pages_of_a_field_that_come_in_the_middle_of_a_question_are_known_to_the_next_one(
    world: World,
) -> None:
    law = LawField(LawScopes(lambda: Versions([ACT])), None, world.retriever.pages)
    has_pages = False
    retriever = SiteRetriever(world.retriever, field=law, has_pages=lambda: has_pages)
    asked = retriever.now()
    assert not asked.has_field(frozenset({"law"}))
    has_pages = True
    assert not asked.has_field(frozenset({"law"}))
    assert retriever.now().has_field(frozenset({"law"}))
