"""The search page's list: the number and kinds of pages found, and ten of the pages.

The list has the pages that the site's search finds by meaning and words, as far as they come near the best
one, and then all others that have every word. While somebody types, it has only pages with the words, and
nothing is embedded.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from app.chat.decisions import Pin
from app.chat.found_pages import FoundPage, found_pages
from app.chat.pipelines import RagPipeline
from app.search.facets import Facet
from app.search.filters import Filters
from app.search.languages import question_language
from app.search.retrieval import ANY_TIME, Hit, Retrieval, TimeFilter
from app.search.site_retriever import SiteRetriever
from app.search.spelling import corrected, suggestion
from app.search.types import PageMatch
from app.search.word_search import MATCHES
from ingest.types import PageRef

PAGE: Final = 10
"""Pages shown at once."""

RANKED: Final = 50
"""The most pages found by meaning."""

LEAST_SHARE: Final = 0.5
"""Share of the best page's score; below it, a page is only loosely about the same, ..."""

NEAR_SHARE: Final = 0.9
"""... unless its relevance has at least this share of the highest: a page in another language has none of the
words."""

BRIEF_LINES: Final = 3
"""Lines shown of a longer list or table: those with the words."""

Dimension = Literal["source", "language", "kind"]
DIMENSIONS: Final[tuple[Dimension, ...]] = get_args(Dimension)
Choice = Mapping[Dimension, str]
"""The values that the list is narrowed to."""


