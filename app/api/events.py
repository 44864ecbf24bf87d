"""The endpoints for a CMS: send events, query jobs and pages.

``POST /api/sources/<source>/events``, ``GET /api/sources/<source>/pages?id=``, ``GET /api/jobs/<id>``.
"""

from typing import Final

from apiflask import APIBlueprint, abort
from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.api.documents import AcceptedJobDocument, AcceptedJobsDocument, PageStateDocument, PageStatesDocument
from app.api.headers import NO_STORE
from app.api.json_body import require_json
from app.api.problem import problem_responses
from app.api.schemas import PageQuery
from app.api.state import current_metrics, current_services
from app.errors import EventsError
from app.pages.types import JobDocument
from app.sources.events import MAX_EVENTS, MODELS
from app.sources.signatures import PARAMETERS

_EVENT: Final = {"oneOf": [model.model_json_schema() for model in MODELS]}
_BATCH: Final = {
    "type": "object",
    "required": ["events"],
    "additionalProperties": False,
    "properties": {"events": {"type": "array", "minItems": 1, "maxItems": MAX_EVENTS, "items": _EVENT}},
}
_BODY: Final = {"application/json": {"schema": {"oneOf": [_BATCH, *_EVENT["oneOf"]]}}}

blueprint = APIBlueprint("events", __name__, url_prefix="/api", tag="CMS")


@blueprint.post("/sources/<source>/events")
@blueprint.output(AcceptedJobsDocument, status_code=202, description="Accepted: a job for every page")
@blueprint.doc(
    summary="Tell what happened to pages",
    responses=problem_responses(400, 401, 403, 404, 409, 411, 413, 415, 422, 429, 503),
    extensions={"requestBody": {"required": True, "content": _BODY}, "parameters": PARAMETERS},
)
def receive(source: str) -> AcceptedJobsDocument:
    """One event or ``{"events": [...]}``, signed as in Standard Webhooks. All are accepted, or none."""
    services = current_services()
    require_json()
    if request.content_length is None:
        abort(411, "Send the header Content-Length.")
    limit = request.max_content_length = services.settings.max_event_bytes
    try:
        headers = {name.lower(): value for name, value in request.headers}
        jobs = services.sources.webhook.receive(source, headers, request.get_data())
    except RequestEntityTooLarge:
        remedy = "send fewer events at once, or a file by its file_url"
        abort(413, f"the body is larger than {limit:,} bytes: {remedy}")
    except EventsError as error:
        abort(422, detail={"events": {place: [said] for place, said in error.fields.items()}})
    return AcceptedJobsDocument(jobs=list(map(AcceptedJobDocument.of, jobs)))


@blueprint.after_request
def count(response: Response) -> Response:
    """Count every message by its status code, including messages that were refused early."""
    if request.endpoint == f"{blueprint.name}.{receive.__name__}":
        current_metrics().count_delivery(response.status_code)
    return response


@blueprint.get("/jobs/<job_id>")
@blueprint.output(JobDocument, description="The job as it is now")
@blueprint.doc(summary="What became of a change", responses=problem_responses(404, 503))
def job(job_id: str) -> tuple[JobDocument, dict[str, str]]:
    """Its ``status``: queued, running, waiting, indexed, unchanged, superseded or failed; ``reason`` says
    why."""
    return current_services().deliveries.job(job_id), NO_STORE


@blueprint.get("/sources/<source>/pages")
@blueprint.input(PageQuery, location="query")
@blueprint.output(PageStatesDocument, description="A state for every language")
@blueprint.doc(summary="The state of a page", responses=problem_responses(401, 403, 404, 422, 503))
def page(source: str, query_data: PageQuery) -> tuple[PageStatesDocument, dict[str, str]]:
    """The page's state in each language, for the CMS. With ``Authorization: Bearer TOKEN``."""
    authorization = request.headers.get("Authorization", "")
    rows = current_services().sources.webhook.states(source, authorization, query_data.id)
    states = list(map(PageStateDocument.of, rows))
    return PageStatesDocument(source=source, id=query_data.id, pages=states), NO_STORE
