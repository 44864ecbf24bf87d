"""``POST /api/feedback``: a visitor's rating of an answer."""

from apiflask import APIBlueprint
from flask import Response

from app.api import visitors
from app.api.problem import problem_responses
from app.api.schemas import FeedbackRequest, SiteQuery
from app.api.state import current_services
from app.api.visitors import current_site

blueprint = APIBlueprint("feedback", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)


@blueprint.post("/feedback")
@blueprint.input(SiteQuery, location="query")
@blueprint.input(FeedbackRequest)
@blueprint.doc(
    summary="Say whether an answer helped",
    responses={204: {"description": "Kept"}, **problem_responses(400, 404, 411, 413, 415, 422, 429, 503)},
)
def give(query_data: SiteQuery, json_data: FeedbackRequest) -> Response:
    """Replaces an earlier rating of the same answer."""
    feedback = current_services().chat.feedback
    feedback.give(current_site().key, json_data.answer, json_data.rating, json_data.comment)
    return Response(status=204)
