"""Addresses that must not be fetched, wherever a CMS names them: a listener there sees no connection."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from structlog.testing import capture_logs

from app import create_app
from app.errors import AuskunftError
from app.pages.database import open_engine, utc_now
from app.pages.pulls import PullLog
from app.pages.store import PageStore
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sources import SourceSettings
from app.sources.pull import Puller
from ingest.sources.cms import CmsSource
from tests.app.api.cms import SECRET, Cms, saved
from tests.fakes.cms import FakeCms, Reply
from tests.fakes.databases import new_data, new_sqlite
from tests.fakes.scripted_server import ScriptedServer
from tests.ingest.fetching.conftest import Names, fetcher
from tests.ingest.fetching.test_blocked import LOOPBACK_HOSTS, PRIVATE_HOSTS, TRICKS, resolve

HOSTS: Final = [*LOOPBACK_HOSTS, *PRIVATE_HOSTS]

Pull = Callable[[], None]


def addresses(port: int) -> list[str]:
    """All of them, at a port."""
    named = [f"http://{host}/" if host.endswith(":22") else f"http://{host}:{port}/" for host in HOSTS]
    return [*named, *(trick.format(port=port) for trick in TRICKS)]


@pytest.fixture
def listener() -> Iterator[ScriptedServer]:
    """A server that must not be reached."""
    with ScriptedServer() as server:
        yield server
        assert (server.connections, server.requests) == (0, [])


@pytest.fixture
def web() -> Iterator[FakeCms]:
    """A CMS that may be asked, by its name."""
    with FakeCms("whole") as web:
        web.save("p", "text")
        yield web


@pytest.fixture
def pull(tmp_path: Path, web: FakeCms) -> Iterator[Pull]:
    """Pull from it, whatever comes of that."""
    internal = Names({"cms.internal": ["127.0.0.1"]}, resolve)
    options = {name: value.replace("127.0.0.1", "cms.internal") for name, value in web.options().items()}
    engine = open_engine(new_sqlite(tmp_path / "pages.sqlite"))
    client = fetcher(("cms.internal",), resolve=internal, attempts=1)
    puller = Puller(
        store=PageStore(engine),
        pulls=PullLog(engine, utc_now),
        worker="w",
        settings_by_source={"town": SourceSettings(kind="cms")},
        source_of=lambda name: CmsSource(name=name, fetcher=client, **options),
        wake=lambda _pages: None,
    )

    def run() -> None:
        known = web.requests.total()
        try:
            puller.pull("town")
        except AuskunftError as error:
            assert "\n" not in str(error)
        assert web.requests.total() > known, "the CMS itself is asked"

    yield run
    engine.dispose()


def test_a_listing_that_goes_on_there_is_not_followed(
    listener: ScriptedServer, web: FakeCms, pull: Pull
) -> None:
    items = [{"id": "p", "language": "de"}]
    for address in addresses(listener.port):
        for reply in (
            Reply(body=json.dumps({"items": items, "next": address}).encode()),
            Reply(status=302, headers={"Location": header(address)}),
        ):
            web.wrong["/listing"] = reply
            pull()
        assert listener.connections == 0, address


def test_a_page_that_is_there_or_says_so_is_not_fetched_from_there(
    listener: ScriptedServer, web: FakeCms, pull: Pull
) -> None:
    forbidden = dict(enumerate(addresses(listener.port)))
    items = [{"id": f"p{number}", "language": "de", "url": address} for number, address in forbidden.items()]
    web.wrong["/listing"] = Reply(body=json.dumps({"items": items, "next": None}).encode())
    replies: list[Callable[[str], Reply]] = [
        lambda address: Reply(status=302, headers={"Location": header(address)}),
        lambda address: Reply(body=json.dumps({"text": "text", "url": address}).encode()),
        lambda address: Reply(
            body=json.dumps({"html": f'<img src="{address}"><a href="{address}">x</a>'}).encode()
        ),
    ]
    for reply in replies:
        web.wrong |= {f"/pages/p{number}": reply(address) for number, address in forbidden.items()}
        pull()
    assert all(web.requests[f"/pages/p{number}?in=de"] for number in forbidden), "each was asked for"


def header(address: str) -> str:
    """As far as it fits into a line."""
    return address.encode("latin-1", "replace").decode("latin-1").replace("\r", "").replace("\n", "")


def test_addresses_of_events_are_never_fetched(listener: ScriptedServer, tmp_path: Path) -> None:
    source = {"secrets": [SECRET], "events_per_minute": 100_000}
    settings = load_settings(data=new_data(tmp_path), embedder="hashing", sources={"town": source})
    with Services(settings) as services, capture_logs():
        cms = Cms(create_app(services=services).test_client(), services)
        assert len(addresses(1)) > 150
        codes = [
            cms.post(saved(str(number), url=address, html=f'<img src="{address}">')).status_code
            for number, address in enumerate(addresses(listener.port))
        ]
        assert set(codes) == {202, 422}
        while services.background.fetch_scheduler.run_once(
            lambda: False
        ) or services.background.steps.run_once(lambda: False):
            pass
        assert services.store.pending() == 0
        assert services.store.counts()["indexed"] == codes.count(202)
