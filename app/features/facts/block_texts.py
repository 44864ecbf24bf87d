"""The lists, tables and sentences of a page, with their headings and the text that leads to them. Pure
functions."""

import re
from typing import Final

from app.features.facts.doubts import plain
from app.features.facts.hours_words import months
from app.search.blocks import FoundBlock
from ingest.blocks import Block, Span, blocks
from ingest.text import sentences

DEFINITION: Final = re.compile(r"\n+:[ \t]+")
BULLET: Final = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+(?!(?:" + "|".join(months()) + r")\b))", re.IGNORECASE)
_NUMBER_END: Final = re.compile(r"(?:(?<=\D3[2-9]\.)|(?<=\D[4-9]\d\.)|(?<=\d{3}\.))\s(?=[A-ZÄÖÜ])")
_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")


def headings_above(block: Block | FoundBlock, title: str) -> tuple[str, ...]:
    """Return the headings above a block, outermost first, without the page's ``title``."""
    return tuple(each for each in block.headings if each != title)


def whole_of(block: Block | FoundBlock) -> Span:
    """Return the span of the whole list or table that a block is part of; for text, that of the block."""
    return block.wholes[-1] if block.kind in ("list", "table") else block.spans[-1]


def lead_of(block: Block | FoundBlock, markdown: str) -> str:
    """Return the Markdown that leads to a block; often empty."""
    return " ".join(markdown[slice(*span)] for span in _leads(block))


def _leads(block: Block | FoundBlock) -> list[Span]:
    own = whole_of(block)
    return [span for span, whole in zip(block.spans[:-1], block.wholes[:-1], strict=True) if whole != own]


def first_blocks(markdown: str) -> list[Block]:
    """Return the blocks of a page, but only the first block of a long list or table."""
    found = {whole_of(block): block for block in blocks(markdown)[::-1]}
    return list(found.values())[::-1]


def text_spans(block: Block, markdown: str) -> list[Span]:
    """Return the spans of a block that contain sentences.

    For text this is the whole block; for a list or table the paragraph before it, unless it ends in a colon.
    """
    if block.kind == "text":
        return [block.own]
    leads = _leads(block) if block.kind in ("list", "table") else []
    return [span for span in leads if not markdown[slice(*span)].rstrip(" *_\n").endswith(":")]


def told_sentences(block: Block, markdown: str) -> list[list[str]]:
    """Return the sentences of each paragraph of a block."""
    texts = (DEFINITION.sub(": ", markdown[slice(*span)]) for span in text_spans(block, markdown))
    return [said(each) for text in texts for each in text.split("\n\n")]


def said(text: str) -> list[str]:
    """Return the sentences of a text, which may end in a number that cannot be a day of the month."""
    told = (part for each in sentences(text) for part in _NUMBER_END.split(each))
    return [each for each in told if each.strip()]


def shown(markdown: str) -> str:
    """Return a line as it is displayed, without the markup of links and emphasis."""
    return _BRACKETS.sub(r"\1", plain(" ".join(markdown.split())))
