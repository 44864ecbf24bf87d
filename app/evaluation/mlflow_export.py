"""Copies runs to MLflow, an optional package: parameters, figures, and the results of the questions."""

from collections.abc import Mapping
from typing import Any, Final

from app.errors import AuskunftError, InputError
from app.evaluation.results import EvaluationRun

EXPERIMENT: Final = "auskunft"
RUN_TAG: Final = "auskunft.run"


def export_run(run: EvaluationRun, uri: str) -> bool:
    """Copy a run to MLflow at ``uri``; false if it is there already.

    Raises ``InputError`` if MLflow is not installed, and ``AuskunftError`` if it refuses the run.
    """
    try:
        from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415 - optional, and slow to import
        from mlflow.exceptions import MlflowException  # noqa: PLC0415
        from mlflow.tracking import MlflowClient  # noqa: PLC0415
    except ImportError as error:
        raise InputError("MLflow is not installed: pip install 'auskunft[mlflow]'") from error
    try:
        client = MlflowClient(tracking_uri=uri)
        experiment = _experiment(client)
        name = f"{run.number} {run.started_at.isoformat()}"
        if client.search_runs([experiment], f"tags.`{RUN_TAG}` = '{name}'", max_results=1):
            return False
        start = round(run.started_at.timestamp() * 1000)
        tags = {RUN_TAG: name, "auskunft.index": run.index}
        created = client.create_run(experiment, start_time=start, run_name=run.label).info.run_id
        # The tag comes last: a run that broke off has none, and is exported anew.
        client.log_batch(
            created,
            metrics=[Metric(key, value, start, 0) for key, value in metrics(run).items()],
            params=[Param(key, value) for key, value in parameters(run).items()],
        )
        client.log_dict(
            created,
            {"results": [result.model_dump(mode="json") for result in run.results]},
            "results.json",
        )
        client.log_batch(created, tags=[RunTag(key, value) for key, value in tags.items()])
        client.set_terminated(created, end_time=start + round(run.seconds * 1000))
    except MlflowException as error:
        raise AuskunftError(f"MLflow at {uri} does not take run {run.number}: {error}") from error
    return True


def metrics(run: EvaluationRun) -> dict[str, float]:
    """The figures and their intervals by the names that MLflow takes: ``hit_at_1``, ``hit_at_1.low``."""
    found: dict[str, float] = {"seconds": run.seconds}
    for name, each in run.estimates.items():
        key = name.replace("@", "_at_")
        found[key] = each.value
        if each.low is not None and each.high is not None:
            found |= {f"{key}.low": each.low, f"{key}.high": each.high}
    return found


def parameters(run: EvaluationRun) -> dict[str, str]:
    """The configuration, one name for each value, and the pool."""
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


def _experiment(client: Any) -> str:
    found = client.get_experiment_by_name(EXPERIMENT)
    made: str = found.experiment_id if found else client.create_experiment(EXPERIMENT)
    return made
