"""Which generation is live, or the one message that says there is none."""

from app.errors import IndexUnavailableError
from app.search.index import SearchIndex
from app.search.types import Generation


def live_generation(index: SearchIndex) -> Generation:
    """The one that questions use, as of a moment ago. Raises ``IndexUnavailableError``."""
    return _required(index.live())


def current_generation(index: SearchIndex) -> Generation:
    """The one that is live now, for writing: ``SearchIndex.live`` may be a moment behind another process's
    promotion, and what is written then only to the generation before would be missing. Raises
    ``IndexUnavailableError``."""
    return _required(find_current(index))


def find_current(index: SearchIndex) -> Generation | None:
    """The one that is live now; ``None`` also where the index is not clear about it, which
    promoting one mends."""
    return next((generation for generation in index.generations() if generation.state == "live"), None)


def _required(generation: Generation | None) -> Generation:
    if generation is None:
        raise IndexUnavailableError("no index generation is live: run `auskunft reindex` to build one")
    return generation
