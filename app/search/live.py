"""The generation that questions and writes need, or the one message that says it is missing."""

from app.errors import IndexUnavailableError
from app.search.index import SearchIndex
from app.search.types import Generation


def live_generation(index: SearchIndex) -> Generation:
    """The live one. Raises ``IndexUnavailableError``."""
    live = index.live()
    if live is None:
        raise IndexUnavailableError("no index generation is live: run `auskunft reindex` to build one")
    return live
