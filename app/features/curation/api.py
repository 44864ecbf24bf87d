"""``/api/admin/curation``: editors' decisions about answers, for the sites whose sources they may see.

Changes take effect at once, in every process.
"""

from flask import Response, url_for

from app.api.access import require_user, visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.json_body import require_object
from app.api.schemas import VersionQuery
from app.api.state import current_services
from app.features.curation.desk import CurationDesk
from app.features.curation.documents import (
    CurationChange,
    CurationDocument,
    CurationPreviewDocument,
    CurationPreviewRequest,
    CurationQuery,
    CurationRequest,
    CurationsDocument,
)
from app.features.curation.services import CurationServices

blueprint = AdminBlueprint("curation", __name__, "/curation", check_body=require_object, errors=(400, 422))


@blueprint.get("")
@blueprint.input(CurationQuery, location="query")
@blueprint.output(CurationsDocument, description="The newest first")
@blueprint.operation("What editors decided about answers", 404)
def entries(query_data: CurationQuery) -> CurationsDocument:
    """Pins, fixed answers, synonyms, blocked subjects and example questions. ``state``: ``active``,
    ``paused``, ``expired``, or ``page_missing`` for a pin whose page is deleted or hidden, in whose place the
    search decides."""
    found = _desk().entries(
        site=query_data.site,
        kind=query_data.kind,
        below=query_data.below,
        limit=query_data.limit,
        sources=visible_sources(),
    )
    listed = [CurationDocument.of(entry, state) for entry, state in found]
    return CurationsDocument(entries=listed)


@blueprint.post("")
@blueprint.input(CurationRequest, location="json")
@blueprint.output(CurationDocument, status_code=201, description="It counts now")
@blueprint.operation("Decide something about answers", 404, 409, 413, 415)
def add(json_data: CurationRequest) -> tuple[CurationDocument, dict[str, str]]:
    """The fields of ``content`` depend on ``kind``: ``pin``: ``phrasings``, ``page``; ``answer``:
    ``phrasings``, ``text`` (Markdown); ``synonyms``: ``words``; ``blocked``: ``phrasings``, ``text``, and
    perhaps ``contact``; ``example``: ``text``, and perhaps ``replaces``. An entry that catches a large share
    of the last weeks' questions is refused with ``broad_curation`` unless ``confirm`` is true."""
    entry = _desk().add(
        json_data.site,
        json_data.kind,
        json_data.content,
        require_user().name,
        confirmed=json_data.confirm,
        sources=visible_sources(),
    )
    location = url_for("curation.entry", number=entry.number)
    return CurationDocument.of(entry, "active"), {"Location": location}


@blueprint.post("/preview")
@blueprint.input(CurationPreviewRequest, location="json")
@blueprint.output(CurationPreviewDocument, description="The most frequent first")
@blueprint.operation("Which past questions an entry would catch", 404, 413, 415)
def preview(json_data: CurationPreviewRequest) -> CurationPreviewDocument:
    """Nothing is stored. ``asked``: how many of the last weeks' questions were looked at."""
    found = _desk().preview(json_data.site, json_data.kind, json_data.content, sources=visible_sources())
    return CurationPreviewDocument.of(json_data.kind, json_data.content, found)


@blueprint.get("/<int:number>")
@blueprint.output(CurationDocument, description="The entry")
@blueprint.operation("One entry", 404)
def entry(number: int) -> CurationDocument:
    """The entry with its version, which a change needs."""
    return CurationDocument.of(*_desk().get(number, sources=visible_sources()))


@blueprint.put("/<int:number>")
@blueprint.input(CurationChange, location="json")
@blueprint.output(CurationDocument, description="The entry")
@blueprint.operation("Change an entry", 404, 409, 413, 415)
def change(number: int, json_data: CurationChange) -> CurationDocument:
    """The new ``content`` takes the place of what the entry said. 409 with ``conflict`` says who changed it
    after ``version`` was read."""
    changed = _desk().update(
        number,
        json_data.version,
        json_data.content,
        require_user().name,
        confirmed=json_data.confirm,
        sources=visible_sources(),
    )
    return CurationDocument.of(*_desk().get(changed.number))


@blueprint.delete("/<int:number>")
@blueprint.input(VersionQuery, location="query")
@blueprint.operation("Remove an entry", 404, 409, responses={204: {"description": "It is removed"}})
def remove(number: int, query_data: VersionQuery) -> Response:
    """The log of changes keeps what it said."""
    _desk().remove(number, query_data.version, require_user().name, sources=visible_sources())
    return Response(status=204)


def _desk() -> CurationDesk:
    return current_services().feature(CurationServices).desk
