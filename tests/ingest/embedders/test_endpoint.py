"""Embedding endpoints, by a scripted one: what is sent, what is believed, what is asked again."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ingest import registry
from ingest.embedders.endpoint import EndpointEmbedder
from ingest.embedders.hashing import HashingEmbedder
from ingest.errors import EmbedderUnavailableError, PluginError
from tests.fakes.embeddings_server import FakeEmbeddings, Reply
from tests.fakes.llm import refusing_url

KEY = "sk-secret-key"
AT_ONCE = {"Retry-After": "0"}


@pytest.fixture
def server() -> Iterator[FakeEmbeddings]:
    with FakeEmbeddings() as fake:
        yield fake


@pytest.fixture
def embedder(server: FakeEmbeddings) -> Iterator[EndpointEmbedder]:
    embedder = EndpointEmbedder(base_url=server.base_url, model="BAAI/bge-m3", api_key=KEY, batch_size=3)
    yield embedder
    embedder.close()


def vectors(*rows: Any) -> Reply:
    """A reply with these vectors."""
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return Reply(raw=json.dumps({"data": data}).encode())


def test_vectors_come_in_the_order_of_the_texts_with_unit_length(embedder: EndpointEmbedder) -> None:
    texts = ["the dog tax", "the pool", "a library"]
    assert np.allclose(embedder.embed_documents(texts), HashingEmbedder(64).embed_documents(texts), atol=1e-6)


def test_texts_go_in_batches_with_the_model_and_the_key(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    embedder.embed_documents([f"text {number}" for number in range(7)])
    assert [len(request["input"]) for request in server.requests] == [3, 3, 1]
    assert {request["model"] for request in server.requests} == {"BAAI/bge-m3"}
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_without_key_none_is_sent(server: FakeEmbeddings) -> None:
    EndpointEmbedder(base_url=server.base_url, model="m").embed_query("dog")
    assert server.keys == [None]


def test_what_other_programs_keep_in_the_environment_is_not_sent(
    server: FakeEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("API_KEY", "ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS", "BASE_URL")
    for name in names:
        monkeypatch.setenv(f"OPENAI_{name}", "X-Team: hush")
    EndpointEmbedder(base_url=server.base_url, model="m").embed_query("dog")
    assert "hush" not in str(server.headers)
    assert "openai" not in str(server.headers)


def test_each_kind_of_text_has_its_prefix(server: FakeEmbeddings) -> None:
    embedder = EndpointEmbedder(
        base_url=f"{server.base_url}/", model="m", query_prefix="query: ", document_prefix="passage: "
    )
    embedder.embed_query("dog")
    embedder.embed_documents(["cat"])
    assert [request["input"] for request in server.requests] == [["query: dog"], ["passage: cat"]]


def test_what_servers_refuse_in_a_text_is_not_sent(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    embedder.embed_documents(["", "a\0b"])
    assert server.requests[0]["input"] == [" ", "a b"]


def test_dimensions_are_asked_once_unless_the_settings_give_them(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    assert (embedder.dims, embedder.dims) == (64, 64)
    assert len(server.requests) == 1
    assert EndpointEmbedder(base_url=server.base_url, model="m", dims=64).dims == 64
    assert len(server.requests) == 1


def test_the_recipe_needs_no_server_and_holds_neither_address_nor_key() -> None:
    embedder = EndpointEmbedder(base_url=refusing_url(), model="m", api_key=KEY, query_prefix="q: ")
    assert embedder.recipe == {"name": "endpoint", "model": "m", "query_prefix": "q: ", "document_prefix": ""}


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, headers=AT_ONCE),
        Reply(status=500, headers=AT_ONCE),
        Reply(status=503, headers=AT_ONCE),
        Reply(status=503),
        Reply(fault="cut"),
    ],
)
def test_a_passing_fault_is_asked_again(
    server: FakeEmbeddings, embedder: EndpointEmbedder, fault: Reply
) -> None:
    server.script(fault)
    assert embedder.embed_query("dog").shape == (64,)
    assert len(server.requests) == 2


def test_a_lasting_fault_ends_although_the_server_asks_to_come_at_once(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    server.default = Reply(status=503, headers=AT_ONCE)
    with pytest.raises(EmbedderUnavailableError, match=r"busy or broken: HTTP 503 \(scripted 503\)"):
        embedder.embed_documents(["dog"])
    assert 1 < len(server.requests) <= 8


def test_a_wait_beyond_the_time_for_asking_again_is_not_waited(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    server.script(Reply(status=429, headers={"Retry-After": "3"}))
    with pytest.raises(EmbedderUnavailableError):
        embedder.embed_query("dog")
    assert len(server.requests) == 1


def test_a_silent_server_is_left(server: FakeEmbeddings) -> None:
    server.default = Reply(fault="silent")
    embedder = EndpointEmbedder(base_url=server.base_url, model="m", timeout_seconds=0.2, retry_seconds=0)
    with pytest.raises(EmbedderUnavailableError, match="does not answer in time"):
        embedder.embed_query("dog")


def test_an_unreachable_server_is_named() -> None:
    embedder = EndpointEmbedder(base_url=refusing_url(), model="m", retry_seconds=0)
    for ask in (lambda: embedder.dims, lambda: embedder.embed_documents(["dog"])):
        with pytest.raises(EmbedderUnavailableError, match=r"'m' at 127\.0\.0\.1:\d+ cannot be reached: "):
            ask()


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Reply(status=400), r"refuses: HTTP 400 \(scripted 400\); check base_url and model"),
        (Reply(status=401), "check api_key"),
        (Reply(status=404), "check base_url"),
        (Reply(status=413), "lower batch_size"),
        (Reply(status=302, headers={"Location": "http://elsewhere.invalid/"}), "HTTP 302"),
        (Reply(raw=b"<html>Welcome</html>"), "not JSON"),
        (Reply(raw=b"\xff\xfe"), "not JSON"),
        (Reply(raw=b""), "not JSON"),
        (Reply(raw=b"[" * 100_000), "not JSON"),
        (Reply(raw=b"[]"), "no list for 2 texts"),
        (Reply(raw=b'{"data": {}}'), "no list for 2 texts"),
        (Reply(raw=b'{"data": [1, 2]}'), "no usable vectors"),
        (Reply(raw=b'{"data": [{"index": 0}, {"index": 1}]}'), "no usable vectors"),
        (vectors([1.0]), "1 for 2 texts"),
        (vectors([1.0], [1.0], [1.0]), "3 for 2 texts"),
        (vectors([1.0], [1.0, 2.0]), "no usable vectors"),
        (vectors([1.0], ["x"]), "no usable vectors"),
        (vectors([], []), "zeros"),
        (vectors([1.0], [0.0]), "zeros"),
        (vectors([1.0], [math.nan]), "not finite"),
        (vectors([1.0], [math.inf]), "not finite"),
        (vectors([1.0], [None]), "no usable vectors|not finite"),
        (vectors("AAAA", "AAAA"), "no usable vectors"),
        (Reply(raw=b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}'), "indexes"),
    ],
)
def test_a_refusal_or_an_unusable_reply_is_told_in_one_line_and_not_asked_again(
    server: FakeEmbeddings, embedder: EndpointEmbedder, reply: Reply, complaint: str
) -> None:
    server.script(reply)
    with pytest.raises(EmbedderUnavailableError, match=complaint) as caught:
        embedder.embed_documents(["dog", "cat"])
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


def test_a_model_that_changes_its_dimensions_is_not_believed_at_once(
    server: FakeEmbeddings, embedder: EndpointEmbedder
) -> None:
    embedder.embed_query("dog")
    server.default = Reply(dims=32)
    with pytest.raises(EmbedderUnavailableError, match="sent 32 dimensions instead of 64"):
        embedder.embed_query("dog")
    assert embedder.dims == 32


def test_dimensions_that_the_settings_give_hold_for_good(server: FakeEmbeddings) -> None:
    embedder = EndpointEmbedder(base_url=server.base_url, model="m", dims=32)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailableError, match="sent 64 dimensions instead of 32"):
            embedder.embed_query("dog")


def test_the_key_appears_in_no_message(server: FakeEmbeddings, embedder: EndpointEmbedder) -> None:
    body = json.dumps({"error": f"no such key: {KEY}"}).encode()
    server.script(Reply(status=401, raw=body))
    with pytest.raises(EmbedderUnavailableError, match="no such key: ") as caught:
        embedder.embed_query("dog")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"model": "m"}, "option 'base_url' is missing"),
        ({"base_url": "http://h/v1"}, "option 'model' is missing"),
        ({"base_url": "localhost:11434", "model": "m"}, "use an address such as http"),
        ({"base_url": "ftp://h/v1", "model": "m"}, "use an address such as http"),
        ({"base_url": "http://me:hush@h/v1", "model": "m"}, "put the key into api_key"),
        (
            {"base_url": "http://h/v1", "model": "m", "batch_size": "0"},
            "option 'batch_size': .* greater than 0",
        ),
        ({"base_url": "http://h/v1", "model": "m", "dims": "many"}, "option 'dims': .* integer"),
        (
            {"base_url": "http://h/v1", "model": "m", "api_key": "hush\u2026"},
            "characters that cannot be in a key",
        ),
        ({"base_url": "http://h/v1", "modell": "m"}, "unknown option 'modell'"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PluginError, match=f"embedder 'endpoint' cannot be used: .*{complaint}") as caught:
        registry.create("embedders", "endpoint", **options)
    assert "hush" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_may_be_text_as_in_the_environment(server: FakeEmbeddings) -> None:
    embedder = registry.create(
        "embedders", "endpoint", base_url=server.base_url, model="m", batch_size="2", max_tokens="8192"
    )
    embedder.embed_documents(["a", "b", "c"])
    assert embedder.max_tokens == 8_192
    assert [len(request["input"]) for request in server.requests] == [2, 1]
