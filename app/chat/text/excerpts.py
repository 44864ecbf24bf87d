"""The answer without a language model: the blocks of the pages that answer the question, verbatim and whole.

The best block is always quoted. Others follow if they are nearly as good, from at most a few sections, until
the answer is long enough. Blocks in the section of the best one, and more so its neighbours, get a bonus
because they say when, to whom or unless, often without a word of the question; not in law, whose paragraphs
are ranked by their points. Blocks of one section stand together, in page order; the section with the best
block comes first.

In lists and tables the rows that the question is about are bold, and omissions are stated and linked. Items
of a long list are shown by their heads, the first words that distinguish each from the others.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Final

from app.chat.text.catalogue import rows_in_full, rows_shown
from app.chat.text.citations import NUMBERS_IN_BRACKETS
from app.chat.text.deep_links import passage_link
from app.search.blocks import FoundBlock, in_page_order
from app.search.extracts import OMITTED, Rows, framed, is_part, quoted_markdown
from app.search.matching_rows import AskedWords, cells, matching_items, matching_rows
from app.search.retrieval import Passage
from ingest.text import ends, visible
from ingest.types import PageRef

SECTIONS: Final = 3
"""Blocks are quoted from at most so many sections."""

MARGIN: Final = 0.2
"""A block is quoted if its score is at most this much below the best block's."""

SECTION_BONUS: Final = 0.1
BESIDE_BONUS: Final = 0.3
"""Added to the score of a block in the section of the best one, and of a block right before or after it
(measured: docs/quality.md)."""

QUOTED_CHARACTERS: Final = 1_200
"""Quoting ends when this is reached. The block that reaches it is quoted whole, because text that is cut off,
or left out for a shorter and worse block, is often the answer."""

MOST_CHARACTERS: Final = 1_600
"""A block that would make all quotes longer gives way to shorter ones, unless it is the best. Measured on law
and on two websites (docs/quality.md): results hardly differ from 1,500 to 2,600."""

BLOCK_CHARACTERS: Final = 2_000
"""A longer text, item or code is cut."""

MOST_HEADS: Final = 15
REST_CHARACTERS: Final = 500
HEADS_CHARACTERS: Final = 1_000
"""At most so many rows are shown besides those found, and at most so many characters of them: whole rows, or
the heads of items."""

BOLD_CHARACTERS: Final = 160
"""Only the first words of a longer item are bold."""

HEAD_CHARACTERS: Final = 90
"""The greatest length of an item's head, without marker and number."""

WHOLE_CHARACTERS: Final = 130
"""An item of one line up to this length, without the addresses of links, is shown whole."""

SHARED_CHARACTERS: Final = 40
"""A beginning of at least this length that another item shares is left out."""

FENCE: Final = "```"

_LINE_END: Final = re.compile(r"(?<! ) \n")
"""One space at the end of a line; two would be a line break."""

_MARKER: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_MARKED: Final = re.compile(r"[*`<]|\\$")
_LABEL: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\(\w{1,5}\)[ \t]+)?")
_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*\)")
_EMPHASIS: Final = re.compile(r"\*\*|__|`")
_WEB: Final = ("http://", "https://")


def quotes(
    blocks: Iterable[FoundBlock], numbers: Mapping[PageRef, int], question: str, language: str
) -> list[tuple[int, str]]:
    """Return the ``blocks`` as Markdown block quotes, one for each section, with the number of its source,
    which it cites at its end. Omissions within a section are marked ``[…]``.

    ``numbers``: the source numbers of the blocks' pages. ``question``: the last question only, as asked;
    ``language``: the answer's.
    """
    sections: dict[object, list[FoundBlock]] = {}
    for block in blocks:
        sections.setdefault(block.section, []).append(block)
    return [
        (numbers[found[0].page.ref], _quote(found, numbers[found[0].page.ref], question, language))
        for found in sections.values()
    ]


def further_blocks(ranked: Sequence[FoundBlock], quoted: Sequence[FoundBlock]) -> list[FoundBlock]:
    """Return further blocks of the page quoted first that are nearly as good as the best block."""
    best, known = quoted[0], {block.markdown for block in quoted}
    others = [
        block
        for block in ranked
        if _is_near(block, best) and block.page == best.page and block.markdown not in known
    ]
    return quoted_blocks(others, {best.page.ref})


