"""Parses HTML into a plain tree of its visible elements.

lxml's own tree silently drops everything below 2,048 nested elements (libxml2's limit, whatever ``huge_tree``
says). Its event interface does not, so the tree is built from events.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from ingest.html.visibility import Look
from ingest.text import visible

DROPPED: Final = frozenset({
    "annotation", "audio", "canvas", "datalist", "embed", "iframe", "input", "meter", "noembed", "noframes",
    "noscript", "object", "progress", "script", "select", "style", "svg", "template", "textarea", "title",
    "video",
})  # fmt: skip
"""Elements without visible text, or only with that of a control."""

_SEPARATOR_REFERENCE: Final = re.compile(
    r"&#(?:0*+(?:1[12]|2[89]|3[01])(?![0-9])|x0*+(?:[bc]|1[c-f])(?![0-9a-f]));?", re.I
)
"""References to characters that separate words; libxml2 drops them and so joins the words."""

_WHOLE_DOCUMENT: Final = re.compile(r"<(?:html|body)\b", re.I)


@dataclass(slots=True, eq=False)
class Element:
    """An element with its visible children. ``holds_table``: this table contains another."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Element | str]" = field(default_factory=list)
    holds_table: bool = False

    def texts(self) -> Iterator[str]:
        """Yield every piece of text, in document order."""
        pending: list[Element | str] = [self]
        while pending:
            node = pending.pop()
            if isinstance(node, str):
                yield node
            else:
                pending.extend(reversed(node.children))


@dataclass(slots=True, eq=False)
class Document:
    """A parsed page. ``whole``: it is a complete document, not a fragment."""

    whole: bool
    root: Element = field(default_factory=lambda: Element("root"))
    mains: list[Element] = field(default_factory=list)
    headings: list[Element] = field(default_factory=list)
    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    meta: dict[str, str] = field(default_factory=dict)


def parse(html: str) -> Document:
    """Parse a document or a fragment. Bad markup never raises an error."""
    html = _SEPARATOR_REFERENCE.sub(" ", visible(html))
    target = _Target(Document(whole=_WHOLE_DOCUMENT.search(html) is not None))
    parser = etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    if html.strip():
        etree.fromstring(html.encode(), parser)
    return target.document


class _Target:
    """Receives lxml's parse events and builds the tree; everything inside a dropped element is dropped."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._open: list[Element] = [document.root]
        self._looks: list[Look] = [Look()]
        self._tables: list[Element] = []
        self._main: Element | None = None
        self._skipped: list[str] = []
        self._text: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._flush()
        look = None if self._skipped or tag in DROPPED else self._looks[-1].inside(tag, attributes)
        if look is None or (tag == "img" and not look.shown):
            self._skipped.append(tag)
            return
        self._looks.append(look)
        element = Element(tag, dict(attributes))
        self._open[-1].children.append(element)
        self._open.append(element)
        self._note(element)

    def end(self, tag: str) -> None:
        self._flush()
        if self._skipped:
            self._skipped.pop()
            return
        self._looks.pop()
        element = self._open.pop()
        if element is self._main:
            self._main = None
        if self._tables and element is self._tables[-1]:
            self._tables.pop()

    def data(self, text: str) -> None:
        if not self._skipped:
            self._text.append(text)
        elif self._skipped == ["title"] and not self._main:
            self.document.title += text

    def close(self) -> None:
        """Part of lxml's target interface; the tree is complete as it is."""

    def _flush(self) -> None:
        """Add the collected text. It is cleaned as a whole, because character references arrive one by one
        and may be invisible."""
        if self._text and self._looks[-1].is_visible:
            text = visible("".join(self._text))
            # browsers that know ruby hide <rp>; its parentheses separate the reading from the word
            self._open[-1].children.append(text.strip()[:1] if self._open[-1].tag == "rp" else text)
        self._text.clear()

    def _note(self, element: Element) -> None:
        if element.tag == "table":
            if self._tables:
                self._tables[-1].holds_table = True
            self._tables.append(element)
        elif element.tag in ("h1", "h2", "h3"):
            self.document.headings.append(element)
        elif element.tag in ("html", "base", "meta", "link"):
            self._note_head(element)
        if self._main is None and (element.tag == "main" or element.attributes.get("role") == "main"):
            self._main = element
            self.document.mains.append(element)

    def _note_head(self, element: Element) -> None:
        document, attributes = self.document, element.attributes
        if element.tag == "html":
            document.language = attributes.get("lang") or attributes.get("xml:lang", "")
        elif element.tag == "base":
            document.base = document.base or attributes.get("href", "")
        elif element.tag == "meta":
            document.meta.setdefault(attributes.get("name", "").lower(), attributes.get("content", ""))
        elif "canonical" in attributes.get("rel", "").lower().split():
            document.canonical = document.canonical or attributes.get("href", "")
