"""The administration of rebuilds of the index, for admins (by log-in or token).

``POST /api/admin/reindex``, ``GET /api/admin/reindex`` and ``GET``, ``DELETE /api/admin/reindex/<id>``.
"""

from functools import partial

from flask import url_for

from app.api.access import record, require_admin
from app.api.admin_blueprint import AdminBlueprint
from app.api.documents import RebuildDocument, RebuildsDocument
from app.api.json_body import require_object
from app.api.schemas import ReindexRequest
from app.api.state import current_services
from app.chat.sites import select_sources

blueprint = AdminBlueprint(
    "admin", __name__, check=require_admin, check_body=partial(require_object, "{} asks for everything")
)


@blueprint.post("/reindex")
@blueprint.input(ReindexRequest, location="json")
@blueprint.output(RebuildDocument, status_code=202, description="Asked for")
@blueprint.operation("Build the index anew, through the queue", 400, 409, 413, 415, 422)
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
@blueprint.operation("The last rebuilds")
def rebuilds() -> RebuildsDocument:
    """The newest first, as ``{"rebuilds": [...]}``."""
    found = current_services().indexing.rebuild_queue.all()
    return RebuildsDocument(rebuilds=list(map(RebuildDocument.of, found)))


@blueprint.get("/reindex/<rebuild_id>")
@blueprint.output(RebuildDocument, description="The rebuild as it is now")
@blueprint.operation("How far a rebuild is", 404)
def rebuild(rebuild_id: str) -> RebuildDocument:
    """Its ``state``: queued, running, done, needs_attention, failed or cancelled; ``reason`` says why."""
    return RebuildDocument.of(current_services().indexing.rebuild_queue.get(rebuild_id))


@blueprint.delete("/reindex/<rebuild_id>")
@blueprint.output(RebuildDocument, description="It ends after the current step")
@blueprint.operation("Give a rebuild up", 404, 409)
def cancel(rebuild_id: str) -> RebuildDocument:
    """The old generation goes on serving."""
    cancelled = current_services().indexing.rebuild_queue.cancel(rebuild_id)
    record("rebuild.cancel", rebuild_id)
    return RebuildDocument.of(cancelled)
