"""``GET /api/search``: pages for a question, with what they scored."""

from typing import Any

from apiflask import APIBlueprint

from app.api import visitors
from app.api.problem import documented
from app.api.responses import SEARCH, described
from app.api.schemas import SearchQuery
from app.api.visitors import asked_sources, current_answering
from app.chat.documents import search_document
from app.search.types import TimeFilter

blueprint = APIBlueprint("search", __name__, url_prefix="/api", tag="Search")
visitors.register(blueprint)


@blueprint.get("/search")
@blueprint.input(SearchQuery, location="query")
@blueprint.doc(
    summary="Find pages",
    responses={200: described("Hits in rank order", SEARCH), **documented(400, 404, 422, 429, 503)},
)
def search(query_data: SearchQuery) -> tuple[dict[str, Any], dict[str, str]]:
    """What a question would be answered from: pages in rank order with their passages.

    ``highlights`` are pieces of the content (Markdown), ``marks`` the places of the question's words in them.
    """
    answering = current_answering()
    retrieval = answering.retriever.retrieve(
        answering.answerer.check(query_data.q),
        sources=asked_sources(query_data.source),
        language=query_data.language,
        limit=query_data.limit,
        time=TimeFilter(at=query_data.at),
    )
    highlights = answering.retriever.highlights(retrieval, query_data.language)
    return search_document(retrieval, highlights), {"Cache-Control": "no-store"}
