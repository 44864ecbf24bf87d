"""``POST /api/admin/draft``: which of visitors' questions a draft would answer."""

from typing import Any, Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
from app.api.responses import json_response
from app.api.state import current_services
from app.features.explain.draft_document import draft_document
from app.features.explain.draft_schemas import DRAFT, DraftRequest
from app.features.explain.drafts import Draft
from app.features.explain.services import ExplainServices

BODY_BYTES: Final = 1_000_000

blueprint = APIBlueprint("draft", __name__, url_prefix="/api/admin", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, and other media types than JSON, which a form on another site can send."""
    request.max_content_length = BODY_BYTES
    require_user()
    require_object()


@blueprint.post("/draft")
@blueprint.input(DraftRequest, location="json")
@blueprint.doc(
    summary="Ask a draft visitors' questions",
    security="AdminToken",
    responses={
        200: json_response("What it would answer", DRAFT),
        **problem_responses(400, 401, 403, 404, 413, 415, 422, 503),
    },
)
def draft(json_data: DraftRequest) -> tuple[dict[str, Any], dict[str, str]]:
    """The questions of the last days: ``unanswered``, which no page answers, and ``answered``, which one
    does; each with what the draft would say, and with today's first page. Nothing of the draft is kept."""
    desk = current_services().feature(ExplainServices).drafts
    report = desk.ask(Draft(**json_data.model_dump()), visible_sources())
    return draft_document(report), NO_STORE
