"""``POST /api/chat``: an answer as server-sent events.

* ``started {answer, conversation}``
* ``sources {sources, mode, degraded}``, with ``time`` if a time was asked for, and ``curated {kind,
  entries}`` if editors wrote the answer or pinned pages
* ``preview {index, keep, text}`` and ``block {index, html}``, or ``delta {text}`` with ``?format=markdown``
* ``done {status, mode, degraded, model, citations, probable, unsupported, suggestions}``, with ``energy`` if
  it is known and the site shows it, ``more`` and ``more_html`` if the page quoted has more, and ``curated``
* ``failed {code}`` instead of ``done`` for an error after the first byte; neither if the server is stopped

The request is validated and the first search is run before the first byte, so that their errors have an HTTP
status.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

import structlog
from apiflask import APIBlueprint
from flask import Response

from app.api import limits, sse, visitors
from app.api.chat_documents import DoneEventDocument, SourcesEventDocument
from app.api.problem import problem_responses
from app.api.schemas import ChatQuery, ChatRequest
from app.api.state import current_services
from app.api.visitors import filters_in_body, requested_site, requested_sources
from app.chat.events import DeltaEvent, DoneEvent, SourcesEvent
from app.chat.exchange import FAILED, Exchange
from app.chat.service import VisitorQuestion
from app.chat.text.draft import common_length
from app.errors import AuskunftError
from app.search.retrieval import TimeFilter

EVENTS: Final = """Server-sent events: `started`, `sources`, `preview` and `block` (or `delta`), then `done`
or `failed`; a comment (`: ping`) every 3 s."""

log = structlog.get_logger(__name__)
blueprint = APIBlueprint("chat", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)

Render = Callable[[Exchange], Iterator[str]]


@blueprint.post("/chat")
@blueprint.input(ChatQuery, location="query")
@blueprint.input(ChatRequest)
@blueprint.doc(
    summary="Answer a question",
    responses={
        200: {"description": EVENTS, "content": {sse.MEDIA_TYPE: {}}},
        **problem_responses(400, 404, 409, 411, 413, 415, 422, 429, 503),
    },
)
def chat(query_data: ChatQuery, json_data: ChatRequest) -> Response:
    """Answer from the pages, with sources, as a stream of events."""
    site = requested_site(json_data.index)
    question = VisitorQuestion(
        question=json_data.question,
        conversation=json_data.conversation,
        language=json_data.language,
        sources=requested_sources(site, json_data.source),
        time=TimeFilter(at=json_data.at),
        filters=filters_in_body(json_data.filters),
    )
    exchange = current_services().chat.service.begin(site, question, limits.visitor(site))
    frames = _frames(exchange, _blocks if query_data.format == "html" else _deltas)
    stream = sse.with_pings(frames, exchange.cancel)
    response = Response(stream, mimetype=sse.MEDIA_TYPE, headers=sse.HEADERS)
    response.call_on_close(exchange.close)
    return response


def _frames(exchange: Exchange, render: Render) -> sse.Frames:
    """The answer's events as frames. An error becomes the last frame."""
    pending = exchange.pending
    try:
        yield sse.frame("started", {"answer": pending.answer, "conversation": pending.conversation})
        yield from render(exchange)
    except AuskunftError as error:
        log.error("answer_failed", code=error.code, message=str(error))
        yield sse.frame("failed", {"code": error.code})
    except Exception:
        yield sse.frame("failed", {"code": FAILED})
        raise


def _deltas(exchange: Exchange) -> Iterator[str]:
    with closing(exchange.events()) as events:
        for event in events:
            match event:
                case SourcesEvent():
                    yield _sources_frame(exchange, event)
                case DeltaEvent():
                    yield sse.frame("delta", {"text": event.text})
                case DoneEvent():
                    yield _done_frame(exchange, event)


def _blocks(exchange: Exchange) -> Iterator[str]:
    number, shown = 0, ""
    with closing(exchange.rendered_events()) as rendered_events:
        for event, blocks, preview in rendered_events:
            if isinstance(event, SourcesEvent):
                yield _sources_frame(exchange, event)
            for html in blocks:
                yield sse.frame("block", {"index": number, "html": html})
                number, shown = number + 1, ""
            if preview != shown:
                yield _preview_frame(number, shown, preview)
                shown = preview
            if isinstance(event, DoneEvent):
                yield _done_frame(exchange, event)


def _sources_frame(exchange: Exchange, event: SourcesEvent) -> str:
    return sse.frame("sources", SourcesEventDocument.of(exchange.sources, event).to_json())


def _done_frame(exchange: Exchange, event: DoneEvent) -> str:
    return sse.frame("done", DoneEventDocument.of(exchange, event).to_json())


def _preview_frame(number: int, shown: str, preview: str) -> str:
    """The event that changes the ``shown`` text of block ``number`` into ``preview``."""
    keep = common_length(shown, preview)
    return sse.frame("preview", {"index": number, "keep": keep, "text": preview[keep:]})
