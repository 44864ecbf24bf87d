"""Learns translations of words from pages that the index has in several languages."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import combinations
from typing import Final

import structlog

from app.features.translations.store import TermStore
from app.features.translations.term_learning import Texts, learned_terms
from app.indexing.stopping import Stop, StoppedError, never
from app.pages.database import utc_now
from app.pages.store import PageStore
from app.search.index import SearchIndex, live_generation
from app.search.types import IndexedPage
from ingest.types import UNDETERMINED, PageRef

LEAST_PAGES: Final = 10
"""Pages needed in two languages; from fewer, coincidences outnumber translations."""

PAGES_AT_ONCE: Final = 50

Languages = tuple[str, str]
_Pages = tuple[PageRef, PageRef]

log = structlog.get_logger(__name__)


class TermLearner:
    """Fills the ``table`` from pages with the same id in two languages."""

    def __init__(self, *, index: Callable[[], SearchIndex], store: PageStore, table: TermStore) -> None:
        self._index = index
        self._store = store
        self._table = table

    def run(self, stop: Stop = never) -> None:
        """Learn each pair of languages again, starting with the pair learned longest ago.

        Pairs not reached when ``stop`` returns True stay as they were. Raises ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``.
        """
        found = self._translated_pages()
        taught = {languages: pages for languages, pages in found.items() if len(pages) >= LEAST_PAGES}
        self._table.keep_only(taught.keys())
        learned_at = {(each.language, each.other): each.learned_at for each in self._table.languages()}
        for languages in sorted(taught, key=lambda pair: (pair in learned_at, learned_at.get(pair), pair)):
            try:
                learned = learned_terms(self._texts(taught[languages], stop), languages)
            except StoppedError:
                return
            self._table.replace(languages, learned.first, learned.second)
            log.info("terms_learned", languages="-".join(languages), words=len(learned.first))

    def _translated_pages(self) -> dict[Languages, list[_Pages]]:
        """Return the pages available in both of two languages, shuffled, because only part of them may be
        used."""
        generation = live_generation(self._index(), self._store.id).number
        by_id: defaultdict[tuple[str, str], list[PageRef]] = defaultdict(list)
        for ref, _ in self._index().refs(generation):
            if ref.language != UNDETERMINED:
                by_id[ref.source, ref.id].append(ref)
        found: defaultdict[Languages, list[_Pages]] = defaultdict(list)
        for _, refs in sorted(by_id.items(), key=_anywhere):
            for one, other in combinations(sorted(refs), 2):
                found[one.language, other.language].append((one, other))
        return found

    def _texts(self, pages: Sequence[_Pages], stop: Stop) -> Iterator[Texts]:
        """Yield the texts of pages that correspond in both languages by structure, without hidden pages.

        Raises ``StoppedError``.
        """
        for start in range(0, len(pages), PAGES_AT_ONCE):
            if stop():
                raise StoppedError
            some = pages[start : start + PAGES_AT_ONCE]
            refs = [ref for pair in some for ref in pair]
            hidden = self._store.hidden(refs, utc_now())
            served = {page.ref: page for page in self._index().pages(refs) if page.ref not in hidden}
            for one, other in some:
                if one in served and other in served:
                    yield from aligned(served[one], served[other])


def _anywhere(found: tuple[tuple[str, str], list[PageRef]]) -> bytes:
    """A sort key that shuffles sources and sections, but is the same every night."""
    return blake2b("/".join(found[0]).encode(), digest_size=8).digest()


def aligned(one: IndexedPage, other: IndexedPage) -> list[Texts]:
    """Return the corresponding titles and lines of two pages; no lines if one page has more of them."""
    titles, lines = zip(_titles(one), _titles(other), strict=True), (_lines(one), _lines(other))
    return [*titles, *(zip(*lines, strict=True) if len(lines[0]) == len(lines[1]) else ())]


def _titles(page: IndexedPage) -> tuple[str, str]:
    return page.fields.get("title", ""), page.fields.get("description", "")


def _lines(page: IndexedPage) -> list[str]:
    return [line for line in page.fields.get("content", "").splitlines() if line.strip()]
