"""A language model that misbehaves: every answer ends in time, is kept, and leaves nothing behind."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.errors import FloodError
from app.services import Services
from tests.app.api.events import named, parse
from tests.attacks.sites import QUESTION
from tests.fakes.llm import FakeLlm, Reply

DEADLINE_SECONDS: Final = 20
"""A rephrasing and an answer that both use up their time, on a machine with other things to do."""

HUGE: Final = 5_000_000
PLACES: Final = 3

ANSWER: Final = Reply(deltas=("STATUS: answered\nIt is 96 euros [1].",))


def event(data: bytes | dict[str, Any]) -> bytes:
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def chunk(delta: object, finish_reason: object = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}


END: Final = event(chunk({}, "stop")) + b"data: [DONE]\n\n"


def said(text: str) -> Reply:
    """The text as one delta, then a proper end."""
    return Reply(raw=event(chunk({"content": text})) + END)


def sent(data: bytes | dict[str, Any], *, end: bytes = b"") -> Reply:
    """One event."""
    return Reply(raw=event(data) + end)


CALL: Final = {"index": 0, "id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}

NO_ANSWER: Final[dict[str, Reply]] = {
    "silent": Reply(silent=True),
    "nothing after the headers": Reply(stall_at=0),
    "nothing but comments": Reply(stall_at=0, keep_alive=True),
    "closed after the headers": Reply(deltas=(), ending="cut"),
    "ended after the headers": Reply(deltas=(), ending="early"),
    "an error after the headers": Reply(deltas=(), ending="error"),
    "too many requests": Reply(status=429, headers={"Retry-After": "3600"}),
    "too many requests, for ever": Reply(status=429, headers={"Retry-After": "9" * 5_000}),
    "too many requests, until whenever": Reply(status=429, headers={"Retry-After": "²"}),
    "a bad gateway": Reply(status=502),
    "not authorised": Reply(status=401),
    "a redirect": Reply(status=307, headers={"Location": "http://127.0.0.1:9/"}),
    "an empty answer": Reply(deltas=()),
    "white space": Reply(deltas=(" ", "\n\n", "\t")),
    "invisible characters": Reply(deltas=("\u200b\u2060\x00\x1b",)),
    "a status line alone": Reply(deltas=("STATUS: answered",)),
    "thoughts alone": Reply(deltas=("<think>dogs ", "and taxes</think>")),
    "thoughts that do not end": Reply(deltas=("<think>dogs ", "and taxes")),
    "a source that there is not": Reply(deltas=(" [7] [8]",)),
    "content null": sent(chunk({"content": None}), end=END),
    "a tool call": sent(chunk({"tool_calls": [CALL]}), end=event(chunk({}, "tool_calls"))),
    "reasoning only": sent(chunk({"reasoning_content": "I think"}), end=END),
    "a refusal": sent(chunk({"refusal": "I will not"}), end=END),
    "nothing but the end": Reply(raw=b"data: [DONE]\n\n"),
    "a page": Reply(raw=b"<html><title>502</title></html>"),
    "no bytes": Reply(raw=b""),
    "bytes": Reply(raw=bytes(range(256)) * 50),
    "no text": sent(b'{"choices":[{"index":0,"delta":{"content":"\xff\xfe"}}]}'),
    "no choices": sent({"created": 1}, end=END),
    "choices null": sent({"choices": None}, end=END),
    "choices an object": sent({"choices": {"0": {}}}),
    "choices a string": sent({"choices": "abc"}),
    "choices a number": sent({"choices": 5}),
    "a choice that is null": sent({"choices": [None]}),
    "a delta that is a string": sent({"choices": [{"delta": "abc"}]}),
    "content a number": sent(chunk({"content": 5})),
    "content a list": sent(chunk({"content": [{"type": "text", "text": "It is 96 euros."}]})),
    "content an object": sent(chunk({"content": {"text": "It is 96 euros."}})),
    "a number": sent(b"5"),
    "null": sent(b"null"),
    "a string": sent(b'"x"'),
    "a list": sent(b"[1]"),
    "NaN": sent(b'{"choices": NaN}'),
    "a number too long": sent(b'{"choices": ' + b"9" * 5_000 + b"}"),
    "lists in lists": sent(b"[" * 100_000 + b"]" * 100_000),
    "objects in objects": sent(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "an error event": sent({"error": {"message": "out of memory", "code": 500}}),
    "an error that is a string": sent({"error": "out of memory"}),
    "an error of another kind": Reply(raw=b'event: error\ndata: {"message": "x"}\n\n'),
    "a huge line": said("x" * HUGE),
    "huge words": said("dog " * (HUGE // 4)),
    "huge lines": said("dog\n" * (HUGE // 4)),
    "huge brackets": said("[" * HUGE),
    "huge thoughts": said("<think>" + "x" * HUGE),
    "comments without an end": Reply(raw=b": x\n" * 100_000),
}
"""Replies without an answer: passages follow, verbatim."""

BROKEN_OFF: Final[dict[str, Reply]] = {
    "stalls": Reply(deltas=("It is 96 ", "euros"), stall_at=1),
    "stalls with comments": Reply(deltas=("It is 96 ", "euros"), stall_at=1, keep_alive=True),
    "closes early": Reply(deltas=("It is 96 ", "euros"), ending="cut"),
    "ends early": Reply(deltas=("It is 96 ", "euros"), ending="early"),
    "an error": Reply(deltas=("It is 96 ", "euros"), ending="error"),
    "endless": Reply(deltas=("It is 96 ", "euros "), endless=True),
    "endless lines": Reply(deltas=("It is 96 \n", "- euros\n"), endless=True),
    "a huge end": Reply(deltas=("It is 96 ", "x" * HUGE)),
}
"""Replies that end in the middle: what came is kept."""

ANSWERED: Final[dict[str, tuple[Reply, str]]] = {
    "another language": (said("犬税は年間96 ユーロです [1]。"), "犬税は年間96"),
    "the prompt": (said(f"You answer questions. <source 1> Question: {QUESTION} It is 96."), "It is 96"),
    "control tokens": (said("<|im_start|>It is 96 euros [1].<|im_end|><|endoftext|>"), "It is 96"),
    "a lone surrogate": (sent(b'{"choices":[{"delta":{"content":"It is \\ud800 96"}}]}', end=END), "96"),
    "NUL and escapes": (said("It is \x00\x1b[31m 96 euros."), "96 euros"),
    "text from right to left": (said("It is \u202e96\u202c euros."), "It is 96 euros"),
    "nested lists": (said("- " * 2_000 + "96"), "<ul>"),
    "nested quotes": (said("> " * 2_000 + "96"), "<blockquote>"),
    "nested emphasis": (said("*_" * 2_000 + "96"), "96"),
    "brackets": (said("[" * 5_000 + "96 euros"), "96 euros"),
    "links in links": (said("[a](" * 1_500 + "96"), "96"),
    "backticks": (said("`" * 3_000 + " 96 " + "``" * 500), "96"),
    "a table without an end": (said("|a|b|\n|-|-|\n" + "|96|\n" * 1_500), "<td>96</td>"),
    "a split citation": (Reply(deltas=("It is 96 euros ", "[", "1", "]", ".")), 'href="#source-1"'),
    "a split status line": (Reply(deltas=tuple("STATUS: answered\nIt is 96 euros [1].")), "<p>It is 96"),
    "a status line at the end": (said("It is 96 euros [1].\nSTATUS: answered"), 'href="#source-1"'),
    "two status lines": (said("STATUS: answered\nSTATUS: answered\nIt is 96 euros."), "It is 96"),
    "a status line in a fence": (said("```\nSTATUS: answered\nIt is 96 euros [1].\n```"), "It is 96"),
    "a fence that does not end": (said("STATUS: answered\n```\nIt is 96 euros [1]."), "<code>It is 96"),
    "a fence with a citation": (said("STATUS: answered\nIt is 96.\n```\n[1]\n```"), "<code>[1]"),
    "a finish reason that is a list": (sent(chunk({"content": "It is 96."}, [1])), "It is 96"),
    "cut at its limit": (sent(chunk({"content": "It is 96."}, "length")), "It is 96"),
    "filtered": (sent(chunk({"content": "It is 96."}, "content_filter")), "It is 96"),
    "line ends of another kind": (said("STATUS: answered\r\nIt is 96\r\neuros."), "<p>It is 96"),
}
"""Replies that are answers, and what is shown of them."""

CITED: Final = {
    "another language",
    "control tokens",
    "a split citation",
    "a split status line",
    "a status line at the end",
    "a status line in a fence",
}
"""Those that cite a source, outside code."""

REPETITIVE: Final = {"nested lists", "nested quotes", "nested emphasis"}
"""Those that say the same again and again before anything else."""


@pytest.fixture
def asking(hasty: Services) -> Iterator[FlaskClient]:
    """A client of the service."""
    with _leaving_nothing(hasty) as client:
        yield client


@pytest.fixture
def asking_to_rephrase(rephrasing: Services) -> Iterator[FlaskClient]:
    """A client of the service that has first questions rephrased, too."""
    with _leaving_nothing(rephrasing) as client:
        yield client


@contextmanager
def _leaving_nothing(services: Services) -> Iterator[FlaskClient]:
    """A client; afterwards no thread of its questions runs, and no place is taken."""
    _ = services.chat.pipelines, services.store
    before = set(threading.enumerate())
    yield create_app(services=services).test_client()
    for thread in set(threading.enumerate()) - before:
        thread.join(DEADLINE_SECONDS)
        assert not thread.is_alive(), f"{thread.name} goes on"
    assert free_places(services) == PLACES


def free_places(services: Services) -> int:
    """How many answers could be begun now."""
    taken = []
    with suppress(FloodError):
        while True:
            taken.append(services.chat.limit.acquire())
    for give_back in taken:
        give_back()
    return len(taken)


def ask(client: FlaskClient) -> dict[str, Any]:
    """Ask; the answer as it is kept, which is as it was streamed, in time."""
    begun = time.monotonic()
    response = client.post("/api/chat?site=town", json={"question": QUESTION})
    assert time.monotonic() - begun < DEADLINE_SECONDS
    events = parse(response.text)
    assert [name for name, _ in events if name not in {"block", "preview"}] == ["started", "sources", "done"]
    kept: dict[str, Any] = client.get(f"/api/answers/{events[0][1]['answer']}?site=town").get_json()
    assert kept["html"] == "".join(block["html"] for block in named(events, "block"))
    assert {name: kept[name] for name in events[-1][1]} == events[-1][1]
    return kept


@pytest.mark.parametrize("reply", NO_ANSWER.values(), ids=NO_ANSWER.keys())
def test_a_model_that_gives_no_answer_leaves_the_passages(
    asking: FlaskClient, llm: FakeLlm, reply: Reply
) -> None:
    llm.default = reply
    kept = ask(asking)
    assert (kept["status"], kept["degraded"]) == ("extractive", ["model_unavailable"])
    assert "96 euros" in kept["html"]


@pytest.mark.parametrize("reply", BROKEN_OFF.values(), ids=BROKEN_OFF.keys())
def test_what_came_of_an_answer_that_breaks_off_is_kept(
    asking: FlaskClient, llm: FakeLlm, reply: Reply
) -> None:
    llm.script(reply)
    kept = ask(asking)
    # An endless reply says the same again and again, and is stopped for that.
    expected = ("unverified", []) if reply.endless else ("interrupted", ["model_unavailable"])
    assert (kept["status"], kept["degraded"]) == expected
    assert kept["answer"].startswith("It is 96")
    assert len(kept["answer"]) < 20_000


@pytest.mark.parametrize("name", sorted(ANSWERED.keys() - REPETITIVE))
def test_an_odd_answer_is_one_but_needs_a_citation(asking: FlaskClient, llm: FakeLlm, name: str) -> None:
    reply, shown = ANSWERED[name]
    llm.script(reply)
    kept = ask(asking)
    assert (kept["status"], kept["degraded"]) == ("answered" if name in CITED else "unverified", [])
    assert shown in kept["html"]


@pytest.mark.parametrize("name", sorted(REPETITIVE))
def test_an_answer_that_only_repeats_itself_gives_way_to_passages(
    asking: FlaskClient, llm: FakeLlm, name: str
) -> None:
    reply, _ = ANSWERED[name]
    llm.script(reply)
    kept = ask(asking)
    assert (kept["status"], kept["degraded"]) == ("extractive", ["model_unavailable"])


SLOW: Final = ("nothing after the headers", "nothing but comments", "stalls with comments", "endless lines")
PROSE: Final = {
    "an answer": said("The answer is 10."),
    "the question as it is": said(QUESTION),
    "an apology": said("I'm sorry, I can't help with that."),
    "another object": said('{"answer": "96 euros"}'),
    "an empty object": said("{}"),
}
REPHRASINGS: Final = {
    name: reply for name, reply in (NO_ANSWER | BROKEN_OFF | PROSE).items() if name not in SLOW
}
"""Without some of those that only take time."""


@pytest.mark.parametrize("reply", REPHRASINGS.values(), ids=REPHRASINGS.keys())
def test_a_rephrasing_that_fails_leaves_the_question_as_it_was(
    asking_to_rephrase: FlaskClient, llm: FakeLlm, reply: Reply
) -> None:
    llm.script(reply)
    llm.default = ANSWER
    kept = ask(asking_to_rephrase)
    assert (kept["status"], kept["degraded"]) == ("answered", ["rephrase_failed"])


def test_a_reader_who_leaves_a_silent_model_leaves_nothing(
    asking_to_rephrase: FlaskClient, llm: FakeLlm
) -> None:
    llm.script(Reply(silent=True))
    response = asking_to_rephrase.post("/api/chat?site=town", json={"question": QUESTION}, buffered=False)
    (started,) = named(parse(next(iter(response.iter_encoded())).decode()), "started")
    assert llm.asked.wait(DEADLINE_SECONDS)
    response.close()
    assert llm.hung_up.wait(DEADLINE_SECONDS)
    kept = asking_to_rephrase.get(f"/api/answers/{started['answer']}?site=town").get_json()
    assert kept["status"] == "interrupted"
