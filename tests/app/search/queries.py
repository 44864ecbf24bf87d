"""Questions as the search sees them."""

from app.search.query import Query
from app.search.scope import ALL_PAGES
from app.search.types import ANY_TIME


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
