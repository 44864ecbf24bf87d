"""``POST /api/chat``: the order of events, what they hold, and what happens when the model fails."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.app.api.events import named, parse
from tests.fakes.llm import FakeLlm, Reply, rewriting

QUESTION = "How much is the dog tax in euros?"


def ask(client: FlaskClient, query: str = "", **body: Any) -> list[tuple[str, Any]]:
    response = client.post(f"/api/chat{query}", json={"question": QUESTION, **body})
    assert response.status_code == 200
    assert response.mimetype == "text/event-stream"
    return parse(response.text)


def test_the_events_come_in_order(client: FlaskClient) -> None:
    names = [name for name, _ in ask(client)]
    assert names[:2] == ["started", "sources"]
    assert names[-1] == "done"
    assert set(names[2:-1]) == {"preview", "block"}


def test_no_proxy_may_hold_the_stream_back(client: FlaskClient) -> None:
    headers = client.post("/api/chat", json={"question": QUESTION}).headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Accel-Buffering"] == "no"


def test_every_answer_has_an_id_of_its_own(client: FlaskClient) -> None:
    first, second = (named(ask(client), "started")[0]["answer"] for _ in range(2))
    assert first != second


def test_without_a_model_the_passages_are_labelled_as_extractive(client: FlaskClient) -> None:
    events = ask(client)
    (done,) = named(events, "done")
    assert done["status"] == "extractive"
    assert done["model"] is None
    assert done["citations"] == [1]
    assert "96 euros" in "".join(block["html"] for block in named(events, "block"))
    (sources,) = named(events, "sources")
    assert sources["sources"][0]["id"] == "dog-tax"
    assert sources["sources"][0]["number"] == 1


def test_a_question_without_an_answer_is_said_so(client: FlaskClient) -> None:
    (done,) = named(ask(client, question="Wer gewann xyzzy plugh frobnitz?"), "done")
    assert done["status"] == "no_answer"


def test_the_day_asked_for_is_told(client: FlaskClient) -> None:
    (sources,) = named(ask(client, question="how much is the dog tax", at="2023-01-31"), "sources")
    assert sources["time"] == {"in_force_on": "2023-01-31"}


def test_the_models_answer_comes_in_rendered_blocks(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is **96", " euros** [1].", "\n\n", "- for the first", " dog")))
    events = ask(model_client)
    blocks = named(events, "block")
    assert [block["index"] for block in blocks] == [0, 1]
    assert "<strong>96 euros</strong>" in blocks[0]["html"]
    assert 'href="#source-1"' in blocks[0]["html"]
    assert "<li>for the first dog</li>" in blocks[1]["html"]
    (done,) = named(events, "done")
    assert (done["status"], done["model"], done["citations"]) == ("answered", "fake", [1])


def shown(events: list[tuple[str, Any]]) -> list[tuple[int, str]]:
    """The text that a visitor sees of the unfinished block after each of its changes."""
    texts, text = [], ""
    for name, data in events:
        if name == "preview":
            text = text[: data["keep"]] + data["text"]
            texts.append((data["index"], text))
        elif name == "block":
            text = ""
    return texts


def test_a_block_can_be_read_while_it_is_written(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is **96 euros", "** [1].", "\n\n", "- for the", " *first* dog\n", "- and")))
    events = ask(model_client)
    assert shown(events) == [
        (0, "It is 96 euros"),
        (0, "It is 96 euros [1]."),
        (1, "• for the"),
        (1, "• for the first dog"),
        (1, "• for the first dog\n• and"),
    ]
    assert [name for name, _ in events[2:]] == [
        *("preview", "preview", "block", "preview", "preview", "preview", "block", "done")
    ]


def test_headings_of_the_cited_page_are_suggested(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("STATUS: answered\nIt is 96 euros [1].",)))
    events = ask(model_client)
    (done,) = named(events, "done")
    kept = model_client.get(f"/api/answers/{named(events, 'started')[0]['answer']}").get_json()
    assert kept["suggestions"] == done["suggestions"]


def test_without_an_answer_nothing_is_suggested(client: FlaskClient) -> None:
    (done,) = named(ask(client, question="Wer gewann xyzzy plugh frobnitz?"), "done")
    assert done["suggestions"] == []


def test_a_question_that_may_be_meant_otherwise_comes_with_the_other_reading(client: FlaskClient) -> None:
    (started,) = named(ask(client, question="What does the dog tax cost?"), "started")
    conversation = started["conversation"]
    events = ask(client, question="Can children go there?", conversation=conversation)
    (done,) = named(events, "done")
    assert done["other_readings"][0] == "Can children go there – Outdoor pool?"
    kept = client.get(f"/api/answers/{named(events, 'started')[0]['answer']}").get_json()
    assert kept["other_readings"] == done["other_readings"]


def test_markdown_comes_unrendered_if_asked_for(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is **96", " euros** [1].")))
    events = ask(model_client, "?format=markdown")
    assert "".join(delta["text"] for delta in named(events, "delta")) == "It is **96 euros** [1]."
    assert named(events, "block") == []


def test_a_models_markup_and_foreign_links_are_made_harmless(model_client: FlaskClient, llm: FakeLlm) -> None:
    evil = "<script>alert(1)</script> ![x](https://evil.example/p.png) [more](https://evil.example/) [1]"
    llm.script(Reply(deltas=(evil,)))
    html = "".join(block["html"] for block in named(ask(model_client), "block"))
    assert "<script" not in html
    assert "<img" not in html
    assert "evil.example" not in html


def test_a_conversation_goes_on(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("STATUS: answered\nYes [1].",)))
    (started,) = named(ask(model_client, question="Is there a dog tax?"), "started")
    llm.script(rewriting("How much is the dog tax in euros?"), Reply())
    (second,) = named(
        ask(model_client, question="And how much?", conversation=started["conversation"]), "started"
    )
    assert second["conversation"] == started["conversation"]
    assert second["answer"] != started["answer"]
    asked = llm.requests[1]["messages"][-1]["content"]
    assert "Is there a dog tax?" in asked
    assert "Service: Yes." in asked


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(status=429), "extractive"),
        (Reply(raw=b"garbage"), "extractive"),
        (Reply(silent=True), "extractive"),
        (Reply(deltas=("It is 96 euros. ", "More"), ending="cut"), "interrupted"),
        (Reply(deltas=("It is 96 euros. ", "More"), stall_at=1), "interrupted"),
    ],
)
def test_a_failing_model_still_leaves_an_answer(
    model_client: FlaskClient, llm: FakeLlm, reply: Reply, status: str
) -> None:
    llm.script(reply, reply)
    events = ask(model_client)
    (done,) = named(events, "done")
    assert done["status"] == status
    assert "model_unavailable" in done["degraded"]
    assert "96 euros" in "".join(block["html"] for block in named(events, "block"))


def test_the_answer_starts_before_the_question_is_rephrased(model_client: FlaskClient, llm: FakeLlm) -> None:
    (first,) = named(ask(model_client), "started")
    llm.script(Reply(stall_at=0))
    llm.asked.clear()
    body = {"question": QUESTION, "conversation": first["conversation"]}
    response = model_client.post("/api/chat", json=body, buffered=False)
    assert next(iter(response.iter_encoded())).startswith(b"event: started")
    assert llm.asked.wait(5)
    response.close()
    assert llm.hung_up.wait(5)
