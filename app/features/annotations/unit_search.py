"""Finds pages to annotate by the names that people use: "Article 6 AI Act", "Anhang III", words of the
title."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.law.scope import LawScopes, Scope
from app.pages.page_list import PageList
from app.pages.types import PageRecord
from app.search.index import SearchIndex
from app.search.types import IndexedPage
from ingest.types import PageRef

MOST_FOUND: Final = 50
_MOST_READ: Final = 400
"""References looked up. More than ``MOST_FOUND``, because not every act has a unit that is named."""


@dataclass(kw_only=True, eq=False)
class UnitSearch:
    """Searches the indexed pages; for acts, named units in the texts in force come first. ``known``: returns
    the names of all sources."""

    scopes: LawScopes
    pages: PageList
    known: Callable[[], Sequence[str]]
    index: Callable[[], SearchIndex]

    def find(self, words: str, sources: Collection[str] | None = None) -> list[IndexedPage]:
        """Return up to ``MOST_FOUND`` pages of ``sources`` (``None`` for all) that match ``words``.

        They are named by them, or have each word in title, address or id. Raises
        ``PageStoreUnavailableError`` and ``IndexUnavailableError``.
        """
        visible = frozenset(name for name in self.known() if sources is None or name in sources)
        listed = self.pages.search(words, state="indexed", sources=visible, limit=MOST_FOUND)
        named = _named(words, self.scopes.scope(visible))
        refs = [*named, *(record.ref for record in listed if _has_numbers(words, record))]
        wanted = list(dict.fromkeys(refs))[:_MOST_READ]
        found = {page.ref: page for page in self.index().pages(wanted)} if wanted else {}
        return [found[ref] for ref in wanted if ref in found][:MOST_FOUND]


def _named(words: str, scope: Scope) -> Iterator[PageRef]:
    """The pages that may be the named units, by act."""
    for target in scope.named_targets(words):
        yield from scope.texts.refs(target, ())


def _has_numbers(words: str, record: PageRecord) -> bool:
    """Return True if each number among the words is a number in title, address or id: "6" does not match
    "2016"."""
    numbers = {word for word in words.split() if word.isdecimal()}
    return numbers <= set(re.findall(r"\d+", f"{record.title} {record.url} {record.ref.id}"))
