"""Plans the context of a prompt: pages, how much of each, and their numbers. Pure functions."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Final, NamedTuple

from app.chat.model.tokens import MOST_CHARACTERS, counted, estimate, tokens_of
from app.chat.source_items import (
    FRAME_TOKENS,
    SourceItem,
    hit_tokens,
    page_tokens,
    short_title,
    source_item,
    source_tokens,
)
from app.search.blocks import FoundBlock, in_page_order
from app.search.extracts import PARAGRAPH, joined_markdown
from app.search.passages import whole_page
from app.search.retrieval import Hit, LinkKind, Passage
from app.search.types import IndexedPage
from ingest.text import ends
from ingest.types import PageRef

GAP: Final = "\n\n[…]\n\n"
MINIMUM_CHARACTERS: Final = 200
"""A page cut to less than this is left out."""

FIRST_CHARACTERS: Final = 800
"""The best blocks of a page, up to this length, come before its other blocks in the prompt."""

SHARE_CHARACTERS: Final = 1_200
GOOD_CHARACTERS: Final = 3_000
GOOD_MARGIN: Final = 0.15
"""A page's blocks have at most ``SHARE_CHARACTERS`` while other pages need the room, or ``GOOD_CHARACTERS``
with blocks whose score is at most ``GOOD_MARGIN`` below that of the best block of all pages."""

PAGE_CHARACTERS: Final = 4_000
"""At most so many of a page's blocks once other pages have had their share. All of these are measured
(docs/quality.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The sources of an answer; those in the prompt are numbered from 1 without gaps. ``blocks``: the blocks
    of all pages found, best first. ``is_corpus``: True if the sources are all pages of the site."""

    sources: tuple[SourceItem, ...]
    blocks: tuple[FoundBlock, ...] = ()
    is_corpus: bool = False

    @property
    def used(self) -> tuple[SourceItem, ...]:
        """The sources in the prompt."""
        return tuple(source for source in self.sources if source.used)

    def with_blocks(self, ranked: Sequence[FoundBlock]) -> "Context":
        """Return the context with these blocks, each source with its best one."""
        return replace(self.opening(ranked), blocks=tuple(ranked))

    def opening(self, ranked: Sequence[FoundBlock]) -> "Context":
        """Return the context with links that open a source at its best block among these, best first. A
        source without any keeps its own."""
        best = {block.page.ref: block for block in reversed(ranked)}
        sources = (replace(source, best=best.get(source.page.ref, source.best)) for source in self.sources)
        return replace(self, sources=tuple(sources))

    @property
    def numbers(self) -> set[int]:
        """The numbers that an answer may cite."""
        return {source.number for source in self.sources if source.number is not None}


def plan_context(hits: Sequence[Hit], budget_tokens: int, linked_share: float = 0.0) -> Context:
    """Fill the budget with the hits in rank order, then with pages that those in the prompt link to.

    Up to ``linked_share`` of the budget is kept for linked pages; they also get what the hits leave. The
    first hit that does not fit is cut at the end of a sentence, or left out if less than
    ``MINIMUM_CHARACTERS`` would remain, and no hit follows it; the same goes for linked pages. A page without
    passages is not used. The sum of ``source_tokens`` over the used sources never exceeds ``budget_tokens``.
    """
    hits = _with_definitions(hits)
    reserved = int(budget_tokens * linked_share)
    direct = _filled(hits, budget_tokens - reserved)
    needed = _tokens(_filled(_linked(direct), reserved))
    direct = _filled(hits, budget_tokens - needed)
    linked = _linked(direct)
    chosen = [*direct, *_filled(linked, budget_tokens - _tokens(direct))]
    used = [source_item(hit, number, text) for number, (hit, text) in enumerate(chosen, start=1)]
    known = {hit.page.ref for hit, _ in chosen}
    others = {hit.page.ref: hit for hit in (*hits, *linked) if hit.page.ref not in known}
    return Context(sources=_with_links((*used, *unnumbered_sources(others.values())), hits))


def _with_definitions(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits; if another hit links to one as a definition, with the passages of that link."""
    defining = {
        each.page.ref: each.passages for hit in hits for each in hit.linked if each.link == "definition"
    }
    return [replace(hit, passages=defining.get(hit.page.ref, hit.passages)) for hit in hits]


def _filled(hits: Iterable[Hit], budget_tokens: int) -> list[tuple[Hit, str]]:
    """Return the first hits, each with its text as far as it fits."""
    left = budget_tokens
    filled: list[tuple[Hit, str]] = []
    for hit in hits:
        text = joined_passages(hit.passages)
        tokens = hit_tokens(hit, text)
        is_cut = tokens > left
        if is_cut:
            text = _cut_at_sentence(text, left - hit_tokens(hit, ""), hit.page.ref.language)
            tokens = hit_tokens(hit, text)
        if text:
            filled.append((hit, text))
            left -= tokens
        if is_cut:
            break
    return filled


def _linked(direct: Sequence[tuple[Hit, str]]) -> list[Hit]:
    """Return the pages outside ``direct`` that its hits link to, each once."""
    known = {hit.page.ref for hit, _ in direct}
    linked: dict[PageRef, Hit] = {}
    for each in (each for hit, _ in direct for each in hit.linked if each.page.ref not in known):
        linked.setdefault(each.page.ref, each)
    return list(linked.values())


def _tokens(filled: Iterable[tuple[Hit, str]]) -> int:
    return sum(hit_tokens(hit, text) for hit, text in filled)


def _with_links(sources: Sequence[SourceItem], hits: Iterable[Hit]) -> tuple[SourceItem, ...]:
    """Return the sources, each with the numbers of the sources that link to it."""
    linked = {hit.page.ref: hit.linked for hit in hits}
    links: dict[PageRef, list[tuple[LinkKind, int]]] = defaultdict(list)
    for source in sources:
        for each in linked.get(source.page.ref, ()):
            if each.link and source.number is not None:
                links[each.page.ref].append((each.link, source.number))
    return tuple(replace(source, linked_from=tuple(links[source.page.ref])) for source in sources)


def plan_blocks(
    ranked: Sequence[FoundBlock], hits: Sequence[Hit], budget_tokens: int, linked_share: float = 0.0
) -> Context:
    """Fill the budget with the best blocks of any page, then with pages that the hits link to, for which
    ``linked_share`` of the budget is kept.

    The sources come in the order of their best blocks. The text of each begins with its best
    ``FIRST_CHARACTERS``. So that no page crowds out the best blocks of the next ones, it first gets at most
    ``SHARE_CHARACTERS``, or ``GOOD_CHARACTERS`` with good blocks; its first block may be longer. The rest of
    the budget then goes to the last pages first, up to ``PAGE_CHARACTERS`` each. The sum of ``source_tokens``
    over the used sources never exceeds ``budget_tokens``.
    """
    by_ref = {hit.page.ref: hit for hit in hits}
    linked = {each.page.ref: each for hit in hits for each in hit.linked}
    reserved = int(budget_tokens * linked_share) if linked else 0
    chosen = _ChosenBlocks(by_ref, budget_tokens - reserved)
    best = max((block.chunk_score for block in ranked), default=0.0)
    for block in ranked:
        is_good = block.chunk_score >= best - GOOD_MARGIN
        chosen.add(block, GOOD_CHARACTERS if is_good else SHARE_CHARACTERS)
    of_page: dict[PageRef, list[FoundBlock]] = defaultdict(list)
    for block in ranked:
        of_page[block.page.ref].append(block)
    for ref in reversed(list(chosen.pages)):
        for block in of_page[ref]:
            chosen.add(block, PAGE_CHARACTERS)
    used = [
        source_item(by_ref[ref], number, page.text, tuple(block.passage for block in page.blocks))
        for number, (ref, page) in enumerate(chosen.pages.items(), start=1)
    ]
    left = chosen.left + reserved
    for ref, hit in linked.items():
        text = joined_passages(hit.passages)
        tokens = hit_tokens(hit, text)
        if text and ref not in chosen.pages and tokens <= left:
            used.append(source_item(hit, len(used) + 1, text))
            left -= tokens
    known = {source.page.ref for source in used}
    others = {ref: hit for ref, hit in (by_ref | linked).items() if ref not in known}
    return Context(sources=_with_links((*used, *unnumbered_sources(others.values())), hits))


class _ChosenPage(NamedTuple):
    """The part of a page that enters the prompt. ``tokens``: all its tokens there; ``frame``: those without
    its text."""

    frame: int
    blocks: tuple[FoundBlock, ...] = ()
    text: str = ""
    tokens: int = 0
    characters: int = 0


class _ChosenBlocks:
    """Blocks chosen within a budget. ``pages``: in the order of their first blocks; ``left``: the tokens that
    remain."""

    def __init__(self, hits: Mapping[PageRef, Hit], budget_tokens: int) -> None:
        self.pages: dict[PageRef, _ChosenPage] = {}
        self.left = budget_tokens
        self._hits = hits
        self._counted = cache(counted)
        self._sections: dict[tuple[int, ...], str] = {}

    def add(self, block: FoundBlock, most_characters: int) -> None:
        """Add the block if it is new, fits, and brings its page to at most ``most_characters``. A page's
        first block may be longer."""
        if self.left < FRAME_TOKENS or len(block.passage.text) > self.left * MOST_CHARACTERS:  # cannot fit
            return
        ref = block.page.ref
        page = self.pages.get(ref) or _ChosenPage(frame=hit_tokens(self._hits[ref], ""))
        if any(block is each for each in page.blocks):
            return
        characters = page.characters + len(block.markdown)
        if page.blocks and characters > most_characters:
            return
        blocks = (*page.blocks, block)
        parts = _page_parts(blocks, self._section)
        tokens = page.frame + tokens_of(map(self._counted, parts), ref.language)
        if tokens - page.tokens <= self.left:
            self.left -= tokens - page.tokens
            text = "".join(parts)
            self.pages[ref] = _ChosenPage(page.frame, blocks, text, tokens, characters)

    def _section(self, blocks: Sequence[FoundBlock]) -> str:
        """Return a section's text. It is cached because each block added composes its page's text anew."""
        key = tuple(map(id, blocks))
        if key not in self._sections:
            self._sections[key] = _section(blocks)
        return self._sections[key]


def with_earlier(context: Context, hits: Sequence[Hit], budget_tokens: int) -> Context:
    """Return the context, followed by each page that earlier answers cited and that fits the budget. A page
    that is in the prompt already is not repeated."""
    read = {source.page.ref for source in context.used}
    left = budget_tokens - sum(map(source_tokens, context.used))
    added: list[SourceItem] = []
    for hit in hits:
        text = joined_passages(hit.passages)
        tokens = hit_tokens(hit, text)
        if text and tokens <= left and hit.page.ref not in read:
            added.append(replace(source_item(hit, len(read) + 1, text), earlier=True))
            read.add(hit.page.ref)
            left -= tokens
    others = (source for source in context.sources if not source.used and source.page.ref not in read)
    return replace(context, sources=(*context.used, *added, *others))


def passage_tokens(hits: Iterable[Hit]) -> int:
    """Return the tokens of the hits in the prompt with all their passages."""
    return sum(hit_tokens(hit, joined_passages(hit.passages)) for hit in hits)


def plan_corpus(pages: Sequence[IndexedPage], budget_tokens: int) -> Context | None:
    """Return a context of all pages in full, or None if they do not fit. They keep the given order, so that
    prompts begin alike for all questions."""
    sources = tuple(_whole_source(page, number) for number, page in enumerate(pages, start=1))
    needed = sum(page_tokens(source.page, source.text) for source in sources)
    return Context(sources=sources, is_corpus=True) if needed <= budget_tokens else None


def _whole_source(page: IndexedPage, number: int) -> SourceItem:
    passages = whole_page(page)
    text = joined_passages(passages)
    return SourceItem(number=number, page=page, similarity=None, used=True, text=text, passages=passages)


def _page_parts(blocks: Sequence[FoundBlock], write: Callable[[Sequence[FoundBlock]], str]) -> list[str]:
    """Return the text of a page's blocks, given best first, as parts to be joined.

    The sections of the best blocks come first, in page order, then those of the others, with separators
    between them. ``write``: makes a section's text.
    """
    room, first = FIRST_CHARACTERS, 0
    while first < len(blocks) and (room >= len(blocks[first].markdown) or first == 0):
        room -= len(blocks[first].markdown)
        first += 1
    parts: list[str] = []
    for some in (blocks[:first], blocks[first:]):
        ordered = sorted(some, key=in_page_order)
        sections = groupby(ordered, key=lambda block: (block.headings, block.passage.field))
        for number, (_, found) in enumerate(sections):
            parts += ([PARAGRAPH if number else GAP] if parts else []) + [write(list(found))]
    return parts


def _section(blocks: Sequence[FoundBlock]) -> str:
    """Return the blocks of a section below its headings."""
    title = short_title(blocks[0].page)
    below = [heading for heading in blocks[0].headings if heading != title]
    text = joined_markdown(blocks)
    return f"**{' › '.join(below)}**\n{text}" if below else text


def unnumbered_sources(hits: Iterable[Hit]) -> tuple[SourceItem, ...]:
    """Return the hits as sources outside the prompt, which are only listed."""
    return tuple(source_item(hit, None, "") for hit in hits)


def joined_passages(passages: Sequence[Passage]) -> str:
    """Return the passages as one text, with ``GAP`` between passages of the same field."""
    parts: list[str] = []
    previous = None
    for passage in passages:
        if parts:
            parts.append(GAP if passage.field == previous else "\n\n")
        parts.append(passage.text.strip())
        previous = passage.field
    return "".join(parts)


def _cut_at_sentence(text: str, tokens: int, language: str) -> str:
    """Return the longest run of whole sentences from the start that fits; empty if it is shorter than
    ``MINIMUM_CHARACTERS``."""
    sentence_ends = list(ends(text[: max(tokens, 0) * MOST_CHARACTERS]))
    fitting = bisect_right(sentence_ends, tokens, key=lambda end: estimate(text[:end], language))
    shortened = text[: sentence_ends[fitting - 1]].rstrip() if fitting else ""
    return shortened if len(shortened) >= MINIMUM_CHARACTERS else ""
