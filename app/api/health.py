"""``/healthz``: the process is alive. ``/readyz``: every check, one JSON line each."""

import json
from dataclasses import replace
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response

from app.api.metrics import is_local_request
from app.api.state import current_services
from app.monitoring.check import Check, CheckDocument
from app.monitoring.readiness import NAMING, checks

MEDIA_TYPE: Final = "application/x-ndjson"
HIDDEN_DETAIL: Final = "`auskunft status` says more"
READY_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A JSON line per part", "content": {MEDIA_TYPE: {}}},
    503: {"description": "A required part fails", "content": {MEDIA_TYPE: {}}},
}

blueprint = APIBlueprint("health", __name__, tag="Health")


@blueprint.get("/healthz")
@blueprint.doc(summary="Is the process alive", responses=[200])
def healthz() -> dict[str, str]:
    """Runs no checks."""
    return {"status": "alive"}


@blueprint.get("/readyz")
@blueprint.doc(summary="Can questions be answered", responses=READY_RESPONSES)
def readyz() -> Response:
    """A line ``{"name", "ok", "detail", "required"}`` for each check; 503 if a required one fails. Only
    requests from this machine get the names of sites and sources."""
    found, is_ours = checks(current_services()), is_local_request()
    results = [check if is_ours or check.name not in NAMING else _unnamed(check) for check in found]
    lines = "".join(map(_line, results))
    ready = all(check.ok for check in results if check.required)
    return Response(lines, status=200 if ready else 503, mimetype=MEDIA_TYPE)


def _line(check: Check) -> str:
    return json.dumps(CheckDocument.model_validate(check).to_json(), ensure_ascii=False) + "\n"


def _unnamed(check: Check) -> Check:
    return replace(check, detail=HIDDEN_DETAIL)
