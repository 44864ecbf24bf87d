"""Questions as the search sees them."""

from app.search.query import Query
from app.search.retrieval import ANY_TIME
from app.search.scope import ALL_PAGES


def query(question: str, language: str, unknown: tuple[str, ...] = ()) -> Query:
    """A question to the town's pages."""
    return Query(
        question=question,
        words=(),
        unknown=unknown,
        keywords=(),
        sources=frozenset({"town"}),
        limit=10,
        language=language,
        time=ANY_TIME,
        filters=(),
        scope=ALL_PAGES,
    )
