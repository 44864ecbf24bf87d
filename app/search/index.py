"""The contract of a search index, and functions about its live generation and its vectors.

``tests/contracts/test_search_index.py`` runs against every implementation.

Invariants:

* A write with a lower sequence than the stored one changes nothing and is ``superseded``; an equal one is
  written again (replay after a crash). This also applies to deleted pages: the sequence of a removed page is
  remembered for at least an hour.
* Searches see a page whole: fields, chunks and vectors of one sequence.
* Searching never needs the page store; the index is derived and disposable.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import numpy as np

from app.errors import ForeignIndexError, IndexUnavailableError, InputError
from app.search.types import (
    Candidate,
    ChunkCandidate,
    Generation,
    GenerationRecipe,
    Highlight,
    IndexedPage,
    PageMatch,
    QuerySpec,
    Update,
    WordPages,
    WriteResult,
)
from ingest.types import EmbeddedPage, PageRef, Vectors

HITS_PER_PAGE: Final = 10
"""The most chunks per page and field in a candidate."""

WORD_PAGES: Final = 100
"""The most pages that are named for a word."""


class SearchIndex(Protocol):
    """Searches the live generation, writes to any. All methods raise ``IndexUnavailableError``."""

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """Return every page that a clause returns, from one consistent read, in no particular order.

        Empty if no generation is live. Cosines are exact. Raises ``GenerationChangedError`` if
        ``spec.generation`` is no longer live, unless it can still be searched.
        """

    def candidate(self, page: PageRef | EmbeddedPage, spec: QuerySpec) -> Candidate | None:
        """Return the page as if every clause of :meth:`search` returned it, whatever the scope and limits of
        ``spec``; ``None`` if it is not served. A page given as ``EmbeddedPage`` need not be in the index, and
        is not stored; its words have the weights that they have in the index.

        ``near_fields``: the fields of ``spec.k`` in which the page has vectors; ``keyword``: True if it has
        any of the words. Raises as :meth:`search` does.
        """

    def search_chunks(self, spec: QuerySpec, limit: int) -> list[ChunkCandidate]:
        """Return the ``limit`` chunks of content nearest to ``spec.vector``, and the ``limit`` best by BM25
        of ``spec.words`` over context and text; from one consistent read, in no particular order.

        Ties are ranked by page and position. Words count only in chunks that are
        :attr:`ingest.types.Chunk.ranked`. Ignores ``spec.k``, ``spec.keyword`` and ``spec.similarity``.
        Raises as :meth:`search` does.
        """

    def cosines(self, refs: Sequence[PageRef], vector: Vectors, generation: int) -> dict[PageRef, float]:
        """Return the exact cosine of ``vector``, shape ``(dims,)``, with the nearest chunk of each page's
        content.

        Pages that are not served or whose content has no vectors are left out. Raises as :meth:`search` does
        for a generation and a vector.
        """

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """Return the pages among ``refs`` that the live generation serves, in the order of ``refs``."""

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        """Return a few short fragments of each page's content that have most of the words, in any form, with
        the words marked (:mod:`app.search.highlight`). Pages without any are left out."""

    def matching_pages(self, spec: QuerySpec, prefix: str = "") -> list[PageMatch]:
        """Return the pages that have all words of ``spec``, in any form, without their text; the best by BM25
        first, at most ``spec.keyword_limit``. ``prefix``: the pages must also have a word that begins with
        these letters, or this very word if it is too short to be completed
        (:func:`app.search.spelling.is_completed`). Empty without words and prefix.

        Ignores ``spec.vector``, ``spec.k`` and ``spec.keyword``.
        """

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        """Count the pages in scope that have each of ``spec.words``, in any form, and name up to ``most`` of
        them, in no particular order (at most ``WORD_PAGES``). The counts are 0 without a live generation.

        Apart from the words, only the scope of ``spec`` matters.
        """

    def languages(self) -> list[str]:
        """Return the languages of the live generation's pages, the most frequent first; empty without one."""

    def similar_words(self, word: str, edits: int) -> set[str]:
        """Return the words of the live generation, in lower case, that are at most ``edits`` edits
        (:func:`app.search.spelling.distances`) away from ``word`` and have its first letter.

        Only words that consist of letters, ``LEAST_LETTERS`` to ``MOST_LETTERS`` long, from pages of all
        sources. Some may be from pages that are no longer served; :meth:`word_pages` counts served ones.
        """

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """Create an empty generation in state ``building``. ``owner``: the page store whose pages it will
        contain, if any."""

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """Apply updates; return one result each, in order. A page with a vector that is not finite, all zero
        or of the wrong size (the reason states both) is refused as ``failed``; the others are written."""

    def refresh(self) -> None:
        """Make everything written so far visible to searches that start afterwards. Without it, they may miss
        the writes of the last second."""

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """Return every served page with its sequence."""

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        """Return the served pages that have words but no vectors in any field, or damaged ones. No search by
        meaning finds them."""

    def damaged(self) -> int:
        """Return the number of pages of the live generation with damaged vectors, as far as is known without
        reading all vectors."""

    def count(self, generation: int) -> int:
        """Return the number of pages that the generation serves, as of the last refresh."""

    def promote(self, generation: int) -> None:
        """Make the generation live and the previous live one ``retired``, in one step."""

    def drop(self, generation: int) -> None:
        """Delete a generation. Raises ``InputError`` if it is live."""

    def generations(self) -> list[Generation]:
        """Return all generations, by number."""

    def live(self) -> Generation | None:
        """Return the generation that questions use."""

    def advice(self) -> str | None:
        """Return a sentence about a change that the index's size calls for; ``None`` if there is none."""


