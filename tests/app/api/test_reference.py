"""What ``/openapi.json`` tells programmers: whole sentences, visitors first, examples that are answered."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import jsonschema_rs
import pytest
from flask.testing import FlaskClient

from app import create_app
from app.api.chat_documents import DoneEventDocument, SourcesEventDocument
from app.api.reference import EXAMPLES, OPERATOR_TAGS, PROGRAM_TAGS
from app.services import Services
from tests.app.api.cms import Cms
from tests.app.api.events import named, parse

JSON: Final = "application/json"

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(site_services: Services) -> Document:
    """The description of the API, which takes half a second to make."""
    described: Document = create_app(services=site_services).test_client().get("/openapi.json").get_json()
    return described


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Each operation, as ``POST /api/chat``, in the document's order."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield f"{method.upper()} {path}", operation


def test_every_description_is_whole_sentences(document: Document) -> None:
    for name, operation in operations(document):
        said = operation["description"]
        assert re.fullmatch(r"[A-Z].*[.]", said, re.S), (name, said)
        assert len(said.split()) > 2, (name, said)
        assert said.count("`") % 2 == 0, (name, said)


def test_descriptions_of_schemas_are_markdown_with_a_line_for_each_paragraph(document: Document) -> None:
    schemas = document["components"]["schemas"]
    described = {name: schema["description"] for name, schema in schemas.items() if "description" in schema}
    assert len(described) > 100
    for name, said in described.items():
        assert "``" not in said, (name, said)
        assert said.count("`") % 2 == 0, (name, said)
        assert not re.search(r":[a-z]+:`", said), (name, said)
        assert "\n" not in said.replace("\n\n", ""), (name, said)
    assert described["UserDocument"] == "A user of the console. `sources`: `None` for all."


def test_what_visitors_ask_comes_first_and_administration_last(document: Document) -> None:
    tags = list(dict.fromkeys(operation["tags"][0] for _, operation in operations(document)))
    assert tags[:3] == list(PROGRAM_TAGS) == ["Chat", "Search", "CMS"]
    assert tags[-2:] == list(OPERATOR_TAGS) == ["Health", "Administration"]
    assert next(name for name, _ in operations(document)) == "POST /api/chat"
    assert [each["name"] for each in document["tags"]] == tags


def test_every_operation_of_visitors_and_systems_has_an_example(document: Document) -> None:
    wanted = {name for name, operation in operations(document) if operation["tags"][0] not in OPERATOR_TAGS}
    assert set(EXAMPLES) == wanted


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_as_its_operation_describes_it(document: Document, name: str) -> None:
    method, path = name.split()
    operation = document["paths"][path][method.lower()]
    described = [*document["paths"][path].get("parameters", ()), *operation.get("parameters", ())]
    parameters = {each["name"]: each for each in described}
    given = EXAMPLES[name].get("parameters", {})
    assert set(given) <= set(parameters)
    assert {each for each, known in parameters.items() if known.get("required")} <= set(given)
    for each, value in given.items():
        assert parameters[each]["example"] == value
        check(document, parameters[each]["schema"], value)
    if "body" in EXAMPLES[name]:
        check_content(document, operation["requestBody"]["content"][JSON], EXAMPLES[name]["body"])
    if "response" in EXAMPLES[name]:
        success = operation["responses"][min(operation["responses"])]
        check_content(document, success["content"][JSON], EXAMPLES[name]["response"])


def test_the_events_of_the_chats_example_are_as_their_models_describe_them() -> None:
    check_events(parse(EXAMPLES["POST /api/chat"]["stream"]))


def check_events(events: list[tuple[str, Any]]) -> None:
    """Check the events ``sources`` and ``done`` of a stream by their models."""
    (found,), (done,) = named(events, "sources"), named(events, "done")
    SourcesEventDocument.model_validate_json(json.dumps(found))
    DoneEventDocument.model_validate_json(json.dumps(done))


def check_content(document: Document, content: Document, example: object) -> None:
    assert content["example"] == example
    check(document, content.get("schema", {}), example)


def check(document: Document, schema: Document, value: object) -> None:
    """Whether the value is as the schema says, whose references lead into the document."""
    whole = schema | {"components": document["components"]}
    jsonschema_rs.validate(whole, value)


def test_the_examples_are_answered_as_they_say(cms: Cms) -> None:
    sent = EXAMPLES["POST /api/sources/{source}/events"]
    response = cms.post(sent["body"])
    assert response.status_code == 202
    assert is_told(sent["response"], response.get_json())
    cms.index()
    jobs = response.get_json()["jobs"]
    assert is_told(EXAMPLES["GET /api/jobs/{job_id}"]["response"], cms.job(jobs[0]))
    states = EXAMPLES["GET /api/sources/{source}/pages"]
    assert is_told(states["response"], cms.states(states["parameters"]["id"]).get_json())

    chat = EXAMPLES["POST /api/chat"]
    stream = cms.client.post("/api/chat", json=chat["body"], query_string=chat["parameters"]).text
    assert [name for name, _ in parse(stream)] == [name for name, _ in parse(chat["stream"])]
    check_events(parse(stream))
    (started,) = named(parse(stream), "started")
    for name, example in EXAMPLES.items():
        if "{source}" in name or "{job_id}" in name or name == "POST /api/chat":
            continue
        answer_example(cms.client, name, example, started)


def answer_example(client: FlaskClient, name: str, example: Document, started: dict[str, Any]) -> None:
    """Ask as the example does, with ids that there are."""
    method, path = name.split()
    body = example.get("body")
    if body and "answer" in body:
        body = body | {"answer": started["answer"]}
    given = example.get("parameters", {})
    query = {each: value for each, value in given.items() if f"{{{each}}}" not in path}
    query = {each: str(value).lower() if value is True else value for each, value in query.items()}
    response = client.open(path.format(**started), method=method, json=body, query_string=query)
    assert response.status_code == (200 if "response" in example else 204), (name, response.text)
    if "response" in example:
        assert is_told(example["response"], response.get_json()), name


def is_told(example: object, answered: object) -> bool:
    """True if all that an example tells is in the answer, whatever the texts and numbers are."""
    if isinstance(example, dict) and isinstance(answered, dict):
        return all(key in answered and is_told(each, answered[key]) for key, each in example.items())
    if isinstance(example, list) and isinstance(answered, list):
        return bool(example) == bool(answered) and all(map(is_told, example[:1], answered))
    return not isinstance(answered, dict | list)
