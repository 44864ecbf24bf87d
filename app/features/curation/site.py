"""The current curation of each site: a change by any process applies to the next question."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from threading import Lock
from typing import Final, Self, Unpack

from app.chat.decisions import NO_DECISION, Decision, FixedReply, Pin
from app.chat.site_search import PagesSearch
from app.features.curation.content import Entry
from app.features.curation.meaning import QuestionSpace, QuestionSpaces
from app.features.curation.phrasings import Phrasings, phrasings_of
from app.features.curation.pins import pinned_pages, with_pinned
from app.features.curation.store import CurationStore
from app.features.curation.synonyms import Expansion, expansion
from app.presets import Preset
from app.search.filters import admits
from app.search.fusion import fused_hits
from app.search.index import SearchIndex
from app.search.languages import question_language
from app.search.retrieval import Retrieval
from app.search.site_retriever import Narrowing, SiteRetriever


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentEntries:
    """A site's entries at one moment."""

    all: tuple[Entry, ...]
    phrasings: Phrasings | None
    synonyms: tuple[Entry, ...]
    examples: tuple[Entry, ...]


def current_entries(entries: Sequence[Entry]) -> CurrentEntries:
    """Sort a site's entries by their use."""
    return CurrentEntries(
        all=tuple(entries),
        phrasings=phrasings_of(entries),
        synonyms=tuple(entry for entry in entries if entry.kind == "synonyms"),
        examples=tuple(entry for entry in entries if entry.kind == "example"),
    )


NO_ENTRIES: Final = current_entries(())


class Curations:
    """The entries of all sites in memory, read again when their count of changes differs. Thread-safe.

    Every method raises ``PageStoreUnavailableError``.
    """

    def __init__(self, store: CurationStore) -> None:
        self._store = store
        self._lock = Lock()
        self._changes = -1
        self._by_site: Mapping[str, CurrentEntries] = {}

    def of(self, site: str) -> CurrentEntries:
        """Return a site's current entries."""
        if self._store.changes() != self._changes:
            with self._lock:
                self._read()
        return self._by_site.get(site, NO_ENTRIES)

    def _read(self) -> None:
        changes, entries = self._store.all()
        grouped: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            grouped[entry.site].append(entry)
        before = self._by_site
        self._by_site = {
            site: known if (known := before.get(site)) and known.all == tuple(some) else current_entries(some)
            for site, some in grouped.items()
        }
        self._changes = changes


