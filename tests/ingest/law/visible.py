"""The visible text of a published act, which the labels of references.tsv count characters in.

It depends on nothing but lxml, so that the labels stay where they are whatever the parser does.
"""

import re
from pathlib import Path
from typing import Final

from lxml import html

_BLOCKS: Final = (
    "p", "div", "td", "th", "tr", "table", "li", "ul", "ol", "dl", "dd", "dt", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "br", "pre", "title", "head", "body",
)  # fmt: skip
_END: Final = "\ue000"
_AMENDMENT_MARK: Final = re.compile(r"[►▼][A-Z]\d*|◄")


def visible_text(path: Path) -> str:
    """The text with single spaces in a line and an empty line between blocks, without marks of amendments."""
    root = html.fromstring(path.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    for element in root.iter("script", "style"):
        element.text = None
    for element in root.iter(*_BLOCKS):
        element.text = _END + (element.text or "")
        element.tail = _END + (element.tail or "")
    text = _AMENDMENT_MARK.sub("", root.text_content())
    blocks = (" ".join(block.split()) for block in text.split(_END))
    return "\n\n".join(block for block in blocks if block)
