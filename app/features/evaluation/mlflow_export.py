"""Copies runs and graded answers to MLflow, an optional package: parameters, figures, and the results."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.errors import AuskunftError, InputError
from app.features.evaluation.grades import GradedSheet, scores_of
from app.features.evaluation.results import EvaluationRun
from app.features.evaluation.rubric import Weights
from app.features.evaluation.statistics import Estimate, estimates
from ingest.fingerprints import recipe_hash, text_hash

EXPERIMENT: Final = "auskunft"
ANSWERS_EXPERIMENT: Final = "auskunft-answers"
RUN_TAG: Final = "auskunft.run"
TABLE: Final = "answers.json"
TABLE_TAG: Final = {"mlflow.loggedArtifacts": json.dumps([{"path": TABLE, "type": "table"}])}
"""Makes MLflow show the file as a table, with runs side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copy:
    """A run as MLflow stores it. ``key``: identifies it; ``start`` and ``end``: milliseconds since 1970;
    ``documents`` and ``texts``: its files by their names."""

    experiment: str
    key: str
    name: str
    start: int
    end: int
    tags: Mapping[str, str]
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    documents: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)


def require_mlflow() -> None:
    """Raise ``InputError`` if MLflow is not installed."""
    try:
        import mlflow.tracking  # noqa: F401, PLC0415 - optional, and slow to import
    except ImportError as error:
        raise InputError("MLflow is not installed: pip install 'auskunft[mlflow]'") from error


def export_run(run: EvaluationRun, uri: str) -> bool:
    """Copy a run to MLflow at ``uri``; return False if it is there already.

    Raises ``InputError`` if MLflow is not installed, and ``AuskunftError`` if it refuses the run.
    """
    start = round(run.started_at.timestamp() * 1000)
    copy = _Copy(
        experiment=EXPERIMENT,
        key=f"{run.number} {run.started_at.isoformat()}",
        name=run.label,
        start=start,
        end=start + round(run.seconds * 1000),
        tags={"auskunft.index": run.index},
        params=parameters(run),
        metrics=metrics(run),
        documents={"results.json": {"results": run.result_documents()}},
    )
    return _export(copy, uri, f"run {run.number}")


def export_answers(graded: Sequence[GradedSheet], name: str, weights: Weights, uri: str) -> int:
    """Copy answers and their grades to MLflow at ``uri``, a run for each answering model; return how many
    were not there yet. ``name``: of the file of answers.

    Raises ``InputError`` if MLflow is not installed, and ``AuskunftError`` if it refuses a run.
    """
    models = dict.fromkeys(each.sheet.model for each in graded)
    return sum(
        _export(
            _answers([each for each in graded if each.sheet.model == model], name, weights),
            uri,
            f"the answers of {model or 'no model'}",
        )
        for model in models
    )


def _answers(graded: Sequence[GradedSheet], name: str, weights: Weights) -> _Copy:
    """Make the copy of one model's answers."""
    sheet, grade = graded[0].sheet, graded[0].grade
    sheets = [each.sheet.model_dump_json() for each in graded]
    grades = [each.grade.model_dump_json() for each in graded]
    found = estimates([scores_of(each.grade, weights) for each in graded])
    now = round(time.time() * 1000)
    return _Copy(
        experiment=ANSWERS_EXPERIMENT,
        key=recipe_hash({"content": "\n".join([*sheets, *grades])}),
        name=f"{name}: {sheet.model or 'no model'}",
        start=now,
        end=now,
        tags=TABLE_TAG,
        params={
            "model": sheet.model or "none",
            "judge": grade.judge,
            "style": grade.style,
            "scale": grade.scale or "-",
            "judge_recipe": grade.recipe,
            "pool_hash": text_hash("\n".join(sorted(each.sheet.question for each in graded)))[:16],
            **_flat(sheet.configuration),
        },
        metrics={
            **_with_ends(found),
            "answers": len(graded),
            "ungraded": sum(bool(each.grade.ungraded) for each in graded),
            "tokens_read": sum(each.sheet.tokens.prompt for each in graded),
            "tokens_written": sum(each.sheet.tokens.output for each in graded),
            "seconds": sum(each.sheet.seconds for each in graded),
        },
        documents={TABLE: _table(graded)},
        texts={"sheets.jsonl": "\n".join(sheets), "grades.jsonl": "\n".join(grades)},
    )


