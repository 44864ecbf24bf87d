"""``POST /v1/chat/completions`` and ``GET /v1/models``: the chat for programs that use OpenAI's API.

A model is a site, ``town``, or one of its indexes, ``town/acts``. The user's last message is the question,
the messages before it the conversation. System messages and sampling parameters are ignored, because a site
has its own prompts and settings. Citations are annotations of the kind ``url_citation``, as OpenAI's API
documents them; for programs that show only the text, the cited sources are also listed below it.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from http import HTTPStatus
from typing import Any, Final, NoReturn

import structlog
from apiflask import APIBlueprint, abort
from flask import Response, g, jsonify, request

from app.api import limits, sse, visitors
from app.api.problem import MEDIA_TYPE
from app.api.state import current_refusal_log, current_services
from app.chat.events import DeltaEvent, DoneEvent
from app.chat.exchange import FAILED, Exchange
from app.chat.service import VisitorQuestion
from app.chat.sites import choose_index, select_sources
from app.chat.text.catalogue import all_texts, texts
from app.chat.types import Turn
from app.errors import AuskunftError, NotFoundError, QuestionError
from app.features.completions.documents import (
    CompletionDocument,
    CompletionMessage,
    CompletionRequest,
    ErrorDocument,
    ModelsDocument,
)
from app.settings.sites import SiteSettings

BODY_BYTES: Final = 1_000_000
"""Programs send the whole conversation with each question."""

END: Final = "data: [DONE]\n\n"
OWNER: Final = "auskunft"
_CITATION: Final = re.compile(r"\[(\d+(?:, \d+)*)\]")
_SOURCES_BELOW: Final = re.compile(
    rf"\n\n\*\*(?:{'|'.join(each.sources for each in all_texts())})\*\*\n\n(?:\[\d+\] .*\n?)+\Z"
)
_IN_LINKS: Final = str.maketrans({"[": "(", "]": ")", "\n": " "})
_KINDS: Final = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error"}

_OPERATIONS: Final = {"models": "GET", "chat/completions": "POST"}
_INSTEAD: Final = {
    "responses": "; set the program to Chat Completions, for a site keeps no state for it and runs no tools",
    "embeddings": "; pages are found by GET /api/search, texts of others are not embedded",
    "completions": "; send the prompt as a message",
}

Document = dict[str, Any]
log = structlog.get_logger(__name__)


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of errors in the form of OpenAI's API."""
    schema = {
        "type": "object",
        "required": ["error"],
        "properties": {"error": ErrorDocument.model_json_schema()},
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": schema}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


blueprint = APIBlueprint(
    "completions",
    __name__,
    url_prefix="/v1",
    tag={"name": "OpenAI", "description": "The chat for programs that know OpenAI's API."},
)


@blueprint.before_request
def _raise_limit() -> None:
    request.max_content_length = BODY_BYTES


@blueprint.before_request
def _check_origin() -> Response | None:
    """Accept requests from pages of the sites, and answer preflight requests, which name no site yet."""
    origin = request.headers.get("Origin")
    if origin is None:
        return None
    try:
        current_services().chat.sites.check_origin(origin, request.host)
    except NotFoundError as error:
        current_refusal_log().note("", origin, str(error))
        raise
    g.origin = origin
    if request.method != "OPTIONS":
        return None
    allowed = {
        "Access-Control-Allow-Methods": visitors.ALLOWED_METHODS,
        "Access-Control-Allow-Headers": "Authorization, *",  # Clients send many headers about themselves.
        "Access-Control-Max-Age": str(visitors.PREFLIGHT_SECONDS),
    }
    return Response(status=HTTPStatus.NO_CONTENT, headers=allowed)


@blueprint.get("/models")
@blueprint.output(ModelsDocument, description="A list of models")
@blueprint.doc(summary="The sites, as models", responses=_errors(500, 503))
def models() -> ModelsDocument:
    """Every site that is not suspended, and each of its indexes."""
    sites = current_services().chat.sites.all()
    names = [name for site in sites for name in (site.key, *(f"{site.key}/{each}" for each in site.indexes))]
    data = [{"id": name, "object": "model", "created": 0, "owned_by": OWNER} for name in names]
    return ModelsDocument(object="list", data=data)


@blueprint.post("/chat/completions")
@blueprint.input(CompletionRequest, arg_name="body")
@blueprint.output(CompletionDocument, description="A completion, or its chunks with `stream`")
@blueprint.doc(
    summary="Answer a question, as OpenAI's API does", responses=_errors(400, 404, 413, 422, 429, 500, 503)
)
def complete(body: CompletionRequest) -> CompletionDocument | Response:
    """Answer the last message from the site's pages, with sources."""
    site = _site(body.model)
    limits.count_request(site, "chat")
    *earlier, last = _said(body.messages)
    if last.role != "user":
        raise QuestionError("the last message is not from the user: send their question last")
    question = VisitorQuestion(
        question=last.content,
        history=tuple(earlier),
        sources=select_sources(current_services().store, None, within=site.sources),
    )
    exchange = current_services().chat.service.begin(site, question, limits.visitor(site))
    if not body.stream:
        return _completion(body.model, exchange)
    stream = sse.with_pings(_chunks(body.model, exchange), exchange.cancel)
    response = Response(stream, mimetype=sse.MEDIA_TYPE, headers=sse.HEADERS)
    response.call_on_close(exchange.close)
    return response


@blueprint.route("/<path:name>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
@blueprint.doc(hide=True)
def nothing(name: str) -> NoReturn:
    """Say what there is of OpenAI's API. Raises ``NotFoundError``."""
    allowed = _OPERATIONS.get(name)
    if allowed:
        refusal = f"{request.method} is not allowed here: use {allowed}."
        abort(HTTPStatus.METHOD_NOT_ALLOWED, refusal, headers={"Allow": allowed})
    instead = _INSTEAD.get(name.partition("/")[0], "")
    there_are = "of OpenAI's API there are GET /v1/models and POST /v1/chat/completions"
    raise NotFoundError(f"there is no /v1/{name}: {there_are}{instead}")


@blueprint.after_request
def _allow_origin(response: Response) -> Response:
    response.vary.add("Origin")
    if "origin" in g:
        response.headers["Access-Control-Allow-Origin"] = g.origin
        response.headers["Access-Control-Expose-Headers"] = "Retry-After"
    return response


@blueprint.after_request
def _as_openai_tells_errors(response: Response) -> Response:
    response.headers.setdefault("Cache-Control", "no-store")
    if response.mimetype != MEDIA_TYPE:
        return response
    problem = response.get_json()
    error = _error(problem["detail"], _kind(response.status_code), problem["code"])
    response.set_data(jsonify(error).get_data())
    response.mimetype = "application/json"
    return response


def _kind(status: int) -> str:
    return "server_error" if status >= 500 else _KINDS.get(status, _KINDS[400])


def _site(model: str) -> SiteSettings:
    """The site, with the sources and preset of one of its indexes if that is named. Raises
    ``NotFoundError``."""
    key, _, index = model.partition("/")
    site = current_services().chat.sites.find(key, request.headers.get("Origin"), request.host)
    if index and index not in site.indexes:
        raise NotFoundError(f"there is no model {model!r}: GET /v1/models lists them")
    return choose_index(site, index or None)


def _said(messages: Sequence[CompletionMessage]) -> list[Turn]:
    """The messages of user and site, without parts that only OpenAI's models need. Raises
    ``QuestionError``."""
    turns = [
        Turn(role=message.role, content=_SOURCES_BELOW.sub("", message.text()))
        for message in messages
        if message.role in ("user", "assistant") and message.text().strip()
    ]
    if not turns:
        raise QuestionError("no message of the user has text: send their question last")
    return turns


def _completion(model: str, exchange: Exchange) -> CompletionDocument:
    """The whole answer as one document."""
    text, done = "", None
    with closing(exchange.events()) as events:
        for event in events:
            match event:
                case DeltaEvent():
                    text += event.text
                case DoneEvent():
                    done = event
    below = _sources_below(exchange, done)
    reason = _finish_reason(done)
    message = {"role": "assistant", "content": text + below, "annotations": _annotations(exchange, text)}
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return CompletionDocument(**_head("chat.completion", model, exchange), choices=[choice])


def _chunks(model: str, exchange: Exchange) -> sse.Frames:
    """The answer as it is written. An error after the first chunk is sent as the last chunk."""
    head = _head("chat.completion.chunk", model, exchange)
    text = ""
    try:
        yield _chunk(head, {"role": "assistant", "content": ""})
        with closing(exchange.events()) as events:
            for event in events:
                match event:
                    case DeltaEvent():
                        text += event.text
                        yield _chunk(head, {"content": event.text})
                    case DoneEvent():
                        if below := _sources_below(exchange, event):
                            yield _chunk(head, {"content": below})
                        annotations = _annotations(exchange, text)
                        yield _chunk(head, {"annotations": annotations}, _finish_reason(event))
        yield END
    except AuskunftError as error:
        log.error("answer_failed", code=error.code, message=str(error))
        yield _failure(error.code)
    except Exception:
        yield _failure(FAILED)
        raise


def _finish_reason(done: DoneEvent | None) -> str:
    """``length`` for an interrupted answer, the closest that OpenAI's API has."""
    return "stop" if done is not None and done.status != "interrupted" else "length"


def _head(kind: str, model: str, exchange: Exchange) -> Document:
    return {
        "id": f"chatcmpl-{exchange.pending.answer}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
    }


def _chunk(head: Mapping[str, Any], delta: Mapping[str, Any], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return sse.data({**head, "choices": [choice]})


def _failure(code: str) -> str:
    message = "The answer could not be written to its end: try again later."
    return sse.data(_error(message, "server_error", code))


def _error(message: str, kind: str, code: str) -> Document:
    return {"error": ErrorDocument(message=message, type=kind, param=None, code=code).to_json()}


def _sources_below(exchange: Exchange, done: DoneEvent | None) -> str:
    """The sources that the answer cites, or that probably support it, one per line; empty without any."""
    numbers = (done.citations or done.probable) if done else ()
    cited = [source for source in exchange.sources if source["number"] in numbers]
    if not cited or done is None:
        return ""
    heading = texts(done.language).sources
    return f"\n\n**{heading}**\n\n" + "".join(map(_source_line, cited))


def _source_line(source: Mapping[str, Any]) -> str:
    title = str(source["title"]).translate(_IN_LINKS) or source["url"]
    is_web = str(source["href"]).startswith(("https://", "http://"))
    link = f"[{title}](<{source['href']}>)" if is_web else title
    return f"[{source['number']}] {link}\n"


def _annotations(exchange: Exchange, text: str) -> list[Document]:
    """The places at which the text cites sources; offsets are in characters."""
    known = {source["number"]: source for source in exchange.sources}
    return [_annotation(known[number], span) for number, span in _cited(text) if number in known]


def _cited(text: str) -> Iterator[tuple[int, tuple[int, int]]]:
    for found in _CITATION.finditer(text):
        for number in found[1].split(", "):
            yield int(number), found.span()


def _annotation(source: Mapping[str, Any], span: tuple[int, int]) -> Document:
    start, end = span
    cited = {"url": source["href"], "title": source["title"], "start_index": start, "end_index": end}
    return {"type": "url_citation", "url_citation": cited}
