"""The chat for programs that know OpenAI's API, asked by OpenAI's own client."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
import structlog
from flask.testing import FlaskClient
from openai.types.chat import ChatCompletionMessageParam

from app import create_app
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings
from app.settings.sites import IndexSettings, SiteSettings
from tests.fakes.llm import FakeLlm, Reply, rewriting

TOWN = "https://www.town.example"
SITES = [
    SiteSettings(key="town", sources=["town"], origins=[TOWN], questions_per_minute=1_000),
    SiteSettings(key="busy", questions_per_minute=1),
    SiteSettings(key="choice", indexes={"all": IndexSettings(sources=["town"])}),
    SiteSettings(key="gone", suspended=True),
]
QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "How much is the dog tax?"}]


@pytest.fixture
def app_client(site_settings: Settings, llm: FakeLlm) -> Iterator[FlaskClient]:
    chat = ChatSettings(base_url=llm.base_url, model="fake", first_token_seconds=2, idle_seconds=1)
    with Services(site_settings.model_copy(update={"chat": chat, "sites": SITES})) as services:
        yield create_app(services=services).test_client()


@pytest.fixture
def client(app_client: FlaskClient) -> Iterator[openai.OpenAI]:
    """OpenAI's client, talking to the application without a socket."""
    transport = httpx2.WSGITransport(app=app_client.application, remote_addr="127.0.0.1")
    with httpx2.Client(transport=transport) as http:
        yield openai.OpenAI(
            base_url="http://localhost/v1", api_key="none", http_client=http, max_retries=0, timeout=20
        )


def test_the_sites_are_models(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["town", "busy", "choice", "choice/all"]


def test_a_question_is_answered_with_its_sources_as_annotations(client: openai.OpenAI, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("STATUS: answered\n", "It is **96 euros** [1].")))
    answer = client.chat.completions.create(model="town", messages=QUESTION, temperature=1.5)
    [choice] = answer.choices
    assert choice.finish_reason == "stop"
    assert choice.message.content == (
        "It is **96 euros** [1].\n\n**Sources**\n\n[1] [Dog tax](<https://town.example/dog-tax#:~:text="
        "The%20dog%20tax%20is>)\n"
    )
    assert choice.message.annotations is not None
    [cited] = [annotation.url_citation for annotation in choice.message.annotations]
    assert cited.url.startswith("https://town.example/dog-tax#:~:text=")
    assert cited.title == "Dog tax"
    assert choice.message.content[cited.start_index : cited.end_index] == "[1]"


def test_an_answer_is_streamed_in_chunks(client: openai.OpenAI, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("STATUS: answered\n", "It is **96 euros** [1]. ", "Guide dogs are exempt [1].")))
    chunks = list(client.chat.completions.create(model="town", messages=QUESTION, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text.startswith("It is **96 euros** [1]. Guide dogs are exempt [1].\n\n**Sources**")
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    last = chunks[-1].choices[0]
    annotations: Any = last.delta.model_extra["annotations"] if last.delta.model_extra else []
    assert (last.finish_reason, len(annotations)) == ("stop", 2)


def test_the_conversation_that_a_program_sends_is_what_a_follow_up_refers_to(
    client: openai.OpenAI, llm: FakeLlm
) -> None:
    llm.script(
        rewriting("How much is the dog tax for the second dog?"),
        Reply(deltas=("STATUS: answered\nIt is 144 euros [1].",)),
    )
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "You are a pirate."},
        *QUESTION,
        {
            "role": "assistant",
            "content": "It is 96 euros [1].\n\n**Sources**\n\n[1] [Dog tax](<https://x>)\n",
        },
        {"role": "user", "content": [{"type": "text", "text": "And for the second?"}]},
    ]
    answer = client.chat.completions.create(model="choice/all", messages=messages)
    assert (answer.choices[0].message.content or "").startswith("It is 144 euros [1].")
    asked = json.dumps(llm.requests)
    assert "And for the second?" in asked and "96 euros" in asked
    assert "pirate" not in asked and "https://x" not in asked


def test_without_the_model_the_passages_are_the_answer(site_settings: Settings) -> None:
    with Services(site_settings.model_copy(update={"sites": SITES})) as services:
        body = {"model": "town", "messages": QUESTION}
        answer = create_app(services=services).test_client().post("/v1/chat/completions", json=body)
    message = (answer.json or {})["choices"][0]["message"]
    assert "96 euros" in message["content"]
    assert message["annotations"]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "ask.town.example"])
def test_without_declared_sites_a_container_answers_whoever_reaches_it(
    site_settings: Settings, host: str
) -> None:
    headers = {"Host": host}
    with Services(site_settings.model_copy(update={"host": "0.0.0.0"})) as services:
        client = create_app(services=services).test_client()
        assert client.get("/v1/models", headers=headers).status_code == 200
        asked = {"model": "default", "messages": QUESTION}
        assert "96 euros" in client.post("/v1/chat/completions", json=asked, headers=headers).text


@pytest.mark.parametrize("changed", [{}, {"trusted_proxies": 1, "public_url": "https://chat.town.example"}])
def test_beside_declared_sites_there_is_no_model_of_all_pages(
    site_settings: Settings, changed: dict[str, Any]
) -> None:
    forwarded = {"Host": "chat.town.example", "X-Forwarded-For": "203.0.113.9"}
    headers = forwarded if changed else {}
    sites = [SiteSettings(key="staff", sources=["elsewhere"])]
    with Services(site_settings.model_copy(update={"sites": sites, **changed})) as services:
        client = create_app(services=services).test_client()
        models = client.get("/v1/models", headers=headers).get_json()["data"]
        assert [model["id"] for model in models] == ["staff"]
        asked = {"model": "default", "messages": QUESTION}
        assert client.post("/v1/chat/completions", json=asked, headers=headers).status_code == 404


