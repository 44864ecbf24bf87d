"""``POST /api/admin/trace``: the whole way of a question, and why a page is not in its answer."""

from typing import Any

from apiflask import APIBlueprint

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
from app.api.responses import json_response
from app.api.state import current_services
from app.api.trace_responses import TRACE
from app.api.trace_schemas import TraceRequest
from app.chat.inspector import TracedQuestion
from app.chat.trace_document import trace_document
from app.search.types import TimeFilter

blueprint = APIBlueprint("trace", __name__, url_prefix="/api/admin", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, other media types than JSON, and
    ``null``, which APIFlask takes for ``{}``."""
    require_user()
    require_object()


@blueprint.post("/trace")
@blueprint.input(TraceRequest, location="json")
@blueprint.doc(
    summary="Ask as visitors do, and see the whole way of the question",
    security="AdminToken",
    responses={
        200: json_response("The answer, and what every step did", TRACE),
        **problem_responses(400, 401, 403, 404, 413, 415, 422, 503),
    },
)
def trace(json_data: TraceRequest) -> tuple[dict[str, Any], dict[str, str]]:
    """The question is neither stored nor counted. Editors search their own sources. With ``page``,
    ``why_not`` says what kept it out of the answer, and what would have to change."""
    inspector, sources = current_services().chat.inspector, visible_sources()
    asked = TracedQuestion(
        question=json_data.question,
        site=json_data.site,
        preset=json_data.preset,
        source=json_data.source,
        conversation=json_data.conversation,
        language=json_data.language,
        time=TimeFilter(at=json_data.at),
    )
    traced = inspector.trace(asked, sources)
    page = json_data.page
    why = None if page is None else inspector.why_not(traced, page.name, sources)
    return trace_document(traced, why, json_data.texts), NO_STORE