def live_generation(index: SearchIndex, owner: str) -> Generation:
    """Return the generation that questions use, as of a moment ago. ``owner``: the page store whose pages it
    must contain. Raises ``IndexUnavailableError`` if there is none, ``ForeignIndexError`` for another
    owner."""
    return _required(index.live(), owner)


def current_generation(index: SearchIndex, owner: str) -> Generation:
    """Return the generation that is live now, for writing. ``SearchIndex.live`` may miss another process's
    promotion for a moment, and a page written only to the previous generation would be missing. Raises as
    :func:`live_generation` does."""
    return _required(find_current(index), owner)


def find_current(index: SearchIndex) -> Generation | None:
    """Return the generation that is live now, or ``None`` (also if several are, until one is promoted)."""
    return next((generation for generation in index.generations() if generation.state == "live"), None)


def belongs_to(generation: Generation, owner: str) -> bool:
    """Return True if the generation may contain the pages of ``owner``. One created without an owner may
    contain anybody's."""
    return generation.owner in ("", owner)


def check_owner(generation: Generation, owner: str) -> None:
    """Raise ``ForeignIndexError`` unless the generation may contain the pages of ``owner``."""
    if not belongs_to(generation, owner):
        raise ForeignIndexError(generation.number)


def _required(generation: Generation | None, owner: str) -> Generation:
    if generation is None:
        raise IndexUnavailableError("no index generation is live: run `auskunft reindex` to build one")
    check_owner(generation, owner)
    return generation


def ref_and_sequence(update: Update) -> tuple[PageRef, int]:
    """Return the page and the sequence of an update."""
    if isinstance(update, EmbeddedPage):
        return update.page.ref, update.page.sequence
    return update.ref, update.sequence


def refusal(update: Update, dims: int) -> str:
    """Return the reason why an index of ``dims`` dimensions refuses ``update``; empty if it accepts it."""
    if not isinstance(update, EmbeddedPage):
        return ""
    page = update.page
    try:
        "".join((page.document, page.url, page.kind, *page.fields.values())).encode()
    except UnicodeEncodeError as error:
        return f"the text holds half a character (surrogate at {error.start}): send valid Unicode"
    return vector_refusal(update.vectors, dims)


def vector_refusal(vectors: Vectors, dims: int) -> str:
    """Return the reason why ``vectors``, shape ``(n, m)``, have no cosine in ``dims`` dimensions; empty if
    they have one."""
    n, size = vectors.shape
    if n and size != dims:
        return f"vectors have {size} numbers, the index holds {dims}: use the generation's embedder"
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        return f"vector {bad[0] + 1} of {n} is not finite"
    empty = np.flatnonzero(~vectors.any(axis=1))
    if len(empty):
        return f"vector {empty[0] + 1} of {n} is all zero"
    return ""


def question_vector(vector: Vectors, dims: int) -> Vectors:
    """Return a question's vector, shape ``(dims,)``, scaled to length 1. Raises ``InputError`` if it has no
    cosine."""
    if reason := vector_refusal(np.atleast_2d(vector), dims):
        raise InputError(f"the question's vector cannot be searched: {reason}")
    unit: Vectors = normalised(np.atleast_2d(vector))[0]
    return unit


def cosine(product: float) -> float:
    """Return the product of two vectors of length 1 as their cosine, without its rounding error beyond 1."""
    return min(1.0, max(-1.0, float(product)))


def normalised(vectors: Vectors) -> Vectors:
    """Divide each row by its length, in double precision so that no length under- or overflows."""
    exact = vectors.astype(np.float64)
    unit: Vectors = (exact / np.linalg.norm(exact, axis=1, keepdims=True)).astype(np.float32)
    return unit
