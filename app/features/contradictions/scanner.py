"""Compares pages that changed with their translations, and with pages similar in meaning.

A translation has the same page id, or is named as ``alternate`` for another language in the page's head.
Blocks that state figures are searched for in the index, so that not all pairs of pages are compared. Texts of
law are left out, because several versions of them are kept.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Final
from urllib.parse import urljoin

from app.errors import PageError
from app.features.contradictions.detector import Contradiction, contradictions
from app.features.contradictions.statements import Statement, statements_of
from app.features.contradictions.store import ContradictionStore, DuePage, FoundContradiction, Passage
from app.features.contradictions.translated import contradictions_of_translations
from app.law.units import celex_of
from app.pages.store import PageStore
from app.search.index import SearchIndex, live_generation
from app.search.page_blocks import parsed_blocks
from app.search.types import Generation, IndexedPage, QuerySpec
from ingest.blocks import Span
from ingest.page_guard import guarded
from ingest.protocols import Embedder
from ingest.types import UNDETERMINED, PageRef
from ingest.website.pages import read_head

PAGES_AT_ONCE: Final = 10
MOST_BLOCKS: Final = 8
"""Blocks of a page that are searched for; all blocks are compared."""

NEAR_PAGES: Final = 10
"""Pages that each block is compared with."""

BLOCK_CHARACTERS: Final = 500
READ_CHARACTERS: Final = 50_000
"""The part of a page that is read; reading the figures in this much takes a second."""

KEPT: Final = 256
"""Pages whose statements are cached, because a page is compared with several others."""


@dataclass(kw_only=True, eq=False)
class ContradictionScanner:
    """Compares the pages that are due. ``together``: returns the sources that are searched together with one,
    including that one."""

    store: ContradictionStore
    pages: PageStore
    index: Callable[[], SearchIndex]
    embedder_of: Callable[[Generation], Embedder]
    together: Callable[[str], Collection[str]]

    def run(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Compare all due pages until ``stop`` returns True. Return the number compared.

        A page that breaks the comparison is logged and has no contradictions. Raises
        ``IndexUnavailableError``, ``EmbedderUnavailableError``, ``PluginError`` and
        ``PageStoreUnavailableError``; results until then are stored.
        """
        compared = 0
        while due := self.store.due(PAGES_AT_ONCE):
            for page in due:
                if stop():
                    return compared
                self.store.replace(page, self._found(page))
                compared += 1
        self.store.forget_removed()
        return compared

    def _found(self, due: DuePage) -> list[FoundContradiction]:
        try:
            with guarded(due.ref.id):
                return list(self._compared(due))
        except PageError:
            return []

    def _compared(self, due: DuePage) -> Iterator[FoundContradiction]:
        page = next(iter(self.index().pages([due.ref])), None)
        if page is None or celex_of(page):
            return
        for other, each in self.against(page):
            yield FoundContradiction(
                one=Passage(ref=page.ref, text=each.one.text),
                other=Passage(ref=other.ref, text=each.other.text),
                kind=each.kind,
            )

    def against(self, page: IndexedPage) -> Iterator[tuple[IndexedPage, Contradiction]]:
        """Yield the pages that contradict a page, which need not be in the index. Raises the errors of
        :meth:`run`."""
        texts = [text for text, some in _blocks(page) if some][:MOST_BLOCKS]
        for other in (*self._shown(self._translations(page)), *self._others(page, texts)):
            yield from ((other, each) for each in compared(page, other))

    def _others(self, page: IndexedPage, texts: list[str]) -> Iterator[IndexedPage]:
        """Yield pages in the same language that are near the page's ``texts``, and those already found to
        contradict it.

        The latter are needed because this page may be near to another that is not near to it.
        """
        near = self._near(page, texts) if texts else []
        known = {each.ref for each in near}
        yield from near
        partners = [ref for ref in self.store.partners(page.ref) if ref not in known]
        yield from (each for each in self._shown(partners) if _may_be_compared(page, each))

    def _translations(self, page: IndexedPage) -> list[PageRef]:
        sources = self.together(page.ref.source)
        stored = next(iter(self.pages.read([page.ref])), None)
        content = stored.page.fields.get("content") if stored and stored.page else None
        alternates = read_head(content.text, {}).alternates if content and content.is_html else []
        urls = {urljoin(page.url, href) for _, href in alternates}
        found = {
            *self.pages.with_ids([page.ref.source], [page.ref.id]),
            *(self.store.addressed(urls, sources) if urls else ()),
        }
        return sorted(ref for ref in found if ref.language not in (page.ref.language, UNDETERMINED))

    def _shown(self, refs: Collection[PageRef]) -> list[IndexedPage]:
        """Return those of these pages that visitors may see."""
        if not refs:
            return []
        hidden = self.pages.hidden(refs, datetime.now(UTC))
        return list(self.index().pages([ref for ref in refs if ref not in hidden]))

    def _near(self, page: IndexedPage, texts: list[str]) -> list[IndexedPage]:
        """Return the other pages in the same language that are near one of the page's ``texts``."""
        generation = live_generation(self.index(), self.pages.id)
        # Embedded as documents, because these give way to visitors' questions.
        vectors = self.embedder_of(generation).embed_documents([f"{page.title}\n{text}" for text in texts])
        near: dict[PageRef, IndexedPage] = {}
        for vector in vectors:
            spec = QuerySpec(
                words=(),
                sources=frozenset(self.together(page.ref.source)),
                vector=vector,
                k={"content": NEAR_PAGES},
                keyword="none",
                generation=generation.number,
            )
            near |= {each.page.ref: each.page for each in self.index().search(spec)}
        others = {ref: each for ref, each in near.items() if _may_be_compared(page, each)}
        hidden = self.pages.hidden(others, datetime.now(UTC)) if others else set()
        return [each for ref, each in others.items() if ref not in hidden]


def compared(page: IndexedPage, other: IndexedPage) -> list[Contradiction]:
    """Return the contradictions between two pages; pages in different languages are compared as
    translations."""
    one, theirs = _statements(page), _statements(other)
    if page.ref.language == other.ref.language:
        return contradictions(chain(*one), chain(*theirs))
    return contradictions_of_translations(one, theirs, (page.ref.language, other.ref.language))


def _may_be_compared(page: IndexedPage, other: IndexedPage) -> bool:
    return other.ref != page.ref and other.ref.language == page.ref.language and not celex_of(other)


def _statements(page: IndexedPage) -> list[tuple[Statement, ...]]:
    return [statements for _, statements in _blocks(page)]


def _blocks(page: IndexedPage) -> tuple[tuple[str, tuple[Statement, ...]], ...]:
    """The blocks of the page's content with their statements."""
    return _read(page.fields.get("content", "")[:READ_CHARACTERS], page.title, page.ref.language)


@lru_cache(maxsize=KEPT)
def _read(content: str, title: str, language: str) -> tuple[tuple[str, tuple[Statement, ...]], ...]:
    found = []
    read = set[Span]()
    for block in parsed_blocks(content, "content", title, language):
        above = " ".join((title, *block.headings))
        *before, own = block.spans
        leads = [content[slice(*span)] for span in before if span not in read]
        read.update(before)
        header = next((line for line in block.before.splitlines() if line.startswith("|")), "")
        statements = statements_of(
            "\n".join(lead for lead in leads if not lead.startswith("|")), above, language
        )
        statements += statements_of(content[slice(*own)], above, language, header)
        found.append((block.text.strip()[:BLOCK_CHARACTERS], tuple(statements)))
    return tuple(found)
