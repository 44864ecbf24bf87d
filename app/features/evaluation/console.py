"""Evaluations that are kept, with their reports. They show texts of all sources, so they are for admins."""

from typing import Final

from flask import make_response, request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import make_blueprint, render
from app.console.texts import console_language
from app.features.evaluation.evaluation_runs import EvaluationRuns

FIGURES: Final = ("hit@1", "shown", "refused", "lost")
LISTED: Final = 50
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
"""A report is one page with its styles in it, and texts of questions: nothing in it may run."""

blueprint = make_blueprint("runs", __name__, "/evaluations", for_admins=True, templates="templates")


@blueprint.get("")
def page() -> Response:
    """The runs, newest first, a part at a time."""
    below = request.args.get("below", type=int)
    runs = EvaluationRuns(current_services().engine).all()
    found = [run for run in runs if below is None or run.number < below]
    older = found[LISTED - 1].number if len(found) > LISTED else None
    return render("runs.html", runs=found[:LISTED], older=older, figures=FIGURES)


@blueprint.get("/<int:number>")
def report(number: int) -> Response:
    """The report of one run."""
    from app.features.evaluation.report.page import render as render_report  # noqa: PLC0415 - it draws plots
    from app.features.evaluation.results import run_of  # noqa: PLC0415

    run = run_of(EvaluationRuns(current_services().engine).get(number))
    response = make_response(render_report([run], language=console_language()))
    response.headers["Content-Security-Policy"] = REPORT_POLICY
    return response
