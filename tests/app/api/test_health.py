"""``/healthz``, ``/readyz``, ``/openapi.json``."""

import json
import re

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
    routes = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) for rule in client.application.url_map.iter_rules()
    }
    api = {route for route in routes if route.startswith("/api/")}
    assert {path for path in document["paths"] if path.startswith("/api/")} == api
    assert {"/healthz", "/readyz", "/metrics"} <= document["paths"].keys() <= routes
    chat = document["paths"]["/api/chat"]["post"]
    assert "text/event-stream" in chat["responses"]["200"]["content"]
    assert "application/problem+json" in chat["responses"]["422"]["content"]
    references = set(_references(document))
    assert references
    assert references <= {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}


def test_the_api_describes_events_and_their_answers(client: FlaskClient) -> None:
    document = client.get("/openapi.json").get_json()
    events = document["paths"]["/api/sources/{source}/events"]["post"]
    batch, *single = events["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
    assert batch["properties"]["events"]["maxItems"] == 500
    assert {each["properties"]["type"]["const"] for each in single} == {
        "page.saved",
        "page.moved",
        "page.deleted",
        "page.unpublished",
    }
    assert {parameter["name"] for parameter in events["parameters"]} == {
        "source",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
    }
    assert events["responses"].keys() == {
        *("202", "400", "401", "403", "404", "409", "411", "413", "415", "422", "429", "503")
    }
    job = document["paths"]["/api/jobs/{job_id}"]["get"]["responses"]["200"]
    reference = job["content"]["application/json"]["schema"]["$ref"]
    described = document["components"]["schemas"][reference.rpartition("/")[2]]
    assert "finished_at" in described["properties"]


def test_every_described_object_tells_its_properties(client: FlaskClient) -> None:
    """A model that cannot be described would be any object, without an error."""
    schemas = client.get("/openapi.json").get_json()["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.keys() & {"properties", "enum"}] == []


def _references(node: object) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [found for value in node.values() for found in _references(value)]
    if isinstance(node, list):
        return [found for value in node for found in _references(value)]
    return []
