"""``/healthz``: the process is alive. ``/readyz``: every check, one JSON line each."""

import json
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response

from app.api.state import current_services
from app.monitoring.readiness import checks

MEDIA_TYPE: Final = "application/x-ndjson"
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
@blueprint.doc(
    summary="Can questions be answered",
    responses=READY_RESPONSES,
)
def readyz() -> Response:
    """A line ``{"name", "ok", "detail", "required"}`` for each check; 503 if a required one fails."""
    results = checks(current_services())
    lines = "".join(json.dumps(check.document(), ensure_ascii=False) + "\n" for check in results)
    ready = all(check.ok for check in results if check.required)
    return Response(lines, status=200 if ready else 503, mimetype=MEDIA_TYPE)
