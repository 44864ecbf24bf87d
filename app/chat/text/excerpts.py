"""The answer without a language model: the blocks of the pages that answer the question, verbatim and whole.

The best block decides. Others are quoted with it if they are nearly as good, from a few sections of the pages
at most, until the answer is long enough. What stands in the section of the best block, and more so what is
beside it, counts as better than it is: it says when, to whom or unless, often without a word of the question
(not in law, whose paragraphs are ranked by their points).
Blocks of one section stand together, in the order of their page; the section with the best block comes first.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from app.chat.text.citations import NUMBERS_IN_BRACKETS
from app.chat.text.quoted_rows import RowWriter, cut
from app.search.blocks import FoundBlock, in_page_order
from app.search.extracts import quoted_markdown
from ingest.text import visible
from ingest.types import PageRef

SECTIONS: Final = 3
"""Of how many sections blocks are quoted, at most."""

MARGIN: Final = 0.2
"""How much lower than the best block's the score of another one may be."""

SECTION_BONUS: Final = 0.1
BESIDE_BONUS: Final = 0.3
"""What is added to the score of a block in the section of the best one, and right before or after it
(measured: docs/quality.md)."""

QUOTED_CHARACTERS: Final = 1_200
"""Quoting ends when this is reached. The block that reaches it is whole: what is cut off, or left out for a
shorter and worse one, is often the answer."""

MOST_CHARACTERS: Final = 1_600
"""A block that would make all quotes longer gives way to shorter ones, unless it is the best. Measured on law
and on two websites (docs/quality.md): from 1,500 to 2,600 hardly different."""

FENCE: Final = "```"

_LINE_END: Final = re.compile(r"(?<! ) \n")
"""One space at the end of a line; two are a line break."""


def quotes(
    blocks: Iterable[FoundBlock], numbers: Mapping[PageRef, int], question: str, language: str
) -> list[tuple[int, str]]:
    """Return the ``blocks`` as Markdown block quotes, each with the number of its source, which it cites at
    its end. What is left out of a section is marked ``[…]``.

    ``numbers``: of the blocks' pages. ``question``: the last one alone, as it was asked; ``language``: of the
    answer.
    """
    sections: dict[object, list[FoundBlock]] = {}
    for block in blocks:
        sections.setdefault(block.section, []).append(block)
    return [
        (numbers[found[0].page.ref], _quote(found, numbers[found[0].page.ref], question, language))
        for found in sections.values()
    ]


def further_blocks(ranked: Sequence[FoundBlock], quoted: Sequence[FoundBlock]) -> list[FoundBlock]:
    """Return what else of the page quoted first is nearly as good as the best block."""
    best, known = quoted[0], {block.markdown for block in quoted}
    others = [
        block
        for block in ranked
        if block.score >= best.score - MARGIN and block.page == best.page and block.markdown not in known
    ]
    return quoted_blocks(others, {best.page.ref})


def quoted_blocks(ranked: Sequence[FoundBlock], refs: Container[PageRef]) -> list[FoundBlock]:
    """Return the blocks that are quoted, best first: of ``ranked`` those of the pages ``refs``."""
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
    """The best block, and those that are nearly as good or stand near it, in the order they are quoted in."""
    if not ranked:
        return []
    best = ranked[0]
    section = sorted((block for block in ranked if block.section == best.section), key=in_page_order)
    place = section.index(best)
    beside = section[max(place - 1, 0) : place + 2]

    def score(block: FoundBlock) -> float:
        if block.section != best.section or block.page.is_law:
            return block.score
        return block.score + (BESIDE_BONUS if block in beside else SECTION_BONUS)

    good = (block for block in ranked[1:] if score(block) >= best.score - MARGIN)
    return [best, *sorted(good, key=score, reverse=True)]


def _quote(blocks: Sequence[FoundBlock], number: int, question: str, language: str) -> str:
    """Blocks of one section as a quote below its heading, with the citation at its end."""
    blocks = sorted(blocks, key=in_page_order)
    heading = blocks[0].headings[-1] if blocks[0].headings else blocks[0].page.title
    text = _tidy(quoted_markdown(blocks, RowWriter(blocks, question, language).write, cut))
    last_line = text.rpartition("\n")[2]
    before_citation = "\n\n" if last_line.startswith(("|", FENCE)) else " "
    lines = f"**{_tidy(heading)}**\n\n{text}{before_citation}[{number}]".split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _tidy(markdown: str) -> str:
    """Without markers such as ``[3]``, which look like citations, and without invisible characters."""
    return _LINE_END.sub("\n", NUMBERS_IN_BRACKETS.sub("", visible(markdown))).rstrip()
