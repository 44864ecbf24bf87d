"""``POST /api/chat``: an answer as server-sent events.

``started {answer}``, ``sources {sources, mode, degraded}`` (and ``time`` where a question is about the law of
one), then ``block {index, html}`` (or ``delta {text}`` with ``?format=markdown``), then
``done {status, mode, degraded, model, citations}``, or ``failed {code}`` where the service broke after the
first byte. Everything that can be wrong with the request, and the search,
come before the first byte, so that they have a real status.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, count
from secrets import token_urlsafe
from typing import Final

import structlog
from apiflask import APIBlueprint
from flask import Response

from app.api import sse, visitors
from app.api.problem import documented
from app.api.schemas import ChatQuery, ChatRequest
from app.api.visitors import asked_sources, current_answering
from app.chat.events import Delta, Done, Event, Found
from app.chat.render import BlockRenderer, renderer_of
from app.chat.types import Turn
from app.documents import source_document, time_document
from app.errors import AuskunftError
from app.search.types import TimeFilter

ANSWER_ID_BYTES: Final = 12

log = structlog.get_logger(__name__)
blueprint = APIBlueprint("chat", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)

Events = Generator[Event, None, None]
Render = Callable[[Iterable[Event]], Iterator[str]]


@blueprint.post("/chat")
@blueprint.input(ChatQuery, location="query")
@blueprint.input(ChatRequest)
@blueprint.doc(
    summary="Answer a question",
    responses={
        200: {"description": "Server-sent events", "content": {sse.MEDIA_TYPE: {}}},
        **documented(400, 404, 411, 413, 415, 422, 503),
    },
)
def chat(query_data: ChatQuery, json_data: ChatRequest) -> Response:
    """Answer from the pages, with sources, as a stream of events."""
    events = _events(json_data)
    first = next(events)
    frames = _frames(first, events, _blocks if query_data.format == "html" else _deltas)
    return Response(sse.with_pings(frames), mimetype=sse.MEDIA_TYPE, headers=sse.HEADERS)


def _events(asked: ChatRequest) -> Events:
    yield from current_answering().answerer.stream(
        asked.question,
        history=[Turn(role=turn.role, content=turn.content) for turn in asked.history],
        language=asked.language,
        sources=asked_sources(asked.source),
        time=TimeFilter(at=asked.at),
    )


def _frames(first: Event, rest: Events, render: Render) -> sse.Frames:
    """The answer's events as frames; a failure on the way becomes the last one."""
    yield sse.frame("started", {"answer": token_urlsafe(ANSWER_ID_BYTES)})
    try:
        with closing(rest):
            yield from render(chain([first], rest))
    except AuskunftError as error:
        log.error("answer_failed", code=error.code, message=str(error))
        yield sse.frame("failed", {"code": error.code})
    except Exception:
        yield sse.frame("failed", {"code": "error"})
        raise


def _deltas(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        match event:
            case Found():
                yield _sources(event)
            case Delta():
                yield sse.frame("delta", {"text": event.text})
            case Done():
                yield _done(event)


def _blocks(events: Iterable[Event]) -> Iterator[str]:
    renderer = BlockRenderer()
    numbers = count()

    def framed(made: Iterable[str]) -> Iterator[str]:
        return (sse.frame("block", {"index": next(numbers), "html": html}) for html in made)

    for event in events:
        match event:
            case Found():
                renderer = renderer_of(event.sources)
                yield _sources(event)
            case Delta():
                yield from framed(renderer.feed(event.text))
            case Done():
                yield from framed(renderer.close())
                yield _done(event)


def _sources(found: Found) -> str:
    document = {
        "sources": [source_document(item) for item in found.sources],
        "mode": found.retrieval.mode,
        "degraded": found.retrieval.degraded,
    } | time_document(found.retrieval.time)
    return sse.frame("sources", document)


def _done(done: Done) -> str:
    document = {
        "status": done.status,
        "mode": done.mode,
        "degraded": done.degraded,
        "model": done.model,
        "citations": done.citations,
    }
    return sse.frame("done", document)
