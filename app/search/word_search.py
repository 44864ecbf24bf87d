"""Finds all pages that have the words of a question, even while its last word is being typed.

It loads no page and embeds nothing, so it is fast enough to run at every keystroke.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.search import analysis
from app.search.filters import Filters
from app.search.index import SearchIndex
from app.search.types import PageMatch, QuerySpec
from app.search.visibility import Hidden, ShownWords, hidden_now

MATCHES: Final = 1_000
"""The most pages in a list of results."""

_LAST_WORD: Final = re.compile(r"[^\W_]+$")


class WordSearch:
    """Lists pages by their words; keeps no state between questions."""

    def __init__(self, index: SearchIndex, hidden: Hidden) -> None:
        self._index = index
        self._hidden = hidden

    def known(self, sources: frozenset[str], without: frozenset[str]) -> ShownWords:
        """Return the words of these pages, for correcting questions (:mod:`app.search.spelling`)."""
        return ShownWords(self._index, self._hidden, sources, without)

    def matches(
        self,
        question: str,
        language: str | None,
        *,
        sources: frozenset[str],
        without: frozenset[str],
        filters: Filters = (),
        is_typing: bool,
    ) -> list[PageMatch]:
        """Return the pages with all content words that may be shown: those with all of them in their headline
        first, then by BM25. ``is_typing``: True if the last word may be incomplete.

        Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        words, prefix = typed_words(question, language) if is_typing else ((), "")
        if not is_typing:
            words = analysis.content_words(question, language or "")
        spec = QuerySpec(
            words=words, sources=sources, keyword_limit=MATCHES, without=without, filters=filters
        )
        found = self._index.matching_pages(spec, prefix)
        hidden = hidden_now(self._hidden, [match.ref for match in found])
        shown = [match for match in found if match.ref not in hidden]
        return sorted(shown, key=lambda match: not _is_named(match, words, prefix))


def typed_words(question: str, language: str | None) -> tuple[tuple[str, ...], str]:
    """Return the content words of a question that is being typed, without the last word, and the beginning of
    the last word, which is empty after a space."""
    last = _LAST_WORD.search(question)
    begun = question[: last.start()] if last else question
    functional = analysis.function_words(language)
    words = tuple(dict.fromkeys(word for word in analysis.folded(begun) if word not in functional))
    return words, "".join(analysis.folded(last[0])[-1:]) if last else ""


def _is_named(match: PageMatch, words: Sequence[str], prefix: str) -> bool:
    """Return True if the headline has all the words."""
    language = match.ref.language
    stems = set(analysis.tokens(match.headline, language))
    begun = not prefix or any(word.startswith(prefix) for word in analysis.folded(match.headline))
    return begun and all(analysis.forms(word, (language,)) & stems for word in words)
