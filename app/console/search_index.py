"""The search index: its generations, and building it anew."""

from contextlib import suppress
from typing import Final

from flask import request
from werkzeug.wrappers import Response

from app.api.access import record
from app.api.state import current_services
from app.console.pages import go, make_blueprint, render
from app.errors import AuskunftError, IndexUnavailableError, NotFoundError
from app.search.index import SearchIndex
from app.search.types import Generation

PAGE: Final = "search_index.page"

blueprint = make_blueprint("search_index", __name__, "/index", for_admins=True)


@blueprint.get("")
def page() -> Response:
    """The generations and the last rebuilds."""
    return _page()


@blueprint.post("/rebuild")
def request_rebuild() -> Response:
    """Request a rebuild of the index, or, for one source, that its pages are written again."""
    services = current_services()
    source = request.form.get("source") or None
    try:
        if source is not None and source not in services.store.sources():
            raise NotFoundError("there is no source {name!r}", name=source)
        rebuild = services.indexing.rebuild_queue.request(source)
        record("rebuild.request", rebuild.id, after={"source": source})
    except AuskunftError as error:
        return _page(error)
    return go(PAGE, "rebuild")


@blueprint.post("/rebuild/<rebuild_id>/cancel")
def cancel(rebuild_id: str) -> Response:
    """Cancel a rebuild; the old generation stays live."""
    try:
        current_services().indexing.rebuild_queue.cancel(rebuild_id)
        record("rebuild.cancel", rebuild_id)
    except AuskunftError as error:
        return _page(error)
    return go(PAGE, "cancelled")


@blueprint.post("/<int:number>/rollback")
def rollback(number: int) -> Response:
    """Request that an earlier generation goes live again, once it has the changes since."""
    try:
        current_services().indexing.rebuild_queue.request_rollback(number)
        record("index.rollback", str(number))
    except AuskunftError as error:
        return _page(error)
    return go(PAGE, "rolled_back")


def _page(failure: AuskunftError | None = None) -> Response:
    services = current_services()
    index = services.indexing.opened_index
    generations = [(each, _count(index, each)) for each in index.generations()]
    rebuilds = services.indexing.rebuild_queue.all()
    return render(
        "index.html",
        failure,
        generations=generations,
        rebuilds=rebuilds,
        is_active=any(each.is_active for each in rebuilds),
        sources=services.store.sources(),
    )


def _count(index: SearchIndex, generation: Generation) -> int | None:
    """The number of pages of a generation, or None if it cannot be read."""
    with suppress(IndexUnavailableError, NotFoundError):
        return index.count(generation.number)
    return None
