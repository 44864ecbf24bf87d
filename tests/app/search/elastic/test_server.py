"""A server that is away, dies, hangs or is another one than it should be."""

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from app.errors import IndexUnavailableError
from app.search.elastic import ElasticIndex, ElasticOptions
from app.services.elastic import elastic_options
from app.settings.settings import Settings
from tests.app.search.elastic.calls import CALLS, QUESTION, dog, found
from tests.contracts.embedded_pages import RECIPE
from tests.fakes.command import Command
from tests.fakes.web_server import web_server
from tests.services.elasticsearch import Elasticsearch as Server
from tests.services.fixtures import started
from tests.services.indices import elastic_settings

NOBODY: Final = "http://127.0.0.1:1"
DOGS: Final = "---\nurl: https://town.example/dogs\n---\nDogs may swim in the lake.\n"


@pytest.mark.parametrize("call", CALLS)
def test_a_server_that_is_away_is_named_in_one_line_with_the_setting(call: str) -> None:
    index = ElasticIndex(elastic_options(Settings(elasticsearch_url=NOBODY)))
    with pytest.raises(IndexUnavailableError, match=r"correct AUSKUNFT_ELASTICSEARCH_URL$") as refusal:
        CALLS[call](index)
    assert f"Elasticsearch at {NOBODY} cannot be reached" in str(refusal.value)
    assert "\n" not in str(refusal.value)


HTML: Final = {"Content-Type": "text/html"}
JSON: Final = {"Content-Type": "application/json"}
ELASTIC: Final = JSON | {"X-Elastic-Product": "Elasticsearch"}


@pytest.mark.parametrize(
    ("status", "body", "headers", "complaint"),
    [
        (200, b"<h1>Town</h1>", HTML, "is not Elasticsearch: correct AUSKUNFT_ELASTICSEARCH_URL"),
        (200, b'{"nodes": {"n": {"version": "8.19.1"}}}', JSON, "is not Elasticsearch"),
        (302, b"", HTML | {"Location": "/login"}, "is not Elasticsearch"),
        (400, b"<h1>plain HTTP sent to a port for HTTPS</h1>", HTML, "is not Elasticsearch"),
        (404, b"<h1>Not Found</h1>", HTML, "is not Elasticsearch"),
        (405, b'{"error": "Method Not Allowed"}', JSON, "is not Elasticsearch"),
        (200, b"{}", ELASTIC, "is not Elasticsearch"),
        (200, b"Town", ELASTIC | {"Content-Type": "text/plain"}, "is not Elasticsearch"),
        (200, b"{half", ELASTIC, "cannot be read"),
        (502, b"<h1>Bad Gateway</h1>", HTML, "fails (502"),
        (
            200,
            b'{"nodes": {"n": {"version": "8.18.9"}}}',
            ELASTIC,
            "8.18.9 is not supported: use 8.19 or 9.x",
        ),
        (
            200,
            b'{"nodes": {"n": {"version": "10.0.0"}}}',
            ELASTIC,
            "10.0.0 is not supported: use 8.19 or 9.x",
        ),
        (
            400,
            b'{"error": {"type": "media_type_header_exception", "reason": "Invalid"}, "status": 400}',
            ELASTIC,
            ": `pip install 'elasticsearch<9'`, or upgrade it",
        ),
    ],
)
def test_another_program_or_version_at_the_address_is_refused_in_one_line(
    status: int, body: bytes, headers: dict[str, str], complaint: str
) -> None:
    with (
        web_server(status, body, headers) as url,
        closing(ElasticIndex(elastic_options(Settings(elasticsearch_url=url)))) as index,
    ):
        for _ in range(2):
            with pytest.raises(IndexUnavailableError) as refusal:
                index.live()
            assert complaint in str(refusal.value)
            assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("call", ["search", "ask"])
def test_a_new_installation_without_its_server_says_so_in_one_line(tmp_path: Path, call: str) -> None:
    command = Command(tmp_path, index="elasticsearch", elasticsearch_url=NOBODY)
    said = command.run(call, "Where may dogs swim?").complaint(1)
    assert f"Elasticsearch at {NOBODY} cannot be reached" in said


def test_an_installation_whose_server_is_away_says_so_and_goes_on_when_it_is_back(
    tmp_path: Path, settings: Settings
) -> None:
    there = settings.model_dump(include={"index", "elasticsearch_url", "elasticsearch_prefix"})
    command = Command(tmp_path, **there)
    away = Command(tmp_path, **{**there, "elasticsearch_url": NOBODY})
    (tmp_path / "dogs.md").write_text(DOGS)
    assert command.run("index", "dogs.md").code == 0
    assert "cannot be reached" in away.run("search", "Where may dogs swim?").complaint(1)
    assert "cannot be reached" in away.run("index", "dogs.md").complaint(1)
    status = away.run("status")
    assert (status.code, status.err) == (1, "")
    assert re.search(
        rf"^BAD index: Elasticsearch at {NOBODY} .*AUSKUNFT_ELASTICSEARCH_URL$", status.out, re.M
    )
    assert "https://town.example/dogs" in command.run("search", "Where may dogs swim?").out


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that the tests of this module may kill; each leaves it running."""
    with started() as server:
        yield server


@pytest.fixture
def own_options(server: Server) -> ElasticOptions:
    """The options for a prefix of the test's own on that server."""
    return elastic_options(elastic_settings(server.url))


@pytest.fixture
def own(own_options: ElasticOptions) -> Iterator[ElasticIndex]:
    """An index there, with a page in its live generation 1."""
    with closing(ElasticIndex(own_options)) as index:
        index.promote(index.create(RECIPE).number)
        index.write(1, [dog("pool")])
        assert found(index) == {"pool": 1}
        yield index


@pytest.mark.elasticsearch
def test_an_index_goes_on_after_its_server_was_killed_during_searches(
    server: Server, own: ElasticIndex
) -> None:
    searched = threading.Event()

    def search_until_refused() -> None:
        while True:
            assert len(own.search(QUESTION)) == 1
            searched.set()

    with ThreadPoolExecutor(3) as threads:
        searches = [threads.submit(search_until_refused) for _ in range(3)]
        assert searched.wait(30)
        server.kill()
    assert [type(search.exception()) for search in searches] == [IndexUnavailableError] * 3
    with pytest.raises(IndexUnavailableError, match="cannot be reached"):
        own.write(1, [dog("lake", 2)])
    server.start()
    assert found(own) == {"pool": 1}
    assert own.write(1, [dog("lake", 2)])[0].status == "written"
    assert found(own) == {"pool": 1, "lake": 2}


@pytest.mark.elasticsearch
@pytest.mark.parametrize("call", ["search", "pages", "write"])
def test_a_frozen_server_is_given_up_after_the_time_set_and_used_again_afterwards(
    server: Server, own: ElasticIndex, own_options: ElasticOptions, call: str
) -> None:
    with closing(ElasticIndex(replace(own_options, search_seconds=0.3, bulk_seconds=0.3))) as index:
        assert found(index) == {"pool": 1}
        server.suspend()
        try:
            with pytest.raises(IndexUnavailableError, match="does not answer in time"):
                CALLS[call](index)
        finally:
            server.resume()
        assert own.write(1, [dog("lake", 3)])[0].status == "written"
        assert found(own)["lake"] == 3
