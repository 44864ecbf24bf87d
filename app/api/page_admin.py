"""``/api/admin/pages``: the pages for editors, each of their own sources."""

from typing import Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.json_body import require_json
from app.api.page_documents import PageDetailsDocument, PageListDocument, PageReportDocument
from app.api.page_schemas import PagesQuery, cursor_of
from app.api.problem import problem_responses
from app.api.state import current_services
from app.errors import NotFoundError
from app.indexing.page_desk import PageDesk
from ingest.types import PageRef

_ERRORS: Final = (400, 401, 403, 422, 503)
_CHANGES: Final = problem_responses(404, 415, *_ERRORS)
_NOW: Final = "As the page is now"
_PAGE: Final = "/<source>/<path:page_id>/<language>"

blueprint = APIBlueprint("page_admin", __name__, url_prefix="/api/admin/pages", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, and other media types than JSON, which a form on another site can send."""
    require_user()
    if request.method == "POST":
        require_json("{} does")


@blueprint.get("")
@blueprint.input(PagesQuery, location="query")
@blueprint.output(PageListDocument, description="By source, id and language")
@blueprint.doc(
    summary="Find pages by title, address and id",
    security="AdminToken",
    responses=problem_responses(*_ERRORS),
)
def pages(query_data: PagesQuery) -> tuple[PageListDocument, dict[str, str]]:
    """A part of the list of ``pages``; ``next`` is the ``after`` of the part that follows."""
    found = _desk().search(
        query_data.q,
        state=query_data.state,
        source=query_data.source,
        after=query_data.after_ref,
        limit=query_data.limit,
        sources=visible_sources(),
    )
    return PageListDocument.of(found, cursor_of(found.after)), NO_STORE


@blueprint.get(_PAGE)
@blueprint.output(PageReportDocument, description="State, what was read, jobs, changes")
@blueprint.doc(
    summary="All that is known of a page", security="AdminToken", responses=problem_responses(404, *_ERRORS)
)
def page(source: str, page_id: str, language: str) -> tuple[PageReportDocument, dict[str, str]]:
    """Its state, versions and jobs. ``read``: the Markdown of each field that the index serves, and the byte
    offsets (UTF-8) of the chunks of ``content`` in it."""
    report = _desk().report(_ref(source, page_id, language), visible_sources())
    return PageReportDocument.of(report), NO_STORE


@blueprint.post(f"{_PAGE}/reindex")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.doc(summary="Index a page again", security="AdminToken", responses=_CHANGES)
def reindex(source: str, page_id: str, language: str) -> tuple[PageDetailsDocument, dict[str, str]]:
    """It is served meanwhile as it is. One that failed gets new attempts."""
    ref = _ref(source, page_id, language)
    return PageDetailsDocument.of(_desk().reindex(ref, require_user().name, visible_sources())), NO_STORE


@blueprint.post(f"{_PAGE}/take-out")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.doc(summary="Take a page out of all answers", security="AdminToken", responses=_CHANGES)
def take_out(source: str, page_id: str, language: str) -> tuple[PageDetailsDocument, dict[str, str]]:
    """It is hidden from the next search on and stays out until it is brought back, whatever the CMS saves."""
    ref = _ref(source, page_id, language)
    return PageDetailsDocument.of(_desk().take_out(ref, require_user().name, visible_sources())), NO_STORE


@blueprint.post(f"{_PAGE}/bring-back")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.doc(summary="Bring a page back that was taken out", security="AdminToken", responses=_CHANGES)
def bring_back(source: str, page_id: str, language: str) -> tuple[PageDetailsDocument, dict[str, str]]:
    """It is shown again as soon as it is indexed."""
    ref = _ref(source, page_id, language)
    return PageDetailsDocument.of(_desk().bring_back(ref, require_user().name, visible_sources())), NO_STORE


def _desk() -> PageDesk:
    return current_services().indexing.page_desk


def _ref(source: str, page_id: str, language: str) -> PageRef:
    try:
        return PageRef(source=source, id=page_id, language=language)
    except ValueError as error:
        raise NotFoundError("no page has that address: {error}", error=str(error)) from error