def chosen(*, source: str | None, language: str | None, kind: str | None) -> Choice:
    """Return the choice, without dimensions that are not given."""
    given: dict[Dimension, str | None] = {"source": source, "language": language, "kind": kind}
    return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageList:
    """One page of the list.

    * ``question``: as searched for, after correction
    * ``count``: pages in the whole list; ``is_more``: there are even more
    * ``number``: of this part, from 1
    * ``filters``: the number of pages that each choice would leave, by dimension
    * ``facets``: of the whole list
    * ``suggestion``: what may be meant instead, if nothing was found
    """

    asked: str
    question: str
    retrieval: Retrieval
    pages: Sequence[FoundPage]
    count: int
    is_more: bool
    number: int
    filters: Mapping[Dimension, Mapping[str, int]]
    facets: tuple[Facet, ...]
    suggestion: str | None

    @property
    def last(self) -> int:
        """The number of the last part, at least 1."""
        return max(1, -(-self.count // PAGE))


def page_list(
    pipeline: RagPipeline,
    question: str,
    *,
    sources: frozenset[str],
    choice: Choice,
    number: int = 1,
    language: str | None = None,
    time: TimeFilter = ANY_TIME,
    filters: Filters = (),
    is_typing: bool = False,
) -> PageList:
    """Return one part of the list. Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
    pipeline = pipeline.now()
    retriever, known = pipeline.retriever, None
    spoken = language or question_language(question)
    retrieval, text = Retrieval(question=question, mode="keyword", degraded=(), hits=(), time=time), question
    if not is_typing:
        retrieval = pipeline.search(
            question, sources=sources, language=language, limit=RANKED, time=time, filters=filters
        )
        known = retriever.known_words(sources, time)
        text = corrected(question, spoken, known) if known else question
    ranked = {hit.page.ref: hit for hit in relevant(retrieval)}
    matches = retriever.matches(
        text, sources=sources, language=spoken, time=time, filters=filters, is_typing=is_typing
    )
    kinds = {ref: hit.page.kind for ref, hit in ranked.items()} | {match.ref: match.kind for match in matches}
    pins = () if is_typing else pipeline.pages.decide(question, spoken).pins
    listed = ordered(retrieval, list(ranked), matches, is_pinned=is_pinned(retrieval, pins))
    passing = [ref for ref in listed if _passes(ref, kinds[ref], choice)]
    number = min(number, max(1, -(-len(passing) // PAGE)))
    part = passing[PAGE * (number - 1) : PAGE * number]
    read = retriever.whole_pages([ref for ref in part if ref not in ranked], sources, time)
    hits = ranked | {hit.page.ref: hit for hit in read}
    shown = Retrieval(question=text, mode=retrieval.mode, degraded=(), hits=())
    return PageList(
        asked=question,
        question=text,
        retrieval=retrieval,
        pages=[brief(page) for page in found_pages(shown, [hits[ref] for ref in part if ref in hits])],
        count=len(passing),
        is_more=len(matches) >= MATCHES,
        number=number,
        filters={name: _counts(listed, kinds, choice, name) for name in DIMENSIONS},
        facets=_facets(retriever, set(passing), ranked, matches),
        suggestion=None if passing or not known else suggestion(question, spoken, known),
    )


def relevant(retrieval: Retrieval) -> Sequence[Hit]:
    """Return the hits that come near the best one: all if they were found by words, none if they are far from
    the question."""
    if retrieval.mode != "semantic" or not retrieval.hits:
        return retrieval.hits
    if retrieval.certainty == "far":
        return ()
    least = LEAST_SHARE * max(hit.score for hit in retrieval.hits)
    near = NEAR_SHARE * max(map(_relevance, retrieval.hits))
    return [hit for hit in retrieval.hits if hit.score >= least or 0 < near <= _relevance(hit)]


def _relevance(hit: Hit) -> float:
    return hit.near_chunks[0].relevance if hit.near_chunks else 0.0


def brief(found: FoundPage) -> FoundPage:
    """Return the page with only the marked lines of a long list, because people skim the results."""
    marked = [line for line in found.lines if line.marks]
    if len(found.lines) <= BRIEF_LINES + 1 or not marked:
        return found
    return replace(found, lines=tuple(marked[:BRIEF_LINES]))


def is_pinned(retrieval: Retrieval, pins: Sequence[Pin]) -> bool:
    """Return True if the first hit is a page of ``pins``; hidden and filtered pages are not."""
    first = {(hit.page.ref.source, hit.page.ref.id, hit.page.ref.language) for hit in retrieval.hits[:1]}
    return any((pin.source, pin.id, pin.language or each[2]) == each for pin in pins for each in first)


def ordered(
    retrieval: Retrieval, ranked: Sequence[PageRef], matches: Sequence[PageMatch], *, is_pinned: bool = False
) -> Sequence[PageRef]:
    """Return all pages, best first.

    Pages found by words alone stay in the order shown while the question was typed, unless editors pinned
    some.
    """
    words = [match.ref for match in matches]
    if retrieval.mode == "keyword" and not retrieval.degraded and not is_pinned:
        return list(dict.fromkeys((*words, *ranked)))
    return list(dict.fromkeys((*ranked, *words)))


def _facets(
    retriever: SiteRetriever,
    passing: Collection[PageRef],
    ranked: Mapping[PageRef, Hit],
    matches: Sequence[PageMatch],
) -> tuple[Facet, ...]:
    """The facets of the pages in the list."""
    pages = (hit.page for ref, hit in ranked.items() if ref in passing)
    return retriever.facets(pages, (match for match in matches if match.ref in passing))


def _passes(ref: PageRef, kind: str, choice: Choice, but: Dimension | None = None) -> bool:
    values = {"source": ref.source, "language": ref.language, "kind": kind}
    return all(values[name] == wanted for name, wanted in choice.items() if name != but)


def _counts(
    listed: Sequence[PageRef], kinds: Mapping[PageRef, str], choice: Choice, name: Dimension
) -> Mapping[str, int]:
    """The number of pages per value of a dimension, ignoring what is chosen in it; the most frequent
    first."""
    passing = [ref for ref in listed if _passes(ref, kinds[ref], choice, but=name)]
    values = (kinds[ref] if name == "kind" else str(getattr(ref, name)) for ref in passing)
    return dict(Counter(values).most_common())
