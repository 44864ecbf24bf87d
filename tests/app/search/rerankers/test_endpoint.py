"""Rerankers behind a server, by a scripted one: what is sent, what is believed, how long anybody waits."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.errors import PluginError, RerankerUnavailableError
from app.search.rerankers.endpoint import EndpointReranker
from ingest import registry
from tests.fakes.llm import refusing_url
from tests.fakes.rerank_server import FakeReranker, Reply

KEY = "sk-secret-key"
QUESTION = "dog tax"
TEXTS = ["the pool", "the dog tax", "a dog"]


@pytest.fixture
def server() -> Iterator[FakeReranker]:
    with FakeReranker() as fake:
        yield fake


@pytest.fixture
def reranker(server: FakeReranker) -> Iterator[EndpointReranker]:
    reranker = EndpointReranker(base_url=server.base_url, model="BAAI/bge-reranker-v2-m3", api_key=KEY)
    yield reranker
    reranker.close()


def results(*pairs: tuple[Any, Any]) -> Reply:
    """A reply with these indexes and scores, as JSON has them."""
    listed = [{"index": index, "relevance_score": score} for index, score in pairs]
    return Reply(raw=json.dumps({"results": listed}).encode())


def test_the_common_form_sends_documents_and_gets_scores_in_their_order(
    server: FakeReranker, reranker: EndpointReranker
) -> None:
    assert reranker.scores(QUESTION, TEXTS) == [0, 1, 0.5]
    assert server.paths == ["/v1/rerank"]
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests == [
        {"query": QUESTION, "documents": TEXTS, "top_n": 3, "model": "BAAI/bge-reranker-v2-m3"}
    ]


def test_the_form_of_text_embeddings_inference_sends_texts(server: FakeReranker) -> None:
    reranker = EndpointReranker(base_url=server.address, form="tei")
    assert reranker.scores(QUESTION, TEXTS) == [0, 1, 0.5]
    assert server.paths == ["/rerank"]
    assert server.keys == [None]
    assert server.requests == [{"query": QUESTION, "texts": TEXTS, "truncate": True}]


def test_a_server_with_one_model_needs_no_name(server: FakeReranker) -> None:
    EndpointReranker(base_url=server.base_url).scores(QUESTION, TEXTS)
    assert "model" not in server.requests[0]


def test_texts_go_in_batches(server: FakeReranker) -> None:
    reranker = registry.create("rerankers", "endpoint", base_url=server.base_url, batch="3")
    assert reranker.scores(QUESTION, [*TEXTS, *TEXTS, "tax"]) == [0, 1, 0.5, 0, 1, 0.5, 0.5]
    assert [len(request["documents"]) for request in server.requests] == [3, 3, 1]
    assert [request["top_n"] for request in server.requests] == [3, 3, 1]


def test_what_servers_refuse_in_a_text_is_not_sent(server: FakeReranker, reranker: EndpointReranker) -> None:
    reranker.scores("\0", ["", "a\0b"])
    assert (server.requests[0]["query"], server.requests[0]["documents"]) == (" ", [" ", "a b"])


def test_other_keys_in_a_reply_do_no_harm(server: FakeReranker, reranker: EndpointReranker) -> None:
    listed = [{"index": 0, "relevance_score": 2, "document": {"text": "x"}}]
    server.script(Reply(raw=json.dumps({"id": "1", "meta": {}, "results": listed}).encode()))
    assert reranker.scores(QUESTION, ["x"]) == [2.0]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (results((0, 0.1), (1, 0.2)), "2 for 3 texts"),
        (results((0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)), "4 for 3 texts"),
        (results((0, 0.1), (1, 0.2), (1, 0.3)), "indexes do not match those of the texts"),
        (results((0, 0.1), (1, 0.2), (3, 0.3)), "indexes do not match those of the texts"),
        (results((-1, 0.1), (0, 0.2), (1, 0.3)), "indexes do not match those of the texts"),
        (results((0, 0.1), ("1", 0.2), (2, 0.3)), "index is not a number"),
        (results((0, 0.1), (True, 0.2), (2, 0.3)), "index is not a number"),
        (results((0, 0.1), (1.0, 0.2), (2, 0.3)), "index is not a number"),
        (results((0, 0.1), (1, float("nan")), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, float("inf")), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, "0.9"), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, None), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, True), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, [0.2]), (2, 0.3)), "relevance_score is not a number"),
        (results((0, 0.1), (1, 10**400), (2, 0.3)), "no usable scores"),
        (Reply(raw=b"{}"), "no list of results"),
        (Reply(raw=b"null"), "no list of results"),
        (Reply(raw=b'{"results": {"0": 1}}'), "no list of results"),
        (Reply(raw=b'{"results": [0.1, 0.2, 0.3]}'), "no list of results"),
        (Reply(raw=b'[{"index": 0, "score": 1}]'), "check the option form"),
        (Reply(raw=b"<html>Welcome</html>"), "not JSON"),
        (Reply(raw=b"\xff\xfe"), "not JSON"),
        (Reply(raw=b""), "not JSON"),
        (Reply(raw=b"[" * 100_000), "not JSON"),
        (Reply(status=400), r"refuses: HTTP 400 \(scripted 400\); check base_url and model"),
        (Reply(status=401), "check api_key"),
        (Reply(status=404), "check base_url"),
        (Reply(status=413), "lower batch"),
        (Reply(status=302, headers={"Location": "http://elsewhere.invalid/"}), "HTTP 302"),
        (Reply(status=500), "busy or broken: HTTP 500"),
        (Reply(fault="cut"), "cannot be reached"),
    ],
)
def test_a_fault_is_told_in_one_line_and_nothing_is_asked_again(
    server: FakeReranker, reranker: EndpointReranker, reply: Reply, complaint: str
) -> None:
    server.script(reply)
    with pytest.raises(RerankerUnavailableError, match=complaint) as caught:
        reranker.scores(QUESTION, TEXTS)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


def test_how_long_a_busy_server_asks_to_be_left_alone_is_passed_on(
    server: FakeReranker, reranker: EndpointReranker
) -> None:
    server.script(Reply(status=429, headers={"Retry-After": "120"}), Reply(status=429))
    for expected in (120, None):
        with pytest.raises(RerankerUnavailableError, match="HTTP 429") as caught:
            reranker.scores(QUESTION, TEXTS)
        assert caught.value.retry_seconds == expected


@pytest.mark.parametrize("fault", ["silent", "dripping"])
def test_a_server_that_does_not_come_to_an_end_is_left(server: FakeReranker, fault: Any) -> None:
    server.default = Reply(fault=fault)
    reranker = EndpointReranker(base_url=server.base_url, seconds=0.2)
    started = time.monotonic()
    with pytest.raises(RerankerUnavailableError, match="does not answer in time: see seconds"):
        reranker.scores(QUESTION, TEXTS)
    assert time.monotonic() - started < 5


def test_the_time_is_that_of_all_batches(server: FakeReranker) -> None:
    server.script(Reply(), Reply(fault="silent"))
    reranker = EndpointReranker(base_url=server.base_url, seconds=0.3, batch=1)
    with pytest.raises(RerankerUnavailableError, match="does not answer in time"):
        reranker.scores(QUESTION, TEXTS)
    assert len(server.requests) == 2


def test_an_endless_reply_is_not_read_to_its_end(server: FakeReranker) -> None:
    server.default = Reply(fault="endless")
    reranker = EndpointReranker(base_url=server.base_url, seconds=60)
    with pytest.raises(RerankerUnavailableError, match="sent more than 64,000,000 bytes"):
        reranker.scores(QUESTION, TEXTS)


def test_an_unreachable_server_is_named() -> None:
    reranker = EndpointReranker(base_url=refusing_url(), model="m")
    with pytest.raises(RerankerUnavailableError, match=r"'m' at 127\.0\.0\.1:\d+ cannot be reached: "):
        reranker.scores(QUESTION, TEXTS)


def test_the_key_appears_in_no_message(server: FakeReranker, reranker: EndpointReranker) -> None:
    server.script(Reply(status=401, raw=json.dumps({"message": f"no such key: {KEY}"}).encode()))
    with pytest.raises(RerankerUnavailableError, match="no such key: ") as caught:
        reranker.scores(QUESTION, TEXTS)
    assert KEY not in str(caught.value)


def test_the_recipe_needs_no_server_and_holds_neither_address_nor_key() -> None:
    reranker = EndpointReranker(base_url=refusing_url(), model="m", api_key=KEY)
    assert reranker.recipe == {"name": "endpoint", "model": "m", "form": "cohere"}


def test_health_looks_at_a_list_of_models_and_has_a_word_scored_where_there_is_none(
    server: FakeReranker, reranker: EndpointReranker
) -> None:
    server.models = ["BAAI/bge-reranker-v2-m3"]
    assert reranker.availability.outcome().ok
    assert (server.asked, server.requests) == (1, [])
    server.models = None
    other = EndpointReranker(base_url=server.base_url, model="m")
    assert other.availability.outcome().ok
    assert [request["documents"] for request in server.requests] == [["hello"]]


def test_health_of_text_embeddings_inference_is_what_it_says_of_itself(server: FakeReranker) -> None:
    server.info = {"model_id": "BAAI/bge-reranker-v2-m3"}
    assert EndpointReranker(base_url=server.address, form="tei").availability.outcome().ok
    assert (server.asked, server.requests) == (1, [])


def test_health_is_that_of_the_last_use(server: FakeReranker, reranker: EndpointReranker) -> None:
    server.script(Reply(status=503))
    with pytest.raises(RerankerUnavailableError):
        reranker.scores(QUESTION, TEXTS)
    assert not reranker.availability.outcome().ok
    reranker.scores(QUESTION, TEXTS)
    assert reranker.availability.outcome().ok
    assert server.asked == 0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "option 'base_url' is missing"),
        ({"base_url": "localhost:8000"}, "use an address such as http"),
        ({"base_url": "http://me:hush@h/v1"}, "put the key into api_key"),
        ({"base_url": "http://h/v1", "form": "auto"}, "option 'form': input should be 'cohere' or 'tei'"),
        ({"base_url": "http://h/v1", "seconds": "0"}, "option 'seconds': .* greater than 0"),
        ({"base_url": "http://h/v1", "batch": "many"}, "option 'batch': .* integer"),
        ({"base_url": "http://h/v1", "api_key": "hush\u2026"}, "characters that cannot be in a key"),
        ({"base_url": "http://h/v1", "modell": "m"}, "unknown option 'modell'"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PluginError, match=f"reranker 'endpoint' cannot be used: .*{complaint}") as caught:
        registry.create("rerankers", "endpoint", **options)
    assert "hush" not in str(caught.value)
    assert "\n" not in str(caught.value)
