"""Every call of an index, and a small page that its question finds."""

from collections.abc import Callable
from typing import Final

from app.search.elastic import ElasticIndex
from app.search.types import QuerySpec
from ingest.types import EmbeddedPage
from tests.contracts.embedded_pages import RECIPE, embedded, ref, remove, unit

EAST: Final = unit(1, 0, 0, 0)
QUESTION: Final = QuerySpec(words=("dog",), sources=frozenset({"town"}), vector=EAST, k={"content": 5})

Call = Callable[[ElasticIndex], object]
READS: Final[dict[str, Call]] = {
    "search": lambda index: index.search(QUESTION),
    "pages": lambda index: index.pages([ref("pool")]),
    "highlights": lambda index: index.highlights([ref("pool")], ("dog",)),
    "live": lambda index: index.live(),
    "advice": lambda index: index.advice(),
}
"""What asks the live generation."""

WRITES: Final[dict[str, Call]] = {
    "write": lambda index: index.write(1, [dog("pool")]),
    "remove": lambda index: index.write(1, [remove("pool", 2)]),
}
CALLS: Final[dict[str, Call]] = {
    **READS,
    **WRITES,
    "refs": lambda index: list(index.refs(1)),
    "refresh": lambda index: index.refresh(),
    "create": lambda index: index.create(RECIPE),
    "promote": lambda index: index.promote(1),
    "drop": lambda index: index.drop(1),
    "generations": lambda index: index.generations(),
}


def dog(name: str, sequence: int = 1) -> EmbeddedPage:
    """A page that the question finds."""
    return embedded(name, sequence, content="Dog", vectors={"content": [EAST]})


def found(index: ElasticIndex) -> dict[str, int]:
    """The pages that the question finds, with their sequences."""
    index.refresh()
    return {candidate.page.ref.id: candidate.page.sequence for candidate in index.search(QUESTION)}
