"""``/healthz``, ``/readyz``, ``/openapi.json``."""

import json

from flask.testing import FlaskClient


def test_the_process_says_that_it_is_alive(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "alive"}


def test_every_part_has_a_line(client: FlaskClient) -> None:
    response = client.get("/readyz")
    assert response.status_code == 200
    parts = {part["name"]: part for part in map(json.loads, response.text.splitlines())}
    assert parts.keys() >= {"page store", "index", "embedder", "language model"}
    assert all(part["ok"] for part in parts.values())
    assert "not semantic" in parts["embedder"]["detail"]


def test_the_api_describes_itself(client: FlaskClient) -> None:
    document = client.get("/openapi.json").get_json()
    assert document["paths"].keys() == {"/api/search", "/api/chat", "/healthz", "/readyz"}
    chat = document["paths"]["/api/chat"]["post"]
    assert "text/event-stream" in chat["responses"]["200"]["content"]
    assert "application/problem+json" in chat["responses"]["422"]["content"]
    references = set(_references(document))
    assert references
    assert references <= {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}


def _references(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [found for value in node.values() for found in _references(value)]
    if isinstance(node, list):
        return [found for value in node for found in _references(value)]
    return []
