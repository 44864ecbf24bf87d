"""``/api/admin/pages``: the pages for editors, each of their own sources."""

from functools import partial
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from app.api.access import require_user, visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.json_body import require_json
from app.api.page_documents import PageDetailsDocument, PageListDocument, PageReportDocument
from app.api.schemas import PageName, Text, ref_of
from app.api.state import current_services
from app.indexing.page_desk import PageDesk, page_at
from app.pages.page_list import LISTED
from app.pages.types import PageState
from ingest.types import PageRef

_NOW: Final = "As the page is now"
_PAGE: Final = "/<source>/<path:page_id>/<language>"

blueprint = AdminBlueprint(
    "page_admin", __name__, "/pages", check_body=partial(require_json, "{} does"), errors=(400, 422)
)

MOST: Final = 200
"""The most pages in a part of a list."""


def cursor_of(ref: PageRef | None) -> str | None:
    """Return the cursor that continues a list after a page: ``source/language/id``."""
    return None if ref is None else f"{ref.source}/{ref.language}/{ref.id}"


class PagesQuery(BaseModel):
    """The query of ``GET /api/admin/pages``."""

    model_config = ConfigDict(extra="forbid")

    q: Text = Field(default="", max_length=200, description="words in title, address or id")
    state: PageState | None = None
    source: Text | None = Field(default=None, description="only pages of this source")
    after: PageName | None = Field(default=None, description="`next` of the part before")
    limit: int = Field(default=LISTED, ge=1, le=MOST, description="pages in the part")

    @property
    def after_ref(self) -> PageRef | None:
        """The page that ``after`` names."""
        return None if self.after is None else ref_of(self.after)


@blueprint.get("")
@blueprint.input(PagesQuery, location="query")
@blueprint.output(PageListDocument, description="By source, id and language")
@blueprint.operation("Find pages by title, address and id")
def pages(query_data: PagesQuery) -> PageListDocument:
    """A part of the list of ``pages``; ``next`` is the ``after`` of the part that follows."""
    found = _desk().search(
        query_data.q,
        state=query_data.state,
        source=query_data.source,
        after=query_data.after_ref,
        limit=query_data.limit,
        sources=visible_sources(),
    )
    return PageListDocument.of(found, cursor_of(found.after))


@blueprint.get(_PAGE)
@blueprint.output(PageReportDocument, description="State, what was read, jobs, changes")
@blueprint.operation("All that is known of a page", 404)
def page(source: str, page_id: str, language: str) -> PageReportDocument:
    """Its state, versions and jobs. ``read``: the Markdown of each field that the index serves, and the byte
    offsets (UTF-8) of the chunks of ``content`` in it."""
    report = _desk().report(page_at(source, page_id, language), visible_sources())
    return PageReportDocument.of(report)


@blueprint.post(f"{_PAGE}/reindex")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.operation("Index a page again", 404, 415)
def reindex(source: str, page_id: str, language: str) -> PageDetailsDocument:
    """The index serves its present text meanwhile. A page that failed gets new attempts."""
    ref = page_at(source, page_id, language)
    return PageDetailsDocument.of(_desk().reindex(ref, require_user().name, visible_sources()))


@blueprint.post(f"{_PAGE}/take-out")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.operation("Take a page out of all answers", 404, 415)
def take_out(source: str, page_id: str, language: str) -> PageDetailsDocument:
    """Searches no longer find the page from now on, whatever the CMS saves, until it is brought back."""
    ref = page_at(source, page_id, language)
    return PageDetailsDocument.of(_desk().take_out(ref, require_user().name, visible_sources()))


@blueprint.post(f"{_PAGE}/bring-back")
@blueprint.output(PageDetailsDocument, description=_NOW)
@blueprint.operation("Bring a page back that was taken out", 404, 415)
def bring_back(source: str, page_id: str, language: str) -> PageDetailsDocument:
    """It is shown again as soon as it is indexed."""
    ref = page_at(source, page_id, language)
    return PageDetailsDocument.of(_desk().bring_back(ref, require_user().name, visible_sources()))


def _desk() -> PageDesk:
    return current_services().indexing.page_desk
