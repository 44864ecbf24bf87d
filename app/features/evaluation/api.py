"""``/api/admin/evaluations``: the evaluations that are kept."""

from typing import Any, Self

from app.api.access import require_admin
from app.api.admin_blueprint import AdminBlueprint
from app.api.state import current_services
from app.document import Document, Moment
from app.features.evaluation.evaluation_runs import EvaluationRuns, StoredRun


class RunDocument(Document):
    """A run: its figures, and the configuration that was measured."""

    number: int
    started_at: Moment
    label: str
    pool: str
    seconds: float
    index: str
    configuration: dict[str, Any]
    figures: dict[str, Any]

    @classmethod
    def of(cls, run: StoredRun) -> Self:
        """Describe a run."""
        names = ("label", "pool", "seconds", "index", "configuration", "figures")
        said = {name: run.document[name] for name in names}
        return cls(number=run.number, started_at=run.started_at, **said)


class RunsDocument(Document):
    """The evaluations that are kept."""

    evaluations: list[RunDocument]


blueprint = AdminBlueprint("evaluations", __name__, "/evaluations", check=require_admin)


@blueprint.get("")
@blueprint.output(RunsDocument, description="Newest first")
@blueprint.operation("The evaluations that are kept")
def evaluations() -> RunsDocument:
    """Return in ``{"evaluations": [...]}`` what each run measured, and how. Reports: ``auskunft runs``."""
    found = EvaluationRuns(current_services().engine).all()
    return RunsDocument(evaluations=list(map(RunDocument.of, found)))
