"""Evaluations in the console: started with a file of questions, kept, and shown with their reports.

They are for admins, because they show texts of all sources."""

from pathlib import PurePath
from typing import Final

from flask import make_response, request
from werkzeug.wrappers import Response

from app.api.access import record
from app.api.state import current_services
from app.console.pages import form_text, go, make_blueprint, render
from app.console.texts import console_language
from app.errors import AuskunftError, InputError
from app.features.evaluation.asked_pool import AskedPools
from app.features.evaluation.evaluation_runs import EvaluationRuns

FIGURES: Final = ("hit@1", "shown", "refused", "lost")
LISTED: Final = 50
FILE_BYTES: Final = 2 * 1024 * 1024
NAME_CHARACTERS: Final = 100
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
)
"""A report is one page with inline styles. It repeats texts of questions, so no script may run in it."""

blueprint = make_blueprint("runs", __name__, "/evaluations", for_admins=True, templates="templates")


@blueprint.get("")
def page() -> Response:
    """List the runs, newest first, in parts, and show the progress of a pool that is being asked."""
    return _page()


@blueprint.post("")
def ask() -> Response:
    """Have the questions of a file asked in the background."""
    from app.features.evaluation.pool_step import begin  # noqa: PLC0415 - it takes a while to import

    request.max_content_length = FILE_BYTES
    services = current_services()
    try:
        name, text = _uploaded()
        key = form_text("site") or next((each.key for each in services.chat.sites.all()), "")
        begin(services, services.chat.sites.find(key, None), name, text)
    except InputError as error:
        return _page(error)
    record("evaluation.ask", name)
    return go("runs.page", "asking")


@blueprint.post("/end")
def end() -> Response:
    """Stop asking the questions."""
    AskedPools(current_services().engine).end()
    record("evaluation.end", "questions")
    return go("runs.page", "asking_ended")


@blueprint.get("/<int:number>")
def report(number: int) -> Response:
    """The report of one run."""
    from app.features.evaluation.report.page import render as render_report  # noqa: PLC0415 - it draws plots
    from app.features.evaluation.results import run_of  # noqa: PLC0415

    run = run_of(EvaluationRuns(current_services().engine).get(number))
    response = make_response(render_report([run], language=console_language()))
    response.headers["Content-Security-Policy"] = REPORT_POLICY
    return response


def _page(failure: AuskunftError | None = None) -> Response:
    services = current_services()
    below = request.args.get("below", type=int)
    runs = EvaluationRuns(services.engine).all()
    found = [run for run in runs if below is None or run.number < below]
    return render(
        "runs.html",
        failure,
        runs=found[:LISTED],
        older=found[LISTED - 1].number if len(found) > LISTED else None,
        figures=FIGURES,
        asked=AskedPools(services.engine).progress(),
        sites=services.chat.sites.all(),
        chosen=request.form.get("site", ""),
    )


def _uploaded() -> tuple[str, str]:
    """Return the name and the text of the uploaded file. Raises ``InputError``."""
    file = request.files.get("questions")
    name = PurePath(file.filename or "").name if file else ""
    name = "".join(filter(str.isprintable, name))[:NAME_CHARACTERS]
    if file is None or not name:
        raise InputError("choose a file with questions")
    try:
        return name, file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "{name} is not UTF-8 at byte {place:,}: save it as text in UTF-8", name=name, place=error.start
        ) from error
