"""``GET /api/search/pages``: the results of a search page, also while somebody types."""

from apiflask import APIBlueprint

from app.api import visitors
from app.api.problem import problem_responses
from app.api.state import current_services
from app.api.visitors import requested_filters, requested_site, requested_sources
from app.features.search_page.documents import SearchPageDocument, SearchPagesQuery
from app.features.search_page.page_list import chosen, page_list
from app.search.retrieval import TimeFilter

blueprint = APIBlueprint("search_pages", __name__, url_prefix="/api", tag="Search")
visitors.register(blueprint, kind="typing")


@blueprint.get("/search/pages")
@blueprint.input(SearchPagesQuery, location="query")
@blueprint.output(SearchPageDocument, description="One part of the list")
@blueprint.doc(summary="List pages for a search page", responses=problem_responses(400, 404, 422, 429, 503))
def pages(query_data: SearchPagesQuery) -> SearchPageDocument:
    """Ten pages of all that were found, with their number and what the list can be narrowed to.

    ``title`` and ``lines`` come in pieces of plain text: every second one is to be marked. ``count`` is the
    least number where ``more`` is true. ``question``: as it was searched for; ``asked``: as it came.
    ``filters``: how many pages each choice would leave. ``facets``: only where fields are declared, what the
    pages of the whole list have in them.
    """
    site = requested_site(query_data.index)
    pipeline = current_services().chat.pipelines.of(site)
    choice = chosen(source=query_data.source, language=query_data.written_in, kind=query_data.kind)
    found = page_list(
        pipeline,
        pipeline.answerer.check(query_data.q) if not query_data.typing else query_data.q[:200],
        sources=requested_sources(site, None),
        choice=choice,
        number=query_data.page,
        language=query_data.language,
        time=TimeFilter(at=query_data.at),
        filters=requested_filters(),
        is_typing=query_data.typing,
    )
    return SearchPageDocument.of(found, current_services().settings.fields)
