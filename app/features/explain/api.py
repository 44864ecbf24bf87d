"""``POST /api/admin/trace``: the whole way of a question, and why a page is not in its answer. ``/draft``:
which of visitors' questions a draft would answer."""

from typing import Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
from app.api.state import current_services
from app.features.explain.draft_document import DraftDocument
from app.features.explain.drafts import Draft
from app.features.explain.inspector import TracedQuestion
from app.features.explain.schemas import DraftRequest, TraceRequest
from app.features.explain.services import ExplainServices
from app.features.explain.trace_document import TraceDocument
from app.search.types import TimeFilter

BODY_BYTES: Final = 1_000_000

traces = APIBlueprint("trace", __name__, url_prefix="/api/admin", tag="Administration")
drafts = APIBlueprint("draft", __name__, url_prefix="/api/admin", tag="Administration")


@traces.before_request
def _check_trace() -> None:
    """Refuse whom nobody knows, other media types than JSON, and ``null``."""
    require_user()
    require_object()


@traces.post("/trace")
@traces.input(TraceRequest, location="json")
@traces.output(TraceDocument, description="The answer, and what every step did")
@traces.doc(
    summary="Ask as visitors do, and see the whole way of the question",
    security="AdminToken",
    responses=problem_responses(400, 401, 403, 404, 413, 415, 422, 503),
)
def trace(json_data: TraceRequest) -> tuple[TraceDocument, dict[str, str]]:
    """The question is neither stored nor counted. Editors search their own sources. With ``page``,
    ``why_not`` says what kept it out of the answer, and what would have to change."""
    inspector = current_services().feature(ExplainServices).inspector
    sources = visible_sources()
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
    return TraceDocument.of(traced, why, json_data.texts), NO_STORE


@drafts.before_request
def _check_draft() -> None:
    """Refuse whom nobody knows, and other media types than JSON, which a form on another site can send."""
    request.max_content_length = BODY_BYTES
    require_user()
    require_object()


@drafts.post("/draft")
@drafts.input(DraftRequest, location="json")
@drafts.output(DraftDocument, description="What it would answer")
@drafts.doc(
    summary="Ask a draft visitors' questions",
    security="AdminToken",
    responses=problem_responses(400, 401, 403, 404, 413, 415, 422, 503),
)
def draft(json_data: DraftRequest) -> tuple[DraftDocument, dict[str, str]]:
    """The questions of the last days: ``unanswered``, which no page answers, and ``answered``, which one
    does; each with what the draft would say, and with today's first page. Nothing of the draft is kept."""
    desk = current_services().feature(ExplainServices).drafts
    report = desk.ask(Draft(**json_data.model_dump()), visible_sources())
    return DraftDocument.of(report), NO_STORE