def test_its_operations_are_described_below_a_heading_of_their_own(app_client: FlaskClient) -> None:
    document = app_client.get("/openapi.json").get_json()
    paths = [path for path in document["paths"] if path.startswith("/v1/")]
    assert paths == ["/v1/models", "/v1/chat/completions"]
    [tag] = [each for each in document["tags"] if each["name"] == "OpenAI"]
    assert tag["description"] == "The chat for programs that know OpenAI's API."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"model": "town"}, 422),
        ({"model": "town", "messages": []}, 422),
        ({"model": "town", "messages": [{"role": "king", "content": "x"}]}, 422),
        ({"model": "town", "messages": [{"role": "user", "content": "a\0b"}]}, 422),
        ({"model": "town", "messages": QUESTION, "n": 2}, 422),
        ({"model": "town", "messages": [{"role": "system", "content": "x"}]}, 400),
        ({"model": "town", "messages": [{"role": "user", "content": " "}]}, 400),
        ({"model": "town", "messages": [*QUESTION, {"role": "assistant", "content": "x"}]}, 400),
        ({"model": "town", "messages": [{"role": "user", "content": "x" * 5_000}]}, 400),
        ({"model": "town", "messages": [{"role": "user", "content": "x" * 2_000_000}]}, 413),
        ({"model": "nobody", "messages": QUESTION}, 404),
        ({"model": "gone", "messages": QUESTION}, 404),
        ({"model": "choice/nothing", "messages": QUESTION}, 404),
    ],
)
def test_what_cannot_be_answered_is_told_as_openai_tells_it(
    app_client: FlaskClient, body: dict[str, Any], status: int
) -> None:
    answer = app_client.post("/v1/chat/completions", json=body)
    assert answer.status_code == status
    error = (answer.json or {})["error"]
    assert error["message"] and error["type"].endswith("_error") and error["code"]


def test_what_openai_has_and_a_site_has_not_is_told_with_what_there_is(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="POST /v1/chat/completions; set the program to Chat"):
        client.responses.create(model="town", input="How much is the dog tax?")
    with pytest.raises(openai.NotFoundError, match=r"/v1/embeddings.*GET /api/search") as refusal:
        client.embeddings.create(model="town", input="dog tax")
    assert (refusal.value.type, refusal.value.code) == ("not_found_error", "not_found")
    with pytest.raises(openai.NotFoundError, match="send the prompt as a message"):
        client.completions.create(model="town", prompt="dog tax")
    with pytest.raises(openai.NotFoundError, match=r"there is no /v1/models/town: .* GET /v1/models and"):
        client.models.retrieve("town")


def test_another_method_is_told_the_right_one(app_client: FlaskClient) -> None:
    answer = app_client.get("/v1/chat/completions")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert (answer.json or {})["error"]["message"] == "GET is not allowed here: use POST."


def test_the_limit_of_a_site_holds(client: openai.OpenAI, llm: FakeLlm) -> None:
    llm.default = Reply(deltas=("STATUS: answered\nYes [1].",))
    ask = client.chat.completions.create
    with pytest.raises(openai.RateLimitError):
        for _ in range(3):
            ask(model="busy", messages=QUESTION, extra_headers={"X-Forwarded-For": "203.0.113.9"})


def test_an_answer_that_the_model_breaks_off_is_not_called_complete(
    client: openai.OpenAI, llm: FakeLlm
) -> None:
    broken = Reply(deltas=("STATUS: answered\nIt is **96 euros** [1]. ", "Every further"), ending="cut")
    llm.script(broken, broken)
    whole = client.chat.completions.create(model="town", messages=QUESTION)
    *_, last = client.chat.completions.create(model="town", messages=QUESTION, stream=True)
    assert (whole.choices[0].finish_reason, last.choices[0].finish_reason) == ("length", "length")


PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}


def test_a_program_in_a_page_of_a_site_may_ask_and_read(app_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("STATUS: answered\n", "96 euros [1].")))
    allowed = app_client.options("/v1/chat/completions", headers={"Origin": TOWN, **PREFLIGHT})
    assert (allowed.status_code, allowed.headers["Access-Control-Allow-Origin"]) == (204, TOWN)
    assert {"Authorization", "*"} <= set(allowed.headers["Access-Control-Allow-Headers"].split(", "))
    for model, status in (("town", 200), ("nowhere", 404), ("busy", 404)):
        answer = app_client.post(
            "/v1/chat/completions", json={"model": model, "messages": QUESTION}, headers={"Origin": TOWN}
        )
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (status, TOWN)
        assert "Origin" in answer.headers["Vary"]
    listed = app_client.get("/v1/models", headers={"Origin": TOWN})
    assert listed.headers["Access-Control-Allow-Origin"] == TOWN


def test_a_program_in_a_page_of_another_website_is_refused_and_logged(app_client: FlaskClient) -> None:
    other = {"Origin": "https://evil.example"}
    with structlog.testing.capture_logs() as logged:
        refused = app_client.options("/v1/chat/completions", headers={**other, **PREFLIGHT})
    why = "origin https://evil.example is not among `origins` of any site: add it to auskunft.toml"
    assert (refused.status_code, refused.get_json()["error"]["message"]) == (404, why)
    assert [line["reason"] for line in logged if line["event"] == "website_refused"] == [why]
    asked = app_client.post(
        "/v1/chat/completions", json={"model": "town", "messages": QUESTION}, headers=other
    )
    assert asked.status_code == 404
    for response in (refused, asked, app_client.get("/v1/models", headers=other)):
        assert "Access-Control-Allow-Origin" not in response.headers
