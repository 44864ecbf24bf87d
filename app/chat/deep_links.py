"""Links that lead to a passage within its page: text directives (WICG, URL Fragment Text Directives).

``https://example.org/pool#:~:text=The%20outdoor%20pool%20opens`` makes a browser scroll to these words and
mark them. It looks for them within one block of text, as whole words, whatever the white space and letter
case; so do we, in the page's Markdown. Browsers without the feature ignore the directive.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.sentences import sentences
from ingest.text import visible

FEWEST_WORDS: Final = 4
MOST_WORDS: Final = 10
LONGEST_WORD: Final = 50
"""Text with a longer word is an address or data."""

READ_CHARACTERS: Final = 200_000
TRIED_SENTENCES: Final = 20

_WEB: Final = frozenset({"http", "https"})
_MARKS: Final = re.compile("[\u0300-\u036f]+")
_EDGES: Final = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Text in which a browser finds words: its lines in the Markdown, and whether it is prose, no
    heading or code."""

    text: str
    first_line: int
    end_line: int
    prose: bool


def deep_link(url: str, page_markdown: str, passage_markdown: str) -> str:
    """The address with a text directive for the passage's first whole sentence, its first words.

    ``passage_markdown`` is a slice of ``page_markdown`` that begins and ends anywhere. Words that occur once
    in the page are preferred. The address stays as it is if it is no web address, if the words cannot be
    found in the page, or if it has a fragment: then the page is a part of a document that we do not know.
    """
    start = page_markdown.find(passage_markdown, 0, READ_CHARACTERS)
    if not _is_whole_page(url) or start < 0 or not passage_markdown.strip():
        return url
    blocks = list(_blocks(page_markdown[:READ_CHARACTERS]))
    found = list(_sentences(blocks, page_markdown, start, start + len(passage_markdown)))
    words = _words(found[:TRIED_SENTENCES], "\n".join(_folded(block.text) for block in blocks))
    return f"{url.removesuffix('#')}#:~:text={_encoded(words)}" if words else url


def _is_whole_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _WEB and not parts.fragment


def _sentences(blocks: Sequence[_Block], page: str, start: int, end: int) -> Iterator[str]:
    """The sentences of prose that lie whole between two characters of the page.

    In a block that is cut these are the ones that the cut text holds, as far as they have no markup.
    """
    first_line = page.count("\n", 0, start) + (page[start - 1 : start] not in {"", "\n"})
    end_line = page.count("\n", 0, end) + ("\n" in {page[end - 1], page[end : end + 1] or "\n"})
    cut = {" ".join(sentence.split()) for sentence in sentences(page[start:end])}
    for block in blocks:
        if not block.prose or block.end_line < first_line or block.first_line > end_line:
            continue
        whole = first_line <= block.first_line and block.end_line <= end_line
        for sentence in map(str.strip, sentences(block.text)):
            if sentence and (whole or sentence in cut):
                yield sentence


def _words(found: Sequence[str], page: str) -> str:
    """What to look for: the first words of a sentence that are unique in the page, else a short sentence that
    is, else the first words that are there; or nothing."""
    split = [words for words in (sentence.split() for sentence in found) if _is_prose(words)]
    long = [words for words in split if len(words) >= FEWEST_WORDS]
    for words in long:
        for count in range(FEWEST_WORDS, min(len(words), MOST_WORDS) + 1):
            text = _EDGES.sub("", " ".join(words[:count]))
            if _occurrences(text, page) == 1:
                return text
    rest = [_EDGES.sub("", " ".join(words)) for words in split if 1 < len(words) < FEWEST_WORDS]
    anywhere = [_EDGES.sub("", " ".join(words[:MOST_WORDS])) for words in long]
    unique = (text for text in rest if _occurrences(text, page) == 1)
    return next(unique, "") or next((text for text in anywhere if _occurrences(text, page)), "")


def _is_prose(words: Sequence[str]) -> bool:
    return bool(words) and max(map(len, words[:MOST_WORDS])) <= LONGEST_WORD


def _occurrences(text: str, page: str) -> int:
    """How often the words stand in the page's folded text, whole; two are as good as more."""
    searched, count, position = _folded(text), 0, 0
    while searched and count < 2 and (position := page.find(searched, position)) >= 0:
        end = position + len(searched)
        count += not _is_word(page[max(position - 1, 0) : position] + page[end : end + 1])
        position += 1
    return count


def _is_word(around: str) -> bool:
    """Whether a letter or digit is among the characters around a match."""
    return any(map(str.isalnum, around))


def _folded(text: str) -> str:
    """Letter case and accents do not matter to a browser."""
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def _encoded(text: str) -> str:
    """Percent-encoded; ``-`` has a meaning in the directive and is no letter to ``quote``."""
    return quote(text, safe="").replace("-", "%2D")


def _blocks(markdown: str) -> Iterator[_Block]:
    kind = ""
    for token in _parser().parse(markdown):
        if token.type == "inline":
            texts = _runs(token.children or ())
        else:
            texts = [token.content] if token.type in {"fence", "code_block"} else []
        first_line, end_line = token.map or (0, 0)
        prose = token.type == "inline" and kind != "heading_open"
        for text in texts:
            tidy = " ".join(visible(text).split())
            yield _Block(text=tidy, first_line=first_line, end_line=end_line, prose=prose)
        kind = token.type


def _runs(tokens: Sequence[Token]) -> list[str]:
    """The text of a block, parted where a browser's search may end: at images, and at line breaks, because
    ``<br>`` can stand behind any of them."""
    runs = [""]
    for token in tokens:
        if token.type in {"text", "code_inline"}:
            runs[-1] += token.content
        elif token.type in {"softbreak", "hardbreak", "image", "html_inline"}:
            runs.append("")
    return runs


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])