class SiteCuration(PagesSearch):
    """The search of one site with one preset, as curated by its editors."""

    def __init__(
        self,
        site: str,
        *,
        entries: Callable[[], CurrentEntries],
        spaces: QuestionSpaces,
        retriever: SiteRetriever,
        index: Callable[[], SearchIndex],
        preset: Preset,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(retriever)
        self._site = site
        self._entries = entries
        self._spaces = spaces
        self._index = index
        self._preset = preset
        self._today = today

    def now(self) -> Self:
        """Return the search for one question, which uses the entries as they are when first needed."""
        made = super().now()
        made._entries, made._today = cache(self._entries), cache(self._today)
        return made

    def decide(self, question: str, language: str | None) -> Decision:
        """Return the decision about a question. Raises ``PageStoreUnavailableError``."""
        phrasings = self._entries().phrasings
        if phrasings is None:
            return NO_DECISION
        today = self._today()
        meant = phrasings.meant(question, self._space())
        return decision([pair for pair in meant if pair[1].is_valid(today)], language)

    def explained(self, question: str, language: str | None) -> str:
        """Return the question with the synonyms of its words in brackets."""
        found = self._expansion(question, language)
        return found.explained if found else question

    def retrieve(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        """Search like :class:`app.search.site_retriever.SiteRetriever`, with all synonyms."""
        language = narrowing.get("language") or question_language(question)
        narrowing["language"] = language

        def search(text: str) -> Retrieval:
            return self.retriever.retrieve(text, **narrowing)

        found = self._expansion(question, language)
        return search(question) if found is None else merged(found, [*map(search, found.variants)])

    def look_up(
        self, question: str, cited: Sequence[str], **narrowing: Unpack[Narrowing]
    ) -> Retrieval | None:
        """Look up a text of law by any of its names."""
        found = self._expansion(question, narrowing.get("language"))
        for text in found.variants if found else (question,):
            result = self.retriever.look_up(text, cited, **narrowing)
            if result is not None:
                return result
        return None

    def with_pins(
        self,
        retrieval: Retrieval,
        pins: Sequence[Pin],
        *,
        sources: frozenset[str],
        language: str | None,
    ) -> tuple[Retrieval, tuple[int, ...]]:
        """Put the pages of ``pins`` first; return the result and the numbers of the pins whose pages were
        found.

        Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
        """
        if not pins:
            return retrieval, ()
        pages = pinned_pages(
            pins,
            self.retriever.named_pages,
            site=self._site,
            sources=sources,
            language=language,
            time=retrieval.time,
        )
        pages = [page for page in pages if admits(retrieval.filters, page.metadata)]
        if not pages:
            return retrieval, ()
        names = {(page.ref.source, page.ref.id) for page in pages}
        numbers = tuple(pin.number for pin in pins if (pin.source, pin.id) in names)
        neighbours = self._preset.question.expansion_chunks
        return with_pinned(retrieval, pages, self._index(), self._space(), neighbours), numbers

    def _expansion(self, question: str, language: str | None) -> Expansion | None:
        synonyms = self._entries().synonyms
        if not synonyms:
            return None
        today = self._today()
        groups = [
            entry.content.words for entry in synonyms if entry.is_valid(today) and entry.is_for(language)
        ]
        return expansion(question, groups, language)

    def _space(self) -> QuestionSpace | None:
        return self._spaces.of(self._preset)


def merged(found: Expansion, results: Sequence[Retrieval]) -> Retrieval:
    """Return one result from the results for all variants of a question.

    Results that have hits and are not degraded are fused by rank, if there are any. A word counts as present
    in a page if another word of its group is.
    """
    kept = [result for result in results if result.hits and not result.degraded] or results
    first, *others = kept
    hits = first.hits
    for other in others:
        hits = fused_hits(hits, other.hits)
    relevances = [result.relevance for result in kept if result.relevance is not None]
    certainties = [result.certainty for result in kept]
    offered = next((result.keyword_hits for result in kept if result.keyword_hits), ())
    fewest = min(len(result.absent_words) for result in kept)
    absent = (word for each in kept if len(each.absent_words) == fewest for word in each.absent_words)
    return replace(
        first,
        question=found.joined,
        hits=hits,
        keyword_hits=() if hits else offered,
        relevance=max(relevances, default=None),
        certainty=next(name for name in ("answered", "near", "far") if name in certainties),
        absent_words=tuple(dict.fromkeys(absent)),
    )


def examples_of(entries: CurrentEntries, settings: Sequence[str], today: date) -> list[tuple[str, str]]:
    """Return the example questions of a site with their languages (empty if not given).

    Those of the editors come first, then those of the settings, unless an editor replaces them.
    """
    own = [entry.content for entry in entries.examples if entry.is_valid(today)]
    ours = [] if any(content.replaces for content in own) else [(text, "") for text in settings]
    return [*((content.text, content.language) for content in own), *ours]


def decision(meant: Sequence[tuple[float, Entry]], language: str | None) -> Decision:
    """Decide by the entries that match a question, nearest first, and apply to its ``language``."""
    entries = [entry for _, entry in meant if entry.is_for(language)]
    reply = next(filter(None, map(_reply, entries)), None)
    if reply is not None:
        return Decision(reply=reply)
    return Decision(pins=tuple(filter(None, map(_pin, entries))))


def _reply(entry: Entry) -> FixedReply | None:
    if entry.kind not in ("answer", "blocked"):
        return None
    content = entry.content
    return FixedReply(number=entry.number, kind=entry.kind, text=content.text, contact=content.contact)


def _pin(entry: Entry) -> Pin | None:
    page = entry.content.page
    if entry.kind != "pin" or page is None:
        return None
    return Pin(number=entry.number, source=page.source, id=page.id, language=page.language)
