"""Evaluations that are kept, as JSON."""

from typing import Any, Self

from app.document import Document, Moment
from app.features.evaluation.evaluation_runs import StoredRun


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
