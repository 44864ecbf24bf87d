"""Links to a passage within its page, by text directives (WICG, URL Fragment Text Directives).

``https://example.org/pool#:~:text=The%20outdoor%20pool%20opens`` makes a browser scroll to these words and
highlight them. The browser looks for whole words within one block of text, and ignores white space and case.
So the words are taken from the Markdown blocks around the passage, the only ones parsed; occurrences in the
page are counted in its raw text. Browsers without the feature ignore the directive.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Final
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.text.catalogue import page_label
from app.chat.text.plain_text import as_table
from app.chat.text.previews import path
from app.search.retrieval import Passage
from app.search.types import IndexedPage
from ingest.documents import PAGE_STARTS, page_number
from ingest.text import sentences, visible

FEWEST_WORDS: Final = 4
MOST_WORDS: Final = 10
LONGEST_WORD: Final = 50
"""Text with a longer word is a URL or data."""

READ_BYTES: Final = 2_000
"""The length of the page's text that is examined before and after the start of the passage."""

TRIED_SENTENCES: Final = 20

PARSED_BLOCKS: Final = 2_048
"""So many blocks' sentences are cached, because many answers link to the same blocks."""

_WEB: Final = frozenset({"http", "https"})
_EDGES: Final = re.compile(r"^\W+|\W+$")
_BLOCK_START: Final = re.compile(r"\n(?=[ \t]*(?:\n|[|#]|[-*+][ \t]|\d+[.)][ \t]))")
_FENCE: Final = "```"

_DESTINATION: Final = re.compile(rb"\]\([^)\n]*\)")
_MARKUP: Final = b"*_`[]\\|#>~"


def deep_link(url: str, page_markdown: str, start: int, end: int) -> str:
    """Return the URL with a text directive for the first words of the passage's first whole sentence.

    ``start``, ``end``: byte offsets of the passage in the page's UTF-8. Words that occur once in the page are
    preferred. The URL is returned unchanged if it is not a web address, if no words qualify, or if it has a
    fragment: then the page is a part of a document whose other parts are unknown.
    """
    if not is_whole_page(url):
        return url
    found = islice(_sentences(page_markdown.encode(), start, end), TRIED_SENTENCES)
    words = _words(found, _folded(page_markdown))
    return f"{url.removesuffix('#')}#:~:text={_encoded(words)}" if words else url


def passage_link(page: IndexedPage, passages: Iterable[Passage]) -> str:
    """Return the page's URL with a text directive for the first of the passages that is in its content; for a
    file with pages, with the number of that page instead."""
    place = _place(passages)
    number = _page_number(page, place)
    if number is not None:
        return f"{page.url.partition('#')[0]}#page={number}" if is_whole_page(page.url) else page.url
    return deep_link(page.url, page.fields.get("content", ""), *place)


def passage_path(page: IndexedPage, passages: Iterable[Passage]) -> str:
    """Return the page's URL for people; for a file with pages, with the number of the first passage's
    page."""
    number = _page_number(page, _place(passages))
    return path(page.url) if number is None else f"{path(page.url)}, {page_label(number, page.ref.language)}"


def _page_number(page: IndexedPage, place: tuple[int, int]) -> int | None:
    """Return the number of the file's page that a place is on, or None if the file has no pages."""
    starts = page.metadata.get(PAGE_STARTS)
    return page_number(starts, place[0]) if starts else None


def _place(passages: Iterable[Passage]) -> tuple[int, int]:
    """Return the byte offsets of the first passage that is in the content, otherwise zeros."""
    found = (each for each in passages if each.field == "content")
    return next(((each.start, each.end) for each in found), (0, 0))


