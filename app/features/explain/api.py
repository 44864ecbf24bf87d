"""``POST /api/admin/trace``: the whole way of a question, and why a page is not in its answer. ``/draft``:
which of visitors' questions a draft would answer."""

from typing import Final

from flask import request

from app.api.access import visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.json_body import require_object
from app.api.state import current_services
from app.api.visitors import filters_in_body
from app.features.explain.draft_document import DraftDocument
from app.features.explain.drafts import Draft
from app.features.explain.inspector import TracedQuestion
from app.features.explain.schemas import DraftRequest, TraceRequest
from app.features.explain.services import ExplainServices
from app.features.explain.trace_document import TraceDocument
from app.search.types import TimeFilter

BODY_BYTES: Final = 1_000_000


def _check_draft() -> None:
    """Allow a long text."""
    request.max_content_length = BODY_BYTES
    require_object()


traces = AdminBlueprint("trace", __name__, check_body=require_object)
drafts = AdminBlueprint("draft", __name__, check_body=_check_draft)


@traces.post("/trace")
@traces.input(TraceRequest, location="json")
@traces.output(TraceDocument, description="The answer, and what every step did")
@traces.operation("Ask as visitors do, and see the whole way of the question", 400, 404, 413, 415, 422)
def trace(json_data: TraceRequest) -> TraceDocument:
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
        filters=filters_in_body(json_data.filters),
    )
    traced = inspector.trace(asked, sources)
    page = json_data.page
    why = None if page is None else inspector.why_not(traced, page.name, sources)
    return TraceDocument.of(traced, why, json_data.texts)


@drafts.post("/draft")
@drafts.input(DraftRequest, location="json")
@drafts.output(DraftDocument, description="What it would answer")
@drafts.operation("Ask a draft visitors' questions", 400, 404, 413, 415, 422)
def draft(json_data: DraftRequest) -> DraftDocument:
    """The questions of the last days: ``unanswered``, which no page answers, and ``answered``, which one
    does; each with what the draft would say, and with today's first page. Nothing of the draft is kept."""
    desk = current_services().feature(ExplainServices).drafts
    report = desk.ask(Draft(**json_data.model_dump()), visible_sources())
    return DraftDocument.of(report)
