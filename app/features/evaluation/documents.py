"""Evaluations that are kept, as JSON."""

from typing import Any, Final

from app.api.openapi import MOMENT, NUMBER, SHARE, TEXT, list_of, object_of
from app.chat.documents import timestamp
from app.features.evaluation.evaluation_runs import StoredRun

_RUN: Final = object_of(
    {
        "number": NUMBER,
        "started_at": MOMENT,
        "label": TEXT,
        "pool": TEXT,
        "seconds": SHARE,
        "index": TEXT,
        "configuration": {"type": "object"},
        "figures": {"type": "object"},
    }
)
RUNS: Final = object_of({"evaluations": list_of(_RUN)})


def run_document(run: StoredRun) -> dict[str, Any]:
    """What was measured in a run, and how."""
    names = ("label", "pool", "seconds", "index", "configuration", "figures")
    return {
        "number": run.number,
        "started_at": timestamp(run.started_at),
        **{name: run.document[name] for name in names},
    }
