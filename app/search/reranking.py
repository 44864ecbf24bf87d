"""Sorts the pages or chunks found by a reranker's scores."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import structlog

from app.errors import PluginError, RerankerUnavailableError
from app.lazy import lazy
from app.presets import RerankPreset
from app.search.fusion import Scored
from app.search.passages import nearest_chunks
from app.search.recorder import Reranked, record
from app.search.retrieval import Degradation
from ingest.availability import Availability
from ingest.protocols import Recipe, Reranker

REST_SECONDS: Final = 30.0
"""How long a reranker is not used after a failure, so that not every visitor waits for it."""

MOST_REST_SECONDS: Final = 600.0
"""The longest time that it is not used, whatever its server asks for."""

PAGE_BYTES: Final = 1_600
"""The most bytes of a page's content that are scored."""

T = TypeVar("T")
log = structlog.get_logger(__name__)


def reranked(
    question: str, items: Sequence[T], reranker: Reranker, *, text_of: Callable[[T], str]
) -> list[T]:
    """Return the items, best first, by the reranker's scores of their texts; ties keep their order.

    Raises ``RerankerUnavailableError``, also if a score is missing or not finite.
    """
    if len(items) < 2:
        return list(items)
    scores = reranker.scores(question, [*map(text_of, items)])
    if len(scores) != len(items) or not all(map(math.isfinite, scores)):
        raise RerankerUnavailableError("the reranker did not return a finite score for every text")
    record(Reranked, scores=scores)
    order = sorted(range(len(items)), key=lambda position: -scores[position])
    return [items[position] for position in order]


def first_reranked(
    question: str,
    items: Sequence[T],
    *,
    preset: RerankPreset,
    reranker: Reranker,
    text_of: Callable[[T], str],
) -> tuple[Sequence[T], tuple[Degradation, ...]]:
    """Return the first items as reranked, followed by the others; all in the given order, with a label, if
    the reranker is unavailable."""
    first, others = items[: preset.candidates], items[preset.candidates :]
    try:
        best = reranked(question, first, reranker, text_of=text_of)
        return [*best, *others], ()
    except RerankerUnavailableError:
        return items, ("reranker_unavailable",)


def page_text(found: Scored) -> str:
    """Return the Markdown of a page to be scored: its title and the chunks of its content nearest to the
    question, up to ``PAGE_BYTES``."""
    _, candidate = found
    passages = nearest_chunks(candidate, PAGE_BYTES)
    content = "\n\n".join(passage.text for passage in passages)
    return f"# {candidate.page.title}\n\n{content.encode()[:PAGE_BYTES].decode(errors='ignore')}"


class CircuitBreaker:
    """A reranker that is not used for a while after a failure. Thread-safe.

    ``make``: builds it on first use; an error in it counts as a failure.
    """

    def __init__(
        self,
        make: Callable[[], Reranker],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lock = threading.RLock()
        self._make = make
        self._clock = clock
        self._until = -math.inf
        self._failure = ""

    @lazy
    def reranker(self) -> Reranker:
        """The reranker itself. Raises ``PluginError`` and ``RerankerUnavailableError``."""
        return self._make()

    @property
    def recipe(self) -> Recipe:
        """The reranker's recipe."""
        return self.reranker.recipe

    @property
    def availability(self) -> Availability | None:
        """The availability of the reranker's server; ``None`` if it has none."""
        return getattr(self.reranker, "availability", None)

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the reranker's scores. Raises ``RerankerUnavailableError``, immediately while it is not
        used."""
        if self._clock() < self._until:
            raise RerankerUnavailableError(self._failure)
        try:
            return self.reranker.scores(question, texts)
        except (PluginError, RerankerUnavailableError) as error:
            log.warning("reranker_unavailable", message=str(error))
            asked = getattr(error, "retry_seconds", None) or 0.0
            self._failure = str(error)
            self._until = self._clock() + min(max(REST_SECONDS, asked), MOST_REST_SECONDS)
            raise RerankerUnavailableError(self._failure) from error

    def close(self) -> None:
        """Close the reranker if it was built."""
        if close := getattr(self.__dict__.get("reranker"), "close", None):
            close()
