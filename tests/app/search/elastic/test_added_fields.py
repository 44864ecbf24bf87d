"""An index that an Auskunft made which did not know the fields added since."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from threading import Barrier

import pytest
from elasticsearch import Elasticsearch

from app.search.elastic import ElasticIndex, ElasticOptions, mapping
from app.search.elastic.documents import document, document_id
from app.search.types import QuerySpec, collection_of
from ingest.types import Chunk, EmbeddedPage
from tests.app.search.elastic.calls import QUESTION, dog, found
from tests.contracts.embedded_pages import RECIPE, ref


def without_added(make: Callable[..., mapping.Body]) -> Callable[..., mapping.Body]:
    """``index_body`` as it was."""

    def made(*given: object, **named: object) -> mapping.Body:
        body = deepcopy(make(*given, **named))
        for path in mapping.ADDED:
            *parents, name = path.split(".")
            properties = body["mappings"]["properties"]
            for parent in parents:
                properties = properties[parent]["properties"]
            del properties[name]
        return body

    return made


@pytest.fixture
def old(
    index: ElasticIndex, admin: Elasticsearch, options: ElasticOptions, monkeypatch: pytest.MonkeyPatch
) -> ElasticIndex:
    """A live generation 1 without the added fields, with a page that was written to it then."""
    with monkeypatch.context() as patch:
        patch.setattr(mapping, "index_body", without_added(mapping.index_body))
        index.promote(index.create(RECIPE).number)
    pool = dog("pool")
    body = {name: value for name, value in document(pool, {}).items() if name not in mapping.ADDED}
    name = f"{options.prefix}-1"
    admin.index(index=name, id=document_id(pool.page.ref), document=body, version=1, version_type="external")
    return index


def town_hall() -> EmbeddedPage:
    made = dog("hall")
    return replace(made, page=replace(made.page, kind="article", metadata={"number": "6"}))


def test_its_pages_are_found_and_no_rebuild_is_advised(old: ElasticIndex) -> None:
    hall = collection_of(town_hall().page)
    assert found(old) == {"pool": 1}
    assert old.pages([ref("pool")])[0].metadata == {}
    assert [c.page.ref.id for c in old.search(replace(QUESTION, without=frozenset({hall})))] == ["pool"]
    assert old.search(replace(QUESTION, within=frozenset({hall}))) == []
    assert old.advice() is None


def test_it_stores_new_pages_with_their_collections_and_metadata(old: ElasticIndex) -> None:
    hall = town_hall()
    assert [result.status for result in old.write(1, [hall, dog("pool", 2)])] == ["written"] * 2
    assert found(old) == {"pool": 2, "hall": 1}
    assert old.pages([hall.page.ref])[0].metadata == {"number": "6"}
    collections = frozenset({collection_of(hall.page)})
    assert [c.page.ref.id for c in old.search(replace(QUESTION, without=collections))] == ["pool"]
    assert [c.page.ref.id for c in old.search(replace(QUESTION, within=collections))] == ["hall"]


def test_several_may_begin_to_write_to_it_at_once(old: ElasticIndex, options: ElasticOptions) -> None:
    start = Barrier(6)

    def write(number: int) -> str:
        with closing(ElasticIndex(options)) as own:
            own.generations()
            start.wait()
            return own.write(1, [dog(f"p{number}")])[0].status

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(write, range(6))) == ["written"] * 6
    assert len(found(old)) == 7


def test_it_ranks_chunks_of_new_pages_by_their_words(old: ElasticIndex) -> None:
    ferry = QuerySpec(words=("ferry",), sources=QUESTION.sources)
    assert old.search_chunks(ferry, 10) == []
    made = dog("hall")
    chunk = Chunk(
        field="content", position=0, start=0, end=3, context="Of the ferry", text="A dog", ranked=True
    )
    old.write(1, [replace(made, chunks=(chunk,), vectors=made.vectors[:1])])
    old.refresh()
    assert [found.context for found in old.search_chunks(ferry, 10)] == ["Of the ferry"]
