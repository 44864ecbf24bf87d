"""``GET /api/admin/questions``: visitors' questions with status, sources and feedback."""

from datetime import UTC, datetime, time
from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify

from app.api.admin_token import require_admin
from app.api.csv import csv_lines
from app.api.problem import problem_responses
from app.api.responses import QUESTIONS, json_response
from app.api.schemas import QuestionsQuery
from app.api.state import current_services
from app.chat.questions import COLUMNS

CSV: Final = "text/csv"

_LISTED: Final = json_response("The oldest first", QUESTIONS)
_LISTED["content"][CSV] = {"schema": {"type": "string"}}

blueprint = APIBlueprint("questions", __name__, url_prefix="/api/admin", tag="Administration")
blueprint.before_request(require_admin)


@blueprint.get("/questions")
@blueprint.input(QuestionsQuery, location="query")
@blueprint.doc(
    summary="What visitors asked",
    security="AdminToken",
    responses={
        200: _LISTED,
        **problem_responses(400, 401, 403, 422, 503),
    },
)
def questions(query_data: QuestionsQuery) -> Response:
    """``{"questions": [...]}``, or CSV that spreadsheets open without running formulas.

    ``unanswered``: without an answer, or with a partial one, excerpts only, or a failure. ``rated``: with
    feedback.
    """
    services = current_services()
    stored = services.chat.questions
    if query_data.site is not None:
        stored.check(query_data.site, [site.key for site in services.settings.sites])
    day = query_data.since
    since = None if day is None else datetime.combine(day, time(), UTC)
    rows = [each.document() for each in stored.since(since, site=query_data.site, kind=query_data.kind)]
    if query_data.format == "json":
        response = jsonify(questions=rows)
    else:
        response = Response("".join(csv_lines(COLUMNS, rows)), mimetype=CSV)
        response.headers["Content-Disposition"] = "attachment; filename=questions.csv"
    response.headers["Cache-Control"] = "no-store"
    return response
