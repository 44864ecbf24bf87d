"""``/api/admin/evaluations``: the evaluations that are kept."""

from typing import Final

from apiflask import APIBlueprint

from app.api.access import require_admin
from app.api.headers import NO_STORE
from app.api.problem import problem_responses
from app.api.state import current_services
from app.features.evaluation.documents import RunDocument, RunsDocument
from app.features.evaluation.evaluation_runs import EvaluationRuns

_ERRORS: Final = (401, 403, 503)

blueprint = APIBlueprint("evaluations", __name__, url_prefix="/api/admin/evaluations", tag="Administration")


@blueprint.before_request
def _check() -> None:
    require_admin()


@blueprint.get("")
@blueprint.output(RunsDocument, description="Newest first")
@blueprint.doc(
    summary="The evaluations that are kept", security="AdminToken", responses=problem_responses(*_ERRORS)
)
def evaluations() -> tuple[RunsDocument, dict[str, str]]:
    """Of each run in ``{"evaluations": [...]}`` what was measured, and how. Reports: ``auskunft runs``."""
    found = EvaluationRuns(current_services().engine).all()
    return RunsDocument(evaluations=list(map(RunDocument.of, found))), NO_STORE
