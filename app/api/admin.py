"""The administration: rebuilds of the index. Every request needs the installation's token.

``POST /api/admin/reindex``, ``GET /api/admin/reindex`` and ``GET``, ``DELETE /api/admin/reindex/<id>``.
"""

from typing import Final

from apiflask import APIBlueprint
from flask import request, url_for

from app.api.access import record, require_admin
from app.api.documents import RebuildDocument, RebuildsDocument
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
from app.api.schemas import ReindexRequest
from app.api.state import current_services
from app.chat.sites import select_sources

_ERRORS: Final = (401, 403, 503)

blueprint = APIBlueprint("admin", __name__, url_prefix="/api/admin", tag="Administration")
blueprint.before_request(require_admin)


@blueprint.before_request
def _require_json() -> None:
    """Refuse other media types, which a form on another site can send, and ``null``, which APIFlask takes for
    ``{}``."""
    if request.method != "POST":
        return
    require_object("{} asks for everything")


@blueprint.post("/reindex")
@blueprint.input(ReindexRequest, location="json")
@blueprint.output(RebuildDocument, status_code=202, description="Asked for")
@blueprint.doc(
    summary="Build the index anew, through the queue",
    security="AdminToken",
    responses=problem_responses(400, 409, 413, 415, 422, *_ERRORS),
)
def reindex(json_data: ReindexRequest) -> tuple[RebuildDocument, dict[str, str]]:
    """The old generation serves until the new one is complete. With ``source`` the pages of one source are
    written again in place."""
    services = current_services()
    if json_data.source is not None:
        select_sources(services.store, json_data.source)
    rebuild = services.indexing.rebuild_queue.request(json_data.source, take_over=json_data.take_over)
    record("rebuild.request", rebuild.id, after={"source": json_data.source})
    return RebuildDocument.of(rebuild), {"Location": url_for("admin.rebuild", rebuild_id=rebuild.id)}


@blueprint.get("/reindex")
@blueprint.output(RebuildsDocument, description="Newest first")
@blueprint.doc(summary="The last rebuilds", security="AdminToken", responses=problem_responses(*_ERRORS))
def rebuilds() -> tuple[RebuildsDocument, dict[str, str]]:
    """The newest first, as ``{"rebuilds": [...]}``."""
    found = current_services().indexing.rebuild_queue.all()
    return RebuildsDocument(rebuilds=list(map(RebuildDocument.of, found))), NO_STORE


@blueprint.get("/reindex/<rebuild_id>")
@blueprint.output(RebuildDocument, description="The rebuild as it is now")
@blueprint.doc(
    summary="How far a rebuild is", security="AdminToken", responses=problem_responses(404, *_ERRORS)
)
def rebuild(rebuild_id: str) -> tuple[RebuildDocument, dict[str, str]]:
    """Its ``state``: queued, running, done, needs_attention, failed or cancelled; ``reason`` says why."""
    return RebuildDocument.of(current_services().indexing.rebuild_queue.get(rebuild_id)), NO_STORE


@blueprint.delete("/reindex/<rebuild_id>")
@blueprint.output(RebuildDocument, description="It ends with the step in hand")
@blueprint.doc(
    summary="Give a rebuild up", security="AdminToken", responses=problem_responses(404, 409, *_ERRORS)
)
def cancel(rebuild_id: str) -> tuple[RebuildDocument, dict[str, str]]:
    """The old generation goes on serving."""
    cancelled = current_services().indexing.rebuild_queue.cancel(rebuild_id)
    record("rebuild.cancel", rebuild_id)
    return RebuildDocument.of(cancelled), NO_STORE
