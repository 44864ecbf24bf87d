"""The last word about every page, whether it may be shown, and about the words of pages.

An index knows the words of all pages: those of other sites, those whose time has not come and those that were
taken out. Nobody may learn of such a word by guessing at it, neither by what is proposed in its place nor by
nothing being proposed, so that a word counts only where a page has it that may be shown.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Protocol

from app.search.filters import Filters
from app.search.index import SearchIndex
from app.search.types import QuerySpec, WordPages
from ingest.types import PageRef

PAGES_ASKED: Final = 20
"""Of a word, how many pages are tried first."""

MOST_PAGES: Final = 1_000
"""If none of the first may be shown, so many are; a word whose first thousand pages are all hidden is
unknown."""

Hidden = Callable[[Sequence[PageRef], datetime], set[PageRef]]
"""Those of some pages that must not be shown at a time."""


class Visibility(Protocol):
    """What retrieval needs of the page store."""

    def hidden(self, refs: Sequence[PageRef], now: datetime) -> set[PageRef]:
        """Those that must not be shown at ``now``."""
        ...

    def with_ids(self, sources: Collection[str], ids: Collection[str]) -> list[PageRef]:
        """The pages of these sources that have one of these ids, in any language."""
        ...

    def titles_like(self, sources: Collection[str], part: str) -> list[str]:
        """The titles of some pages of these sources that have a part in small letters; "_" is any letter."""
        ...


class OneReading:
    """What may be shown during one question: each page is asked for once."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._at = datetime.now(UTC)
        self._is_hidden: dict[PageRef, bool] = {}
        self.with_ids = visibility.with_ids
        self.titles_like = visibility.titles_like

    def hidden(self, refs: Sequence[PageRef], _now: datetime) -> set[PageRef]:
        """Those that must not be shown when the question came, or, of pages that were not asked for before,
        that are deleted by now."""
        new = [ref for ref in dict.fromkeys(refs) if ref not in self._is_hidden]
        if new:
            hidden = self._visibility.hidden(new, self._at)
            self._is_hidden |= {ref: ref in hidden for ref in new}
        return {ref for ref in refs if self._is_hidden[ref]}


class ShownWords:
    """The words of one question's scope (:class:`app.search.spelling.Words`)."""

    def __init__(
        self,
        index: SearchIndex,
        hidden: Hidden,
        sources: frozenset[str],
        without: frozenset[str],
        filters: Filters = (),
    ) -> None:
        """``sources``, ``without``, ``filters``: as those of :class:`app.search.types.QuerySpec`."""
        self._index = index
        self._hidden = hidden
        self._scope = QuerySpec(words=(), sources=sources, without=without, filters=filters)
        self._known: dict[str, int] = {}

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """In how many pages of the scope each word is, 0 if none of them may be shown. Raises
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        new = tuple(dict.fromkeys(word for word in words if word not in self._known))
        if new:
            found = self._index.word_pages(replace(self._scope, words=new), PAGES_ASKED)
            hidden = self._hidden_of([ref for each in found for ref in each.refs])
            for word, each in zip(new, found, strict=True):
                self._known[word] = self._shown(word, each, hidden)
        return [self._known[word] for word in words]

    def similar_words(self, word: str, edits: int) -> set[str]:
        """The words near ``word`` of all pages: :meth:`frequencies` tells which of them count."""
        return self._index.similar_words(word, edits)

    def _shown(self, word: str, found: WordPages, hidden: set[PageRef]) -> int:
        gone = sum(ref in hidden for ref in found.refs)
        if gone < len(found.refs) or found.count <= len(found.refs):
            return found.count - gone
        spec = replace(self._scope, words=(word,), keyword_limit=MOST_PAGES)
        refs = [match.ref for match in self._index.matching_pages(spec)]
        return len(refs) - len(self._hidden_of(refs))

    def _hidden_of(self, refs: Sequence[PageRef]) -> set[PageRef]:
        return self._hidden(refs, datetime.now(UTC)) if refs else set()
