"""The blocks of a page with their words, cached for the next question that finds it; and :class:`LruCache`, a
least-recently-used cache."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, Generic, TypeVar

from app.search import analysis
from app.search.passages import repeats
from app.search.retrieval import Passage
from app.search.types import IndexedPage
from ingest.blocks import Kind, Span, blocks
from ingest.types import FieldName

LINK_SHARE: Final = 0.7
"""A block with at least this share of its text in links leads to answers but contains none."""

HEADLINES: Final[tuple[FieldName, ...]] = ("title", "name")
"""The first of these fields that a page has is its headline, which goes above all its blocks."""

LABELS: Final[tuple[FieldName, ...]] = ("name", "keywords")
"""Fields that name what a page is about. They become blocks if they have words that the page has nowhere
else."""

CACHED_CHARACTERS: Final = 2_500_000
"""Limit of the pages whose blocks are cached; a character takes 14 bytes."""


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache of the values used last. Thread-safe."""

    def __init__(self, most: int) -> None:
        """``most``: the most that the sizes of all values may add up to."""
        self._most, self._size = most, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key; ``None`` if it is not kept."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value unless it is too large by itself; drop the least recently used ones if there is no
        room."""
        if size > self._most:
            return
        with self._lock:
            self._size += size - self._values.pop(key, (value, 0))[1]
            self._values[key] = value, size
            while self._size > self._most:
                self._size -= self._values.popitem(last=False)[1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedBlock:
    """A block of a page. ``passage``: its own slice; ``before``: the lead or table header before it;
    ``text``, ``words``: of both. ``above``: the words of title and headings. ``is_links``: it is a list of
    links. ``spans``, ``wholes``, ``around``: see :class:`ingest.blocks.Block`."""

    kind: Kind
    passage: Passage
    before: str
    text: str
    headings: tuple[str, ...]
    spans: tuple[Span, ...]
    wholes: tuple[Span, ...]
    around: Span
    words: frozenset[str]
    above: frozenset[str]
    is_links: bool


@dataclass(frozen=True, slots=True, eq=False)
class PageBlocks:
    """The blocks of a page in its ``language``, compared by identity. ``has_content``: the page has content,
    not only other fields."""

    language: str
    has_content: bool
    blocks: Sequence[ParsedBlock]


_kept: Final[LruCache[tuple[object, ...], PageBlocks]] = LruCache(CACHED_CHARACTERS)


def blocks_of(page: IndexedPage) -> PageBlocks:
    """Return the blocks of a page; for a unit of law, those of its content if it has any."""
    texts = {name: page.fields[name] for name in page.fields if not page.is_law or name == "content"}
    fields, title, language = tuple((texts or page.fields).items()), page.title, page.ref.language
    found = _kept.get((fields, title, language))
    if found is None:
        found = PageBlocks(language, "content" in texts, page_blocks(fields, title, language))
        _kept.put((fields, title, language), found, sum(len(text) for _, text in fields))
    return found


def page_blocks(
    fields: Iterable[tuple[FieldName, str]], title: str, language: str
) -> tuple[ParsedBlock, ...]:
    """Return the blocks of a page: of its content, of a description that the content does not repeat, and of
    ``LABELS`` that have words of their own. If there is no content or description, return its headline
    (``HEADLINES``) alone, which otherwise goes above the blocks."""
    texts = dict(fields)
    found = list(parsed_blocks(texts.get("content", ""), "content", title, language))
    description = texts.get("description", "")
    if not repeats(texts.get("content", ""), description):
        found += parsed_blocks(description, "description", title, language)
    headline = next((name for name in HEADLINES if texts.get(name)), None)
    if not found and headline:
        return parsed_blocks(texts[headline], headline, title, language)
    known = _words(title, language).union(*(parsed.words | parsed.above for parsed in found))
    for label in LABELS:
        words = _words(texts.get(label, ""), language)
        if not words <= known:
            found += parsed_blocks(texts[label], label, title, language)
        known |= words
    return tuple(found)


def parsed_blocks(markdown: str, field: FieldName, title: str, language: str) -> tuple[ParsedBlock, ...]:
    """Return the blocks of a field of the page with this ``title``."""
    parsed, offset, byte = [], 0, 0
    above: dict[tuple[str, ...], frozenset[str]] = {}
    for block in blocks(markdown):
        start, end = block.own
        first = byte + len(markdown[offset:start].encode())
        offset, byte = end, first + len(markdown[start:end].encode())
        before, own = block.before(markdown), markdown[start:end]
        text = f"{before}\n{own}"
        if block.headings not in above:
            above[block.headings] = _words(" ".join((title, *block.headings)), language)
        parsed.append(
            ParsedBlock(
                kind=block.kind,
                passage=Passage(field=field, start=first, end=byte, text=own),
                before=before,
                text=text,
                headings=block.headings,
                spans=block.spans,
                wholes=block.wholes,
                around=block.around,
                words=_words(text, language),
                above=above[block.headings],
                is_links=analysis.link_share(own) >= LINK_SHARE,
            )
        )
    return tuple(parsed)


def _words(markdown: str, language: str) -> frozenset[str]:
    return frozenset(analysis.tokens(analysis.without_targets(markdown), language))
