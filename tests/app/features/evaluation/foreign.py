"""An evaluation on questions about the town."""

from app.features.evaluation.evaluation_runs import EvaluationRuns
from app.services import Services
from tests.app.features.evaluation.results import result, run
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Keep it; the console's address names it by its number."""
    made = run("default", result("How much is the dog tax", "a", right=True))
    number = EvaluationRuns(services.engine).add(made.started_at, made.document(), made.result_documents())
    return ForeignEntries(values={"runs": {"number": number}}, for_admins=frozenset({"runs", "evaluations"}))
