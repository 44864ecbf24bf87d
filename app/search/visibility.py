"""Decides which pages, and which words of pages, may be shown.

An index knows the words of all pages, including pages of other sites and pages not yet or no longer
published. Nobody may find out about such a word by guessing, neither from a suggested correction nor from the
lack of one. So a word counts only if a page that may be shown has it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Protocol, TypeVar

from app.search.filters import Filters
from app.search.index import SearchIndex
from app.search.types import Candidate, ChunkCandidate, QuerySpec, WordPages
from ingest.types import PageRef

PAGES_ASKED: Final = 20
"""The number of pages with a word whose visibility is checked first."""

MOST_PAGES: Final = 1_000
"""The number that is checked if none of the first pages may be shown. A word whose first thousand pages are
all hidden is unknown."""

Hidden = Callable[[Sequence[PageRef], datetime], set[PageRef]]
"""Returns those of the given pages that must not be shown at a time."""

Paged = TypeVar("Paged", Candidate, ChunkCandidate)


def hidden_now(hidden: Hidden, refs: Sequence[PageRef]) -> set[PageRef]:
    """Return those of ``refs`` that must not be shown now. Without refs the page store is not asked."""
    return hidden(refs, datetime.now(UTC)) if refs else set()


def shown_now(hidden: Hidden, found: Sequence[Paged]) -> list[Paged]:
    """Return the results whose pages may be shown now."""
    gone = hidden_now(hidden, list({each.page.ref for each in found}))
    return [each for each in found if each.page.ref not in gone]


class Visibility(Protocol):
    """The part of the page store that retrieval needs."""

    def hidden(self, refs: Sequence[PageRef], now: datetime) -> set[PageRef]:
        """Return those of ``refs`` that must not be shown at ``now``."""

    def with_ids(self, sources: Collection[str], ids: Collection[str]) -> list[PageRef]:
        """Return the pages of these sources that have one of these ids, in any language."""

    def titles_like(self, sources: Collection[str], part: str) -> list[str]:
        """Return some titles of pages of these sources that contain ``part`` (lower case; "_" is any
        letter)."""


class FixedVisibility:
    """The visibility of pages during one question: it is looked up once for each page."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._at = datetime.now(UTC)
        self._is_hidden: dict[PageRef, bool] = {}
        self.with_ids = visibility.with_ids
        self.titles_like = visibility.titles_like

    def hidden(self, refs: Sequence[PageRef], _now: datetime) -> set[PageRef]:
        """Return those of ``refs`` that must not be shown at the time of the question. Pages that are looked
        up for the first time may also have been deleted since."""
        new = [ref for ref in dict.fromkeys(refs) if ref not in self._is_hidden]
        if new:
            hidden = self._visibility.hidden(new, self._at)
            self._is_hidden |= {ref: ref in hidden for ref in new}
        return {ref for ref in refs if self._is_hidden[ref]}


class ShownWords:
    """The words of the pages in one question's scope (:class:`app.search.spelling.Words`)."""

    def __init__(
        self,
        index: SearchIndex,
        hidden: Hidden,
        sources: frozenset[str],
        without: frozenset[str],
        filters: Filters = (),
    ) -> None:
        """``sources``, ``without``, ``filters``: as in :class:`app.search.types.QuerySpec`."""
        self._index = index
        self._hidden = hidden
        self._scope = QuerySpec(words=(), sources=sources, without=without, filters=filters)
        self._known: dict[str, int] = {}

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """Return the number of pages in scope that have each word, 0 if none of them may be shown. Raises
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        new = tuple(dict.fromkeys(word for word in words if word not in self._known))
        if new:
            found = self._index.word_pages(replace(self._scope, words=new), PAGES_ASKED)
            hidden = hidden_now(self._hidden, [ref for each in found for ref in each.refs])
            for word, each in zip(new, found, strict=True):
                self._known[word] = self._shown(word, each, hidden)
        return [self._known[word] for word in words]

    def similar_words(self, word: str, edits: int) -> set[str]:
        """Return words near ``word``, from all pages. :meth:`frequencies` is 0 for those that must not
        count."""
        return self._index.similar_words(word, edits)

    def _shown(self, word: str, found: WordPages, hidden: set[PageRef]) -> int:
        gone = sum(ref in hidden for ref in found.refs)
        if gone < len(found.refs) or found.count <= len(found.refs):
            return found.count - gone
        spec = replace(self._scope, words=(word,), keyword_limit=MOST_PAGES)
        refs = [match.ref for match in self._index.matching_pages(spec)]
        return len(refs) - len(hidden_now(self._hidden, refs))
