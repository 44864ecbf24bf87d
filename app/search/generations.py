"""The live generation, or the one message that says why there is none.

``owner``: the page store whose pages it must contain.
"""

from app.errors import ForeignIndexError, IndexUnavailableError
from app.search.index import SearchIndex
from app.search.types import Generation


def live_generation(index: SearchIndex, owner: str) -> Generation:
    """The generation that questions use, as of a moment ago. Raises ``IndexUnavailableError``."""
    return _required(index.live(), owner)


def current_generation(index: SearchIndex, owner: str) -> Generation:
    """The generation that is live now, for writing: ``SearchIndex.live`` may be a moment behind another
    process's promotion, and a page written only to the generation before would be missing. Raises
    ``IndexUnavailableError``."""
    return _required(find_current(index), owner)


def find_current(index: SearchIndex) -> Generation | None:
    """The generation that is live now; ``None`` also where several are, until one is promoted."""
    return next((generation for generation in index.generations() if generation.state == "live"), None)


def belongs_to(generation: Generation, owner: str) -> bool:
    """True if it may contain the pages of ``owner``: one created without an owner may be anybody's."""
    return generation.owner in ("", owner)


def check_owner(generation: Generation, owner: str) -> None:
    """Raises ``ForeignIndexError``."""
    if not belongs_to(generation, owner):
        raise ForeignIndexError(generation.number)


def _required(generation: Generation | None, owner: str) -> Generation:
    if generation is None:
        raise IndexUnavailableError("no index generation is live: run `auskunft reindex` to build one")
    check_owner(generation, owner)
    return generation
