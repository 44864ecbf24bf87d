"""Bulk requests: how they are split, and what becomes of what the server refuses."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson
import pytest
from elasticsearch import Elasticsearch

from app.errors import IndexUnavailableError
from app.search.elastic import ElasticIndex, ElasticOptions
from app.search.elastic.bulk import BulkWriter, Operation, operation
from app.search.elastic.client import connect
from tests.contracts.embedded_pages import embedded, ref, remove, unit
from tests.fakes.web_server import web_server

EAST: Final = unit(1, 0, 0, 0)
PAUSES: Final = (0.001, 0.002)
HEADERS: Final = {"x-elastic-product": "Elasticsearch", "content-type": "application/json"}
MEGABYTE: Final = 1_000_000
LARGE: Final = 60 * MEGABYTE
"""More than the tenth of its heap (512 MB) that the server takes at once."""
TOO_LARGE: Final = 101 * 1024 * 1024
"""More than it takes in a request at all."""


def sized(number: int, size: int) -> Operation:
    """An operation of ``size`` bytes that writes a page of the least there can be."""
    action = {"index": {"_id": str(number), "version": 1, "version_type": "external_gte"}}
    body = b"{}".ljust(size - len(orjson.dumps(action)) - 2)
    made = Operation(ref=ref(str(number)), sequence=1, action=action, body=body)
    assert made.size == size
    return made


@pytest.fixture
def client(options: ElasticOptions) -> Iterator[Elasticsearch]:
    """The connection that an index has for bulks."""
    with connect(options) as opened:
        yield opened.options(request_timeout=60)


@pytest.fixture
def writer(client: Elasticsearch) -> BulkWriter:
    """Its bulks are larger than the server takes."""
    return BulkWriter(client, 10 * LARGE, PAUSES)


@pytest.fixture
def alias(options: ElasticOptions, live: int) -> str:
    """What the live generation is written through."""
    return f"{options.prefix}-w{live}"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each bulk request."""
    sizes: list[int] = []
    send = Elasticsearch.bulk

    def bulk(self: Elasticsearch, *, operations: Sequence[bytes], **given: Any) -> Any:
        sizes.append(sum(len(line) + 1 for line in operations))
        return send(self, operations=operations, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Elasticsearch, "bulk", bulk)
    return sizes


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every pause that was asked for; none is made."""
    seconds: list[float] = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


def test_a_bulk_is_as_large_as_allowed_and_a_larger_page_is_alone_in_its_request(
    client: Elasticsearch, alias: str, sent: list[int]
) -> None:
    sizes = [100, 100, 150, 250, 100, 100]
    results = BulkWriter(client, 200, PAUSES).write(alias, [sized(*item) for item in enumerate(sizes)])
    assert sent == [200, 150, 250, 200]
    assert [(result.ref.id, result.status) for result in results] == [
        (str(number), "written") for number in range(len(sizes))
    ]


def test_a_page_that_the_server_refuses_fails_with_its_reason_and_the_others_are_written(
    index: ElasticIndex, live: int
) -> None:
    """10,000 vectors in a page are the most that the mapping allows."""
    pages = [embedded(f"p{number}", content="Dog") for number in range(500)]
    pages[250] = embedded("p250", content="x" * 10_001, vectors={"content": [EAST] * 10_001})
    results = index.write(live, pages)
    index.refresh()
    assert [result.ref.id for result in results] == [f"p{number}" for number in range(500)]
    assert {result.status for result in results if result.ref.id != "p250"} == {"written"}
    assert results[250].status == "failed"
    assert re.search(r"refuses the page: .*nested documents.* limit of \[10000\]", results[250].reason)
    assert {page.id for page, _ in index.refs(live)} == {f"p{number}" for number in range(500)} - {"p250"}


def test_a_page_of_10_000_chunks_is_written(index: ElasticIndex, live: int) -> None:
    page = embedded("pool", content="x" * 10_000, vectors={"content": [EAST] * 10_000})
    assert index.write(live, [page])[0].status == "written"


def test_operations_keep_their_order_across_bulks(client: Elasticsearch, alias: str) -> None:
    operations = [operation(embedded("pool", sequence), {}) for sequence in (3, 2, 4)]
    results = BulkWriter(client, 1, PAUSES).write(alias, [*operations, operation(remove("gone", 1), {})])
    assert [result.status for result in results] == ["written", "superseded", "written", "written"]
    assert [result.sequence for result in results] == [3, 2, 4, 1]


def test_a_bulk_that_the_server_is_too_busy_for_is_repeated_and_then_given_up(
    writer: BulkWriter, alias: str, paused: list[float]
) -> None:
    with pytest.raises(IndexUnavailableError, match="overloaded"):
        writer.write(alias, [sized(number, LARGE // 6) for number in range(6)])
    assert paused == [0.0, *PAUSES]


def test_only_what_the_server_was_too_busy_for_is_sent_again(
    options: ElasticOptions, sent: list[int], paused: list[float]
) -> None:
    busy = {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "queue is full"}}
    answer = orjson.dumps({"errors": True, "items": [{"index": {"status": 201}}, {"index": busy}]})
    with web_server(200, answer, HEADERS) as url, connect(replace(options, hosts=(url,))) as client:
        results = BulkWriter(client, MEGABYTE, PAUSES).write("town-w1", [sized(1, 100), sized(2, 150)])
    assert [(result.ref.id, result.status) for result in results] == [("1", "written"), ("2", "written")]
    assert (sent, paused) == ([250, 150], [0.0, PAUSES[0]])


def test_a_page_that_the_server_never_takes_at_once_fails_with_its_size_and_what_to_do(
    client: Elasticsearch, alias: str, paused: list[float]
) -> None:
    writer = BulkWriter(client, 8 * MEGABYTE, PAUSES)
    before, huge, after = writer.write(alias, [sized(0, 100), sized(1, LARGE), sized(2, 100)])
    assert (before.status, huge.status, after.status) == ("written", "failed", "written")
    assert "60 MB" in huge.reason
    assert "split the page, or give the server more heap" in huge.reason
    assert paused == [0.0]


def test_a_page_that_does_not_fit_beside_others_in_flight_waits(
    options: ElasticOptions, paused: list[float]
) -> None:
    reason = (
        "rejected execution of coordinating operation [all_bytes=50000000, "
        "coordinating_operation_bytes=9000000, max_coordinating_bytes=53687091]"
    )
    error = {"type": "es_rejected_execution_exception", "reason": reason}
    body = orjson.dumps({"error": error, "status": 429})
    with web_server(429, body, HEADERS) as url, connect(replace(options, hosts=(url,))) as busy:
        writer = BulkWriter(busy, MEGABYTE, PAUSES)
        with pytest.raises(IndexUnavailableError, match="overloaded"):
            writer.write("town-w1", [sized(0, 9 * MEGABYTE)])
    assert paused == [0.0, *PAUSES]


def test_what_every_page_would_fail_by_is_no_fault_of_the_page(
    admin: Elasticsearch, options: ElasticOptions, index: ElasticIndex, live: int, alias: str
) -> None:
    """A snapshot restored under another name has the aliases of the original."""
    admin.indices.create(index=f"{options.prefix}-restored", aliases={alias: {}})
    with pytest.raises(IndexUnavailableError, match="no write index is defined"):
        index.write(live, [embedded("pool", content="Dog")])


def test_a_page_larger_than_any_request_may_be_fails_at_once(
    client: Elasticsearch, alias: str, paused: list[float]
) -> None:
    [result] = BulkWriter(client, 8 * MEGABYTE, PAUSES).write(alias, [sized(0, TOO_LARGE)])
    assert (result.status, paused) == ("failed", [0.0])
    assert "split the page" in result.reason


def test_a_bulk_larger_than_any_request_may_be_names_the_setting(writer: BulkWriter, alias: str) -> None:
    with pytest.raises(IndexUnavailableError, match=r"lower AUSKUNFT_ELASTICSEARCH_BULK_BYTES"):
        writer.write(alias, [sized(number, TOO_LARGE // 2) for number in range(2)])


def test_writing_through_a_missing_alias_makes_no_index(
    admin: Elasticsearch, options: ElasticOptions, writer: BulkWriter
) -> None:
    prefix = options.prefix
    with pytest.raises(IndexUnavailableError, match=rf"{prefix}-w1.*auskunft reindex"):
        writer.write(f"{prefix}-w1", [operation(embedded("pool"), {})])
    assert not admin.indices.get(index=f"{prefix}*").body
