"""``GET /api/search``: pages for a question, with their scores."""

from apiflask import APIBlueprint

from app.api import visitors
from app.api.headers import NO_STORE
from app.api.problem import problem_responses
from app.api.schemas import SearchQuery
from app.api.state import current_services
from app.api.visitors import requested_filters, requested_site, requested_sources
from app.chat.documents import SearchDocument
from app.chat.facet_documents import facet_documents
from app.search.retrieval import TimeFilter

blueprint = APIBlueprint("search", __name__, url_prefix="/api", tag="Search")
visitors.register(blueprint)


@blueprint.get("/search")
@blueprint.input(SearchQuery, location="query")
@blueprint.output(SearchDocument, description="Hits in rank order")
@blueprint.doc(summary="Find pages", responses=problem_responses(400, 404, 422, 429, 503))
def search(query_data: SearchQuery) -> tuple[SearchDocument, dict[str, str]]:
    """The pages in rank order with their passages, from which the question would be answered.

    ``lines``: the sentences, list items or rows of the block that matches best, as plain text, below their
    ``heading``; ``href`` opens the page at it. ``highlights``: pieces of the content (Markdown). ``marks``:
    the positions of the question's words in both. ``facets``: only if fields are declared, their values in
    the pages found: the hits, and all other pages with every word of the question.
    """
    services, site = current_services(), requested_site(query_data.index)
    pipeline = services.chat.pipelines.of(site)
    sources, language = requested_sources(site, query_data.source), query_data.language
    retrieval = pipeline.search(
        pipeline.answerer.check(query_data.q),
        sources=sources,
        language=language,
        limit=query_data.limit,
        time=TimeFilter(at=query_data.at),
        filters=requested_filters(),
    )
    highlights = pipeline.retriever.highlights(retrieval, language)
    found = pipeline.facets(retrieval, sources=sources, language=language) if services.fields else ()
    facets = facet_documents(found, services.settings.fields)
    return SearchDocument.of(retrieval, highlights, facets), NO_STORE
