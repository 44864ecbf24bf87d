"""Traces of questions, and drafts that are asked visitors' questions.

* ``POST /api/admin/trace``: all steps of a question, and why a page is not in its answer
* ``POST /api/admin/draft``: the visitors' questions that a draft would answer
* ``POST /api/sources/<source>/draft``: the same for a CMS
"""

from typing import Final

from apiflask import APIBlueprint, abort
from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.api.access import visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
from app.api.state import current_services
from app.api.visitors import filters_in_body
from app.features.explain.draft_document import CmsReportDocument, DraftDocument
from app.features.explain.drafts import Draft
from app.features.explain.inspector import TracedQuestion
from app.features.explain.schemas import CmsDraftRequest, DraftRequest, TraceRequest
from app.features.explain.services import ExplainServices
from app.features.explain.trace_document import TraceDocument
from app.search.retrieval import TimeFilter
from app.sources.signatures import PARAMETERS

BODY_BYTES: Final = 1_000_000


def _check_draft() -> None:
    """Allow a long text."""
    request.max_content_length = BODY_BYTES
    require_object()


traces = AdminBlueprint("trace", __name__, check_body=require_object)
drafts = AdminBlueprint("draft", __name__, check_body=_check_draft)
cms_drafts = APIBlueprint("cms_draft", __name__, url_prefix="/api/sources", tag="CMS")


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
    """The questions of the last days: ``unanswered``, also doubtful ones, and ``answered``; each with what
    the draft would say, and with the page that comes first today. Nothing of the draft is kept."""
    desk = current_services().feature(ExplainServices).drafts
    report = desk.ask(Draft(**json_data.model_dump()), visible_sources())
    return DraftDocument.of(report)


@cms_drafts.before_request
def admit() -> None:
    """Admit requests that the source's CMS signed."""
    request.max_content_length = BODY_BYTES
    source = (request.view_args or {}).get("source", "")
    try:
        body = request.get_data()
    except RequestEntityTooLarge:
        abort(413, f"the draft is larger than {BODY_BYTES:,} bytes: send its text without images")
    headers = {name.lower(): value for name, value in request.headers}
    current_services().sources.webhook.admit_draft(source, headers, body)
    require_object()


@cms_drafts.after_request
def forbid_keeping(response: Response) -> Response:
    """Forbid caches to keep what visitors asked."""
    response.headers.update(NO_STORE)
    return response


@cms_drafts.post("/<source>/draft")
@cms_drafts.input(CmsDraftRequest, location="json")
@cms_drafts.output(CmsReportDocument, description="What it would answer, and what contradicts it")
@cms_drafts.doc(
    summary="Ask a draft before it is published",
    responses=problem_responses(400, 401, 403, 404, 413, 415, 422, 429, 503),
    extensions={"parameters": PARAMETERS},
)
def ask_for_cms(source: str, json_data: CmsDraftRequest) -> CmsReportDocument:
    """The open questions of visitors that the draft would answer, or come first for, or that belong to the
    page that it replaces, and published pages that say otherwise. With ``question``, what the draft says to
    that one alone. Signed as events are. Nothing of the draft is kept."""
    given = json_data.model_dump(exclude={"question"})
    desk = current_services().feature(ExplainServices).drafts
    return CmsReportDocument.of(desk.ask_for_cms(Draft(source=source, **given), json_data.question.strip()))
