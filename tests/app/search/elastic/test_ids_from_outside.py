"""Ids that look like paths, commands or patterns, from a CMS's message through to a real index: only data."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from elasticsearch import Elasticsearch

from app import create_app
from app.services import Services
from app.settings.settings import Settings
from tests.app.api.cms import SECRET, Cms, deleted, saved

IDS: Final = [
    "../_cluster",
    "../../_cluster/settings",
    "..%2f_cluster",
    "_all",
    "_all/_delete_by_query",
    "*",
    "*,-.*",
    "_doc/1",
    "_bulk",
    "_search?q=*",
    "a/b?c=d#e",
    '"}}\\n{"delete":{"_index":"*"}}',
    "..",
    ".",
    "' OR 1=1 --",
    "{{7*7}}",
    "a,b",
    "日本",
    "x" * 512,
]


@pytest.fixture
def cms(settings: Settings, tmp_path: Path) -> Iterator[Cms]:
    own = {"data": tmp_path, "embedder": "hashing", "sources": {"town": {"secrets": [SECRET]}}}
    chosen = Settings.model_validate(settings.model_dump() | own)
    with Services(chosen) as services:
        yield Cms(create_app(services=services).test_client(), services)


def indices(admin: Elasticsearch, settings: Settings) -> list[str]:
    """The index's own ones."""
    return sorted(admin.indices.get(index=f"{settings.elasticsearch_prefix}-*").body)


def test_whatever_an_id_looks_like_it_names_one_page_of_its_own_index(
    cms: Cms, admin: Elasticsearch, settings: Settings
) -> None:
    _ = cms.services.indexing.index
    before = indices(admin, settings)
    cms.send(
        *(saved(page_id, url="https://town.example/x", html=f"<p>dog tax {page_id}</p>") for page_id in IDS)
    )
    cms.index()
    live = cms.services.indexing.index.live()
    assert live is not None
    cms.services.indexing.index.refresh()
    assert {ref.id for ref, _ in cms.services.indexing.index.refs(live.number)} == set(IDS)
    for page_id in IDS:
        [state] = cms.states(page_id).get_json()["pages"]
        assert (page_id, state["state"]) == (page_id, "indexed")
    assert {page_id for page_id, _ in cms.found("dog tax")} <= set(IDS)
    for page_id in IDS[:-1]:
        cms.send(deleted(page_id))
    cms.index()
    cms.services.indexing.index.refresh()
    assert [ref.id for ref, _ in cms.services.indexing.index.refs(live.number)] == [IDS[-1]]
    assert indices(admin, settings) == before
