"""Events carry the metadata that an operator declares, for filters."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import create_app
from app.errors import EventsError
from app.pages.types import Announcement
from app.services import Services
from app.settings.settings import load_settings
from app.sources.events import changes_of
from ingest.types import Save
from tests.app.api.cms import SECRET, Cms, saved
from tests.fakes.databases import new_data

FIELDS = {"office": "keyword", "year": "number"}


@pytest.fixture
def cms(tmp_path: Path) -> Iterator[Cms]:
    settings = load_settings(
        data=new_data(tmp_path), embedder="hashing", sources={"town": {"secrets": [SECRET]}}, fields=FIELDS
    )
    with Services(settings) as services:
        yield Cms(create_app(services=services).test_client(), services)


def test_a_page_is_found_by_the_fields_of_its_event(cms: Cms) -> None:
    cms.send(saved("dogs", office=["Registry", "Taxes"], year=2026), saved("cats", office="Zoo", year=None))
    cms.index()
    for query, ids in (("office=Taxes", ["dogs"]), ("year.from=2026", ["dogs"]), ("office=Zoo", ["cats"])):
        reply = cms.client.get(f"/api/search?q=What+is+the+dog+tax&filter.{query}").get_json()
        assert [hit["id"] for hit in reply["hits"]] == ids, query


def test_a_field_that_is_not_declared_is_refused_by_name(cms: Cms) -> None:
    reply = cms.post({"events": [saved(office="Registry"), saved(colour="red")]})
    assert reply.status_code == 422
    assert "events[1].colour" in reply.text


def test_a_page_whose_file_is_fetched_keeps_them() -> None:
    event = saved(office="Registry", html=None, file_url="https://town.example/tax.pdf")
    [change] = changes_of("town", json.dumps(event).encode(), can_pull=False, declared=FIELDS)
    assert isinstance(change, Announcement)
    assert json.loads(change.record)["office"] == "Registry"


def test_a_moved_page_has_them_too() -> None:
    event = saved(type="page.moved", new_id="hounds", office="Registry")
    *_, change = changes_of("town", json.dumps(event).encode(), can_pull=False, declared=FIELDS)
    assert isinstance(change, Save)
    assert change.page.metadata == {"office": "Registry"}


@pytest.mark.parametrize(
    "event",
    [
        {"type": "page.deleted", "id": "tax", "office": "Registry"},
        {"type": "page.saved", "id": "tax", "language": "en", "office": "Registry"},
    ],
)
def test_events_without_a_pages_fields_have_no_metadata(event: dict[str, str]) -> None:
    with pytest.raises(EventsError) as refused:
        changes_of("town", json.dumps(event).encode(), can_pull=True, declared=FIELDS)
    assert refused.value.fields["office"] == "unknown field"
