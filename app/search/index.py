"""The contract of a search index: what it takes and gives, and which of its generations is live.

``tests/contracts/test_search_index.py`` runs against every implementation.

Invariants:

* A write with a lower sequence than the stored one changes nothing and is ``superseded``; an equal one is
  written again (replay after a crash). This holds across deletes: a removed page's sequence is remembered
  for at least an hour.
* A reader sees a page whole: the fields, chunks and vectors of one sequence.
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
"""The most chunks of a page and field in a candidate."""

WORD_PAGES: Final = 100
"""The most pages that are named for a word."""


class SearchIndex(Protocol):
    """Searches the live generation, writes to any. All methods raise ``IndexUnavailableError``."""

    def search(self, spec: QuerySpec) -> list[Candidate]:
        """Every page that a clause returns, from one consistent read, in no particular order.

        Empty when no generation is live. Cosines are exact. Raises ``GenerationChangedError`` where
        ``spec.generation`` is not live any more, unless it can still be searched.
        """
        ...

    def candidate(self, page: PageRef | EmbeddedPage, spec: QuerySpec) -> Candidate | None:
        """The page as :meth:`search` would return it if every clause did, wherever its scope and its limits
        end; ``None`` if it is not served. One that is given whole need not be in the index, and nothing of it
        is kept: its words weigh what they weigh in the index as it is.

        ``near``: the fields of ``spec.k`` in which the page has vectors; ``keyword``: True if it has any of
        the words. Raises as :meth:`search` does.
        """
        ...

    def search_chunks(self, spec: QuerySpec, limit: int) -> list[ChunkCandidate]:
        """The ``limit`` chunks of content that are nearest to ``spec.vector``, and as many with the most of
        ``spec.words`` by BM25 over their context and text; of one consistent read, in no particular order.

        Equal ones by page and position. Words count in chunks that are :attr:`ingest.types.Chunk.ranked`
        alone. ``spec.k``, ``spec.keyword`` and ``spec.similarity`` do not matter here. Raises as
        :meth:`search` does.
        """
        ...

    def cosines(self, refs: Sequence[PageRef], vector: Vectors, generation: int) -> dict[PageRef, float]:
        """The exact cosine of ``vector``, shape ``(dims,)``, with the nearest chunk of each page's content.

        Pages that are not served, and those without vectors of their content, are left out. Raises as
        :meth:`search` does for its ``generation`` and its vector.
        """
        ...

    def pages(self, refs: Sequence[PageRef]) -> list[IndexedPage]:
        """The pages among ``refs`` that the live generation serves, in the order of ``refs``."""
        ...

    def highlights(self, refs: Sequence[PageRef], words: Sequence[str]) -> dict[PageRef, list[Highlight]]:
        """The fragments of these pages' content with most of the words, in any of their forms, marked.

        A few short ones (:mod:`app.search.highlight`); pages without any are left out.
        """
        ...

    def matching_pages(self, spec: QuerySpec, prefix: str = "") -> list[PageMatch]:
        """The pages with all words of ``spec``, in any of their forms, the best by BM25 first, without their
        text; at most ``spec.keyword_limit``. ``prefix``: letters that one more word of theirs begins with;
        if words are not completed from it (:func:`app.search.spelling.is_completed`) it is a word itself.
        None without words.

        ``spec.vector``, ``spec.k`` and ``spec.keyword`` do not matter here.
        """
        ...

    def word_pages(self, spec: QuerySpec, most: int) -> list[WordPages]:
        """Of each of ``spec.words``, in any of its forms: how many pages in the scope have it, and
        ``most`` of them, whichever (at most ``WORD_PAGES``); none without a live generation.

        What else ``spec`` has does not matter here.
        """
        ...

    def languages(self) -> list[str]:
        """The languages of the live generation's pages, that of most pages first; none without one."""
        ...

    def similar_words(self, word: str, edits: int) -> set[str]:
        """The words of the live generation, in lower case, that at most ``edits`` edits
        (:func:`app.search.spelling.distances`) make of ``word`` and that have its first letter.

        Words of letters alone, of ``LEAST_LETTERS`` to ``MOST_LETTERS``, of pages of all sources; some may be
        of pages that are no longer served (:meth:`word_pages`).
        """
        ...

    def create(self, recipe: GenerationRecipe, owner: str = "") -> Generation:
        """Create an empty generation in state ``building``. ``owner``: the page store whose pages it will
        contain, if any."""
        ...

    def write(self, generation: int, updates: Sequence[Update]) -> list[WriteResult]:
        """Apply updates, one result each in order. Vectors that are not finite, all zero or of the wrong
        size are refused as ``failed`` with both numbers in the reason; the others are written."""
        ...

    def refresh(self) -> None:
        """Let searches that start after this find everything written so far.

        Without it, they may miss what was written in the last second.
        """
        ...

    def refs(self, generation: int) -> Iterator[tuple[PageRef, int]]:
        """Every served page with its sequence."""
        ...

    def without_vectors(self, generation: int) -> Iterator[PageRef]:
        """Served pages with words but without vectors in any field, or with damaged ones: no search by
        meaning finds them."""
        ...

    def damaged(self) -> int:
        """The number of pages of the live generation with damaged vectors, as far as it is known without
        reading them all."""
        ...

    def count(self, generation: int) -> int:
        """The number of pages that it serves, as of the last refresh."""
        ...

    def promote(self, generation: int) -> None:
        """Make it live; the one that was live becomes ``retired``, both in one step."""
        ...

    def drop(self, generation: int) -> None:
        """Delete a generation that is not live. Dropping the live one raises ``InputError``."""
        ...

    def generations(self) -> list[Generation]:
        """All generations, by number."""
        ...

    def live(self) -> Generation | None:
        """The generation that questions use."""
        ...

    def advice(self) -> str | None:
        """What to change because of the index's size, in one sentence; ``None`` if nothing."""
        ...


def live_generation(index: SearchIndex, owner: str) -> Generation:
    """The generation that questions use, as of a moment ago. ``owner``: the page store whose pages it must
    contain. Raises ``IndexUnavailableError``."""
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


def ref_and_sequence(update: Update) -> tuple[PageRef, int]:
    """The page and the sequence of an update."""
    if isinstance(update, EmbeddedPage):
        return update.page.ref, update.page.sequence
    return update.ref, update.sequence


def refusal(update: Update, dims: int) -> str:
    """Why an index of ``dims`` dimensions refuses ``update``; empty if it does not."""
    if not isinstance(update, EmbeddedPage):
        return ""
    page = update.page
    try:
        "".join((page.document, page.url, page.kind, *page.fields.values())).encode()
    except UnicodeEncodeError as error:
        return f"the text holds half a character (surrogate at {error.start}): send valid Unicode"
    return vector_refusal(update.vectors, dims)


def vector_refusal(vectors: Vectors, dims: int) -> str:
    """Why ``vectors``, shape ``(n, m)``, have no cosine in ``dims`` dimensions; empty if they have one."""
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
    """A question's vector, shape ``(dims,)``, in unit form. Raises ``InputError`` if it has no cosine."""
    if reason := vector_refusal(np.atleast_2d(vector), dims):
        raise InputError(f"the question's vector cannot be searched: {reason}")
    unit: Vectors = normalised(np.atleast_2d(vector))[0]
    return unit


def normalised(vectors: Vectors) -> Vectors:
    """Each row divided by its length, computed in double precision so that no length under- or overflows."""
    exact = vectors.astype(np.float64)
    unit: Vectors = (exact / np.linalg.norm(exact, axis=1, keepdims=True)).astype(np.float32)
    return unit
