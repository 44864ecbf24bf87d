"""What was said in a conversation: read again, gone on with after a stop, deleted.

Who knows an id may do so; the ids are secrets of the visitors (:mod:`app.chat.conversations`).
"""

from typing import Any

from apiflask import APIBlueprint
from flask import Response

from app.api import visitors
from app.api.problem import documented
from app.api.responses import ANSWER, CONVERSATION, described
from app.api.schemas import SiteQuery
from app.api.state import current_services
from app.api.visitors import current_site
from app.chat.documents import stored_document

blueprint = APIBlueprint("conversations", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)


@blueprint.get("/answers/<secret:answer>")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Read an answer again",
    responses={200: described("As far as it is kept", ANSWER), **documented(404, 422, 429, 503)},
)
def read_answer(answer: str, query_data: SiteQuery) -> dict[str, Any]:
    """An answer as far as it is kept: finished, interrupted, or still being written."""
    return stored_document(current_services().chat.conversations.answer(current_site().key, answer))


@blueprint.post("/answers/<secret:answer>/stop")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Stop reading an answer",
    responses={
        204: {"description": "the conversation can go on"},
        **documented(404, 411, 415, 422, 429, 503),
    },
)
def stop_answer(answer: str, query_data: SiteQuery) -> Response:
    """Let the conversation go on before the answer is complete; whoever calls this closes the stream, too."""
    current_services().chat.conversations.stop(current_site().key, answer)
    return Response(status=204)


@blueprint.get("/conversations/<secret:conversation>")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Read a conversation again",
    responses={200: described("Its answers in order", CONVERSATION), **documented(404, 422, 429, 503)},
)
def read_conversation(conversation: str, query_data: SiteQuery) -> dict[str, Any]:
    """Its answers in order."""
    said = current_services().chat.conversations.answers(current_site().key, conversation)
    return {"id": conversation, "answers": [stored_document(answer) for answer in said]}


@blueprint.delete("/conversations/<secret:conversation>")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Delete a conversation",
    responses={204: {"description": "forgotten"}, **documented(404, 422, 429, 503)},
)
def delete_conversation(conversation: str, query_data: SiteQuery) -> Response:
    """Forget it, with its answers and what was said of them."""
    current_services().chat.conversations.delete(current_site().key, conversation)
    return Response(status=204)
