"""``/api/admin/curation``: what editors decide about answers, each of the sites whose sources are theirs.
Changes count at once, in every process."""

from typing import Final

from apiflask import APIBlueprint
from flask import Response, request, url_for

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_object
from app.api.problem import problem_responses
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

_ERRORS: Final = (400, 401, 403, 422, 503)
_BODY_ERRORS: Final = (413, 415, *_ERRORS)

blueprint = APIBlueprint("curation", __name__, url_prefix="/api/admin/curation", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, other media types than JSON, which a form on another site can send, and
    ``null``, which APIFlask takes for ``{}``."""
    require_user()
    if request.method not in ("POST", "PUT"):
        return
    require_object()


@blueprint.get("")
@blueprint.input(CurationQuery, location="query")
@blueprint.output(CurationsDocument, description="The newest first")
@blueprint.doc(
    summary="What editors decided about answers",
    security="AdminToken",
    responses=problem_responses(404, *_ERRORS),
)
def entries(query_data: CurationQuery) -> tuple[CurationsDocument, dict[str, str]]:
    """Pins, fixed answers, synonyms, blocked subjects and example questions. ``state``: ``active``,
    ``expired``, or ``page_missing`` for a pin whose page is deleted or hidden, in whose place the search
    decides."""
    found = _desk().entries(
        site=query_data.site,
        kind=query_data.kind,
        below=query_data.below,
        limit=query_data.limit,
        sources=visible_sources(),
    )
    listed = [CurationDocument.of(entry, state) for entry, state in found]
    return CurationsDocument(entries=listed), NO_STORE


@blueprint.post("")
@blueprint.input(CurationRequest, location="json")
@blueprint.output(CurationDocument, status_code=201, description="It counts now")
@blueprint.doc(
    summary="Decide something about answers",
    security="AdminToken",
    responses=problem_responses(404, 409, *_BODY_ERRORS),
)
def add(json_data: CurationRequest) -> tuple[CurationDocument, dict[str, str]]:
    """What ``content`` needs depends on ``kind``: ``pin``: ``phrasings`` and ``page``; ``answer``:
    ``phrasings`` and ``text`` (Markdown); ``synonyms``: ``words``; ``blocked``: ``phrasings``, ``text``, and
    perhaps ``contact``; ``example``: ``text``, and perhaps ``replaces``. What catches a large share of the
    last weeks' questions is refused with ``broad_curation`` unless ``confirm`` is true."""
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
@blueprint.doc(
    summary="Which past questions an entry would catch",
    security="AdminToken",
    responses=problem_responses(404, *_BODY_ERRORS),
)
def preview(json_data: CurationPreviewRequest) -> tuple[CurationPreviewDocument, dict[str, str]]:
    """Nothing is stored. ``asked``: how many of the last weeks' questions were looked at."""
    found = _desk().preview(json_data.site, json_data.kind, json_data.content, sources=visible_sources())
    return CurationPreviewDocument.of(json_data.kind, json_data.content, found), NO_STORE


@blueprint.get("/<int:number>")
@blueprint.output(CurationDocument, description="The entry")
@blueprint.doc(summary="One entry", security="AdminToken", responses=problem_responses(404, *_ERRORS))
def entry(number: int) -> tuple[CurationDocument, dict[str, str]]:
    """The entry with its version, which a change needs."""
    return CurationDocument.of(*_desk().get(number, sources=visible_sources())), NO_STORE


@blueprint.put("/<int:number>")
@blueprint.input(CurationChange, location="json")
@blueprint.output(CurationDocument, description="The entry")
@blueprint.doc(
    summary="Change an entry", security="AdminToken", responses=problem_responses(404, 409, *_BODY_ERRORS)
)
def change(number: int, json_data: CurationChange) -> tuple[CurationDocument, dict[str, str]]:
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
    return CurationDocument.of(*_desk().get(changed.number)), NO_STORE


@blueprint.delete("/<int:number>")
@blueprint.input(VersionQuery, location="query")
@blueprint.doc(
    summary="Remove an entry",
    security="AdminToken",
    responses={204: {"description": "It is removed"}, **problem_responses(404, 409, *_ERRORS)},
)
def remove(number: int, query_data: VersionQuery) -> Response:
    """The log of changes keeps what it said."""
    _desk().remove(number, query_data.version, require_user().name, sources=visible_sources())
    return Response(status=204)


def _desk() -> CurationDesk:
    return current_services().feature(CurationServices).desk