def quoted_blocks(ranked: Sequence[FoundBlock], refs: Container[PageRef]) -> list[FoundBlock]:
    """Return the blocks to quote, best first, from those of ``ranked`` that are of the pages ``refs``."""
    chosen: list[FoundBlock] = []
    length = 0
    for block in _good([block for block in ranked if block.page.ref in refs]):
        if length >= QUOTED_CHARACTERS:
            break
        sections = {other.section for other in (*chosen, block)}
        is_known = any(block.markdown == other.markdown for other in chosen)
        is_too_long = chosen and length + len(block.markdown) > MOST_CHARACTERS
        if len(sections) > SECTIONS or is_known or is_too_long:
            continue
        chosen.append(block)
        length += len(block.markdown)
    return chosen


def _good(ranked: Sequence[FoundBlock]) -> list[FoundBlock]:
    """Return the best block, and those nearly as good or near it, in the order in which to choose them."""
    if not ranked:
        return []
    best = ranked[0]
    own = best.section
    section = sorted((block for block in ranked if block.section == own), key=in_page_order)
    place = section.index(best)
    bonuses = {id(block): SECTION_BONUS for block in section}
    bonuses |= {id(block): BESIDE_BONUS for block in section[max(place - 1, 0) : place + 2]}

    def bonus(block: FoundBlock) -> float:
        return 0.0 if best.page.is_law else bonuses.get(id(block), 0.0)

    good = (block for block in ranked[1:] if _is_near(block, best, bonus(block)))
    return [best, *sorted(good, key=lambda block: block.score + bonus(block), reverse=True)]


def _is_near(block: FoundBlock, best: FoundBlock, bonus: float = 0.0) -> bool:
    """Return True if a block is nearly as good as the best one, by their scores with the reader's likelihood
    or without it."""
    return (
        max(block.score - best.score, block.score_without_reader - best.score_without_reader) + bonus
        >= -MARGIN
    )


def _quote(blocks: Sequence[FoundBlock], number: int, question: str, language: str) -> str:
    """Return blocks of one section as a quote below its heading, with the citation at its end."""
    blocks = sorted(blocks, key=in_page_order)
    heading = blocks[0].headings[-1] if blocks[0].headings else blocks[0].page.title
    text = _tidy(quoted_markdown(blocks, RowWriter(blocks, question, language).write, cut))
    last_line = text.rpartition("\n")[2]
    before_citation = "\n\n" if last_line.startswith(("|", FENCE)) else " "
    lines = f"**{_tidy(heading)}**\n\n{text}{before_citation}[{number}]".split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _tidy(markdown: str) -> str:
    """Return the Markdown without markers such as ``[3]``, which look like citations, and without invisible
    characters."""
    return _LINE_END.sub("\n", NUMBERS_IN_BRACKETS.sub("", visible(markdown))).rstrip()


class RowWriter:
    """Writes the lists and tables of a section. ``blocks``: the section's quoted blocks; ``language``: the
    question's and the answer's."""

    def __init__(self, blocks: Sequence[FoundBlock], question: str, language: str) -> None:
        self._block = blocks[0]
        self._is_named = any(map(is_part, blocks))
        self._question = question
        self._language = language

    @cached_property
    def _asked(self) -> AskedWords:
        return AskedWords.of(self._question, self._language, self._block.page.ref.language)

    def write(self, found: Rows) -> str:
        """Return the rows shown and those asked for, the latter in bold.

        The other rows are marked as omitted, or shown by their heads if the question is about the whole list.
        If some rows are not shown in full, a line below says how many are, with a link to all of them.
        """
        matching = self._matching(found)
        texts = self._texts(found, matching)
        shown = sum(text is not None for text in texts)
        full = sum(text == row.markdown for text, row in zip(texts, found.rows, strict=True))
        if len(matching) < shown:
            bold = bold_row if found.kind == "table" else bold_item
            texts = [bold(text) if text and n in matching else text for n, text in enumerate(texts)]
        markdown = framed(found, texts)
        if full == len(texts) or len(texts) == 1:
            return markdown
        link = self._link(found)
        if shown < len(texts):
            return f"{markdown}\n\n{rows_shown(self._language, shown, len(texts), link)}"
        return f"{markdown}\n\n{rows_in_full(self._language, full, len(texts), link)}"

    def _texts(self, found: Rows, matching: frozenset[int]) -> list[str | None]:
        """Return the text shown for each row, None for an omitted one."""
        texts = [
            cut(row.markdown) if row.is_shown or number in matching else None
            for number, row in enumerate(found.rows)
        ]
        return texts if matching or self._is_named else _completed(found, texts)

    def _matching(self, found: Rows) -> frozenset[int]:
        """Return the numbers of the rows that the question is about, of the whole list or table."""
        rows = [row.markdown for row in found.rows]
        if found.kind == "table":
            return matching_rows(self._asked, rows)
        above = "\n".join((self._block.page.title, *self._block.headings, self._block.before))
        return matching_items(self._asked, rows, above)

    def _link(self, found: Rows) -> str:
        """Return the address of the list on its page; empty if the page is not on the web."""
        page, field = self._block.page, self._block.passage.field
        text = page.fields[field]
        start, end = (len(text[:offset].encode()) for offset in found.span)
        place = Passage(field=field, start=start, end=end, text=text[slice(*found.span)])
        link = passage_link(page, (place,))
        return link if link.startswith(_WEB) else ""


