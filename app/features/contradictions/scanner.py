"""Compares pages that changed with those that are near to them in meaning.

The blocks of a page that state figures are searched for in the index, so that never all pairs of pages are
compared. Texts of law, of which several versions are kept, are left out.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from app.features.contradictions.detector import contradictions
from app.features.contradictions.statements import Statement, statements_of
from app.features.contradictions.store import ContradictionStore, DuePage, FoundContradiction, Passage
from app.law.units import celex_of
from app.pages.store import PageStore
from app.search.blocks import parsed_blocks
from app.search.index import SearchIndex, live_generation
from app.search.types import Generation, IndexedPage, QuerySpec
from ingest.protocols import Embedder
from ingest.types import PageRef

PAGES_AT_ONCE: Final = 10
MOST_BLOCKS: Final = 8
"""Of a page, those that are searched for; all are compared."""

NEAR_PAGES: Final = 10
"""Pages that each block is compared with."""

BLOCK_CHARACTERS: Final = 500
READ_CHARACTERS: Final = 50_000
"""Of a page: reading its figures takes a second for so much."""

KEPT: Final = 256
"""Pages whose statements are kept, as pages are near to each other."""


class ContradictionScanner:
    """Compares the pages that are due. ``together``: gives the sources that are searched together with one,
    this one included."""

    def __init__(
        self,
        *,
        store: ContradictionStore,
        pages: PageStore,
        index: Callable[[], SearchIndex],
        embedder_of: Callable[[Generation], Embedder],
        together: Callable[[str], Collection[str]],
    ) -> None:
        self._store = store
        self._pages = pages
        self._index = index
        self._embedder_of = embedder_of
        self._together = together

    def run(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Compare all pages that are due, until ``stop``; how many were.

        Raises ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``PluginError`` and
        ``PageStoreUnavailableError``; what was compared until then is stored.
        """
        compared = 0
        while due := self._store.due(PAGES_AT_ONCE):
            for page in due:
                if stop():
                    return compared
                self._store.replace(page, list(self._found(page)))
                compared += 1
        self._store.forget_removed()
        return compared

    def _found(self, due: DuePage) -> Iterator[FoundContradiction]:
        page = next(iter(self._index().pages([due.ref])), None)
        if page is None or celex_of(page):
            return
        blocks = _blocks(page)
        own = [statement for _, some in blocks for statement in some]
        texts = [text for text, some in blocks if some][:MOST_BLOCKS]
        for other in self._near(page, texts) if texts else ():
            theirs = [statement for _, some in _blocks(other) for statement in some]
            for each in contradictions(own, theirs):
                yield FoundContradiction(
                    one=Passage(ref=page.ref, text=each.one.text),
                    other=Passage(ref=other.ref, text=each.other.text),
                    kind=each.kind,
                )

    def _near(self, page: IndexedPage, texts: list[str]) -> list[IndexedPage]:
        """The other pages in the same language that one of the page's ``texts`` is near to."""
        generation = live_generation(self._index(), self._pages.id)
        # As documents, which wait for visitors' questions.
        vectors = self._embedder_of(generation).embed_documents([f"{page.title}\n{text}" for text in texts])
        near: dict[PageRef, IndexedPage] = {}
        for vector in vectors:
            spec = QuerySpec(
                words=(),
                sources=frozenset(self._together(page.ref.source)),
                vector=vector,
                k={"content": NEAR_PAGES},
                keyword="none",
                generation=generation.number,
            )
            near |= {each.page.ref: each.page for each in self._index().search(spec)}
        others = [each for each in near.values() if _may_be_compared(page, each)]
        hidden = self._pages.hidden([each.ref for each in others], datetime.now(UTC)) if others else set()
        return [each for each in others if each.ref not in hidden]


def _may_be_compared(page: IndexedPage, other: IndexedPage) -> bool:
    return other.ref != page.ref and other.ref.language == page.ref.language and not celex_of(other)


def _blocks(page: IndexedPage) -> tuple[tuple[str, tuple[Statement, ...]], ...]:
    """The blocks of the page's content with their statements."""
    return _read(page.fields.get("content", "")[:READ_CHARACTERS], page.title, page.ref.language)


@lru_cache(maxsize=KEPT)
def _read(content: str, title: str, language: str) -> tuple[tuple[str, tuple[Statement, ...]], ...]:
    found = []
    for block in parsed_blocks(content, "content", title, language):
        above = " ".join((title, *block.headings))
        statements = tuple(statements_of(block.own, above, language))
        found.append((block.own.strip()[:BLOCK_CHARACTERS], statements))
    return tuple(found)
