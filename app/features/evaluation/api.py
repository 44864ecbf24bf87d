"""``/api/admin/evaluations``: the evaluations that are kept."""

from app.api.access import require_admin
from app.api.admin_blueprint import AdminBlueprint
from app.api.state import current_services
from app.features.evaluation.documents import RunDocument, RunsDocument
from app.features.evaluation.evaluation_runs import EvaluationRuns

blueprint = AdminBlueprint("evaluations", __name__, "/evaluations", check=require_admin)


@blueprint.get("")
@blueprint.output(RunsDocument, description="Newest first")
@blueprint.operation("The evaluations that are kept")
def evaluations() -> RunsDocument:
    """Of each run in ``{"evaluations": [...]}`` what was measured, and how. Reports: ``auskunft runs``."""
    found = EvaluationRuns(current_services().engine).all()
    return RunsDocument(evaluations=list(map(RunDocument.of, found)))