def _table(graded: Sequence[GradedSheet]) -> dict[str, Any]:
    """Make a row for each answer: question, context, answer, and the judge's scores and reasons."""
    names = list(dict.fromkeys(name for each in graded for name in each.grade.scores))
    columns = ["id", "kind", "question", "context", "reference", "answer", *names, "reasons"]
    return {"columns": columns, "data": [_row(each, names) for each in graded]}


def _row(each: GradedSheet, names: Sequence[str]) -> list[Any]:
    sheet, grade = each.sheet, each.grade
    said = "\n".join(f"{name}: {reason}" for name, reason in grade.reasons.items())
    scores = [grade.scores.get(name) for name in names]
    context = "\n\n".join(sheet.context)
    return [
        sheet.id,
        sheet.kind,
        sheet.question,
        context,
        sheet.reference,
        sheet.answer,
        *scores,
        grade.ungraded or said,
    ]


def _export(copy: _Copy, uri: str, what: str) -> bool:
    require_mlflow()
    from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415 - optional, and slow to import
    from mlflow.exceptions import MlflowException  # noqa: PLC0415
    from mlflow.tracking import MlflowClient  # noqa: PLC0415

    try:
        client = MlflowClient(tracking_uri=uri)
        experiment = _experiment(client, copy.experiment)
        if client.search_runs([experiment], f"tags.`{RUN_TAG}` = '{copy.key}'", max_results=1):
            return False
        made = client.create_run(experiment, start_time=copy.start, run_name=copy.name).info.run_id
        # The tag comes last: an interrupted export has none, and is repeated.
        client.log_batch(
            made,
            metrics=[Metric(key, value, copy.start, 0) for key, value in copy.metrics.items()],
            params=[Param(key, value) for key, value in copy.params.items()],
        )
        for name, document in copy.documents.items():
            client.log_dict(made, document, name)
        for name, text in copy.texts.items():
            client.log_text(made, text, name)
        tags = {**copy.tags, RUN_TAG: copy.key}
        client.log_batch(made, tags=[RunTag(key, value) for key, value in tags.items()])
        client.set_terminated(made, end_time=copy.end)
    except MlflowException as error:
        raise AuskunftError(f"MLflow at {uri} does not accept {what}: {error}") from error
    return True


def metrics(run: EvaluationRun) -> dict[str, float]:
    """Return figures and intervals under names that MLflow accepts: ``hit_at_1``, ``hit_at_1.low``."""
    return {"seconds": run.seconds, **_with_ends(run.estimates)}


def _with_ends(estimated: Mapping[str, Estimate]) -> dict[str, float]:
    """Return figures and the ends of their intervals."""
    found: dict[str, float] = {}
    for name, each in estimated.items():
        key = name.replace("@", "_at_")
        found[key] = each.value
        if each.low is not None and each.high is not None:
            found |= {f"{key}.low": each.low, f"{key}.high": each.high}
    return found


def parameters(run: EvaluationRun) -> dict[str, str]:
    """Return the pool and the configuration, flattened to one name for each value."""
    return {
        "pool": run.pool,
        "pool_hash": run.pool_hash,
        "questions": str(run.figures["questions"]),
        **_flat(run.configuration),
    }


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = ", ".join(value) if isinstance(value, list) else str(value)
    return found


def _experiment(client: Any, name: str) -> str:
    found = client.get_experiment_by_name(name)
    made: str = found.experiment_id if found else client.create_experiment(name)
    return made