def _completed(found: Rows, texts: list[str | None]) -> list[str | None]:
    """Return the texts with the omitted rows added if these are short, otherwise with the heads of items if
    these are short."""
    missing = [number for number, text in enumerate(texts) if text is None]
    if len(missing) > MOST_HEADS:
        return texts
    rows = [row.markdown for row in found.rows]
    for others, most in ((rows, REST_CHARACTERS), (heads(rows), HEADS_CHARACTERS)):
        if sum(len(others[number]) for number in missing) <= most:
            return [others[number] if text is None else text for number, text in enumerate(texts)]
        if found.kind == "table":
            break
    return texts


def heads(items: Sequence[str]) -> list[str]:
    """Return the head of each item of a list, without links and with marks for omissions. A short item is
    returned unchanged."""
    split = [_label_and_words(item) for item in items]
    words = [words for _, words in split]
    return [
        item if _is_short(item) else f"{label}{_head(text, _shared(number, words))}"
        for number, (item, (label, text)) in enumerate(zip(items, split, strict=True))
    ]


def _is_short(item: str) -> bool:
    return "\n" not in item and len(_LINK.sub(r"\1", item)) <= WHOLE_CHARACTERS


def _label_and_words(item: str) -> tuple[str, list[str]]:
    line = _EMPHASIS.sub("", _LINK.sub(r"\1", item.partition("\n")[0]))
    label = _LABEL.match(line)
    end = label.end() if label else 0
    return line[:end], line[end:].split()


def _shared(number: int, texts: Sequence[Sequence[str]]) -> int:
    """Return how many first words the text shares with another one; 0 if they are not long enough."""
    text = texts[number]
    most = max((_alike(text, other) for place, other in enumerate(texts) if place != number), default=0)
    is_long = len(" ".join(text[:most])) >= SHARED_CHARACTERS
    return most if is_long and most < len(text) else 0


def _alike(text: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))


def _head(words: Sequence[str], skipped: int) -> str:
    """Return as many words after those skipped as fit, with marks for omissions."""
    kept, length = list[str](), 0
    for word in words[skipped:]:
        length += len(word) + 1
        if kept and length > HEAD_CHARACTERS:
            break
        kept.append(word)
    return " ".join(([OMITTED] if skipped else []) + kept + [OMITTED])


def bold_row(row: str) -> str:
    """Return a row of a table with its cells in bold. Cells with marks of their own are left unchanged."""
    return f"| {' | '.join(map(_bold, cells(row)))} |"


def bold_item(item: str) -> str:
    """Return an item of a list with its first line in bold, or the first words of a long one."""
    line, separator, rest = item.partition("\n")
    marker = _MARKER.match(line)
    start = marker.end() if marker else 0
    text = line[start:].rstrip()
    end = len(text) if len(text) <= BOLD_CHARACTERS else text.rfind(" ", 0, BOLD_CHARACTERS)
    if "](" in text[end:] and "[" in text[:end]:  # a link may be cut
        return item
    return f"{line[:start]}{_bold(text[:end])}{text[end:]}{separator}{rest}" if end > 0 else item


def _bold(text: str) -> str:
    return text if not text or _MARKED.search(text) else f"**{text}**"


def cut(markdown: str) -> str:
    """Return the Markdown, or its first sentences and a mark if it is too long. A fence that is cut is
    closed."""
    if len(markdown) <= BLOCK_CHARACTERS:
        return markdown
    kept = max((end for end in ends(markdown[:BLOCK_CHARACTERS]) if end < BLOCK_CHARACTERS), default=0)
    text = markdown[: kept or BLOCK_CHARACTERS].rstrip()
    return f"{text} {OMITTED}\n{FENCE}" if text.startswith(FENCE) else f"{text} {OMITTED}"
