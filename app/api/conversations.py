"""Conversations: read, stop an answer, delete.

The ids are the visitors' secrets and the only authorisation (:mod:`app.chat.conversations`).
"""

from apiflask import APIBlueprint
from flask import Response, jsonify

from app.api import visitors
from app.api.problem import problem_responses
from app.api.schemas import SiteQuery
from app.api.state import current_services
from app.api.visitors import current_site
from app.chat.documents import ConversationDocument, StoredAnswerDocument, stored_document

blueprint = APIBlueprint("conversations", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)


@blueprint.get("/answers/<secret:answer>")
@blueprint.input(SiteQuery, location="query")
@blueprint.output(StoredAnswerDocument, description="As far as it is kept")
@blueprint.doc(summary="Read an answer again", responses=problem_responses(404, 422, 429, 503))
def read_answer(answer: str, query_data: SiteQuery) -> Response:
    """The answer as stored: finished, interrupted, or still being written."""
    stored = current_services().chat.conversations.answer(current_site().key, answer)
    return jsonify(stored_document(stored))


@blueprint.post("/answers/<secret:answer>/stop")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Stop reading an answer",
    responses={
        204: {"description": "the conversation can go on"},
        **problem_responses(404, 411, 415, 422, 429, 503),
    },
)
def stop_answer(answer: str, query_data: SiteQuery) -> Response:
    """End the answer, so that the conversation can go on. The client must also close the stream."""
    current_services().chat.conversations.stop(current_site().key, answer)
    return Response(status=204)


@blueprint.get("/conversations/<secret:conversation>")
@blueprint.input(SiteQuery, location="query")
@blueprint.output(ConversationDocument, description="Its answers in order")
@blueprint.doc(summary="Read a conversation again", responses=problem_responses(404, 422, 429, 503))
def read_conversation(conversation: str, query_data: SiteQuery) -> Response:
    """The conversation's answers in order."""
    said = current_services().chat.conversations.answers(current_site().key, conversation)
    return jsonify(id=conversation, answers=list(map(stored_document, said)))


@blueprint.delete("/conversations/<secret:conversation>")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="Delete a conversation",
    responses={204: {"description": "forgotten"}, **problem_responses(404, 422, 429, 503)},
)
def delete_conversation(conversation: str, query_data: SiteQuery) -> Response:
    """Delete the conversation with its answers and their feedback."""
    current_services().chat.conversations.delete(current_site().key, conversation)
    return Response(status=204)