def is_whole_page(url: str) -> bool:
    """Return True for a web address without a fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _WEB and not parts.fragment


def _sentences(page: bytes, start: int, end: int) -> Iterator[str]:
    """Yield the complete sentences between two byte offsets of the page, within ``READ_BYTES``."""
    first, last = max(start - READ_BYTES, 0), start + READ_BYTES
    text = page[first:last].decode(errors="ignore")
    begin, stop = (len(page[first:offset].decode(errors="ignore")) for offset in (start, min(end, last)))
    stop = min(stop, len(text) - (last < len(page)))  # the last sentence of a truncated text is not whole
    fences = page.count(_FENCE.encode(), 0, first)
    edges = [0, *(match.end() for match in _BLOCK_START.finditer(text)), len(text)]
    for low, high in pairwise(edges):
        block, held = text[low:high], text[max(low, begin) : min(high, stop)]
        if held.strip() and not (_FENCE in block or (fences + text.count(_FENCE, 0, low)) % 2):
            yield from _whole(block, held)


def _whole(block: str, held: str) -> Iterator[str]:
    """Yield the sentences of a block that its part ``held`` contains completely."""
    row = block.lstrip().startswith("|")
    if held == block:
        yield from _prose(block, row)
    elif _stripped(held) & _stripped(block):  # otherwise no sentence is whole; parsing is expensive
        there = frozenset(_prose(block, row))
        yield from (sentence for sentence in _prose(held, row) if sentence in there)


def _stripped(markdown: str) -> frozenset[str]:
    return frozenset(map(str.strip, sentences(markdown)))


@lru_cache(maxsize=PARSED_BLOCKS)
def _prose(block: str, row: bool) -> tuple[str, ...]:
    """Return the sentences of a Markdown block without headings. ``row``: True for a table row."""
    found, kind = list[str](), ""
    for token in _parser().parse(as_table(block) if row else block):
        if token.type == "inline" and kind != "heading_open":
            texts = (" ".join(visible(run).split()) for run in _runs(token.children or ()))
            found += [sentence.strip() for text in texts for sentence in sentences(text)]
        kind = token.type
    return tuple(found)


def _runs(tokens: Sequence[Token]) -> list[str]:
    """Return the text of a block, split where a browser's search may stop: at images, and at line breaks,
    each of which may be a ``<br>``."""
    runs = [""]
    for token in tokens:
        if token.type in {"text", "code_inline"}:
            runs[-1] += token.content
        elif token.type in {"softbreak", "hardbreak", "image", "html_inline"}:
            runs.append("")
    return runs


@cache
def _parser() -> MarkdownIt:
    """Return a parser without indented code, because in a cut block the indentation may belong to a list."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("code")


def _words(found: Iterable[str], page: bytes) -> str:
    """Return the words for the directive: the first words of a sentence that occur once in the folded page,
    otherwise a short sentence that occurs once, otherwise the first words of any sentence; empty if there are
    none."""
    short = repeated = ""
    for words in map(str.split, found):
        counted = [end for end, word in enumerate(words[:MOST_WORDS], 1) if any(map(str.isalnum, word))]
        if len(counted) < 2 or max(map(len, words[:MOST_WORDS])) > LONGEST_WORD:
            continue
        ends = counted[FEWEST_WORDS - 1 :]
        beginnings = [_EDGES.sub("", " ".join(words[:end])) for end in ends or counted[-1:]]
        unique = next((text for text in beginnings if _occurrences(_folded(text), page) < 2), "")
        if unique and ends:
            return unique
        short = short or unique
        repeated = repeated or (beginnings[-1] if ends else "")
    return short or repeated


def _occurrences(searched: bytes, page: bytes) -> int:
    """Return how often the words occur in the page as whole words, both folded; at most two."""
    count = position = 0
    while count < 2 and (position := page.find(searched, position)) >= 0:
        end = position + len(searched)
        count += not (page[max(position - 1, 0) : position].isalnum() or page[end : end + 1].isalnum())
        position += 1
    return count


def _folded(markdown: str) -> bytes:
    """Return one byte for each character, without markup, case and accents, which browsers ignore, too.

    All characters outside Latin-1 become the same byte, so that such words count as repeated rather than
    unique.
    """
    return _DESTINATION.sub(b"", markdown.encode("latin-1", "replace")).translate(_BASES, _MARKUP)


def _base(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.casefold())[0]
    return " " if base.isspace() else base


_BASES: Final = "".join(map(_base, map(chr, range(256)))).encode("latin-1", "replace")


def _encoded(text: str) -> str:
    """Return the text percent-encoded, including ``-``, which ``quote`` keeps but the directive reserves."""
    return quote(text, safe="").replace("-", "%2D")
