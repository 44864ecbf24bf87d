"""Weighs the elements of a page: their text, how much of it is linked, and signs of their purpose."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ingest.html.tree import Element

LINKED: Final = 0.4
"""A block with at least this share of linked text is not prose."""

CONTACT: Final = 400
"""The most characters of an address."""

BEGINNING: Final = 60
"""Characters at the beginning of a text that show whether it is a label."""

_TEASER_HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5"})
_CONTACT: Final = re.compile(r"tel:|mailto:[^?]", re.I)
_CONSENT: Final = re.compile(
    r"\b(?:accept|agree|allow|got it|reject|necessary|akzept|ablehn|einverstanden|erlaub|notwendig|verstanden"
    r"|zustimm)",
    re.I,
)


@dataclass(slots=True)
class Weight:
    """The contents of an element: characters and the linked ones among them, anchors of any kind, headings of
    level 1 (``titles``), linked headings (``teasers``), links to call or write to people (``contacts``),
    buttons, mentions of cookies, words of consent, and the beginning of the text."""

    characters: int = 0
    linked: int = 0
    anchors: int = 0
    titles: int = 0
    teasers: int = 0
    contacts: int = 0
    buttons: int = 0
    cookies: int = 0
    consents: int = 0
    beginning: str = ""

    def add(self, other: "Weight") -> None:
        """Add the contents of a child."""
        self.characters += other.characters
        self.linked += other.linked
        self.anchors += other.anchors
        self.titles += other.titles
        self.teasers += other.teasers
        self.contacts += other.contacts
        self.buttons += other.buttons
        self.cookies += other.cookies
        self.consents += other.consents
        self.begin(other.beginning)

    def begin(self, text: str) -> None:
        """Append to the beginning of the text, up to ``BEGINNING`` characters."""
        if len(self.beginning) < BEGINNING:
            self.beginning = f"{self.beginning} {text}".strip()[:BEGINNING]

    @property
    def text(self) -> int:
        """The number of characters outside of links."""
        return self.characters - self.linked

    @property
    def is_contact(self) -> bool:
        """True for a box of contacts, which editors place beside the text that it belongs to."""
        return self.characters < CONTACT * self.contacts and self.linked < self.text

    @property
    def is_linked(self) -> bool:
        """True if at least the share ``LINKED`` of the text is linked."""
        return self.linked >= LINKED * self.characters


@dataclass(slots=True)
class Node:
    """An element, and if it is within a link or button, a ``main`` or article, or the page's only article."""

    element: Element
    parent: Element | None = None
    linked: bool = False
    in_main: bool = False
    in_body: bool = False


def weigh(node: Node, weights: Mapping[Element, Weight]) -> Weight:
    """Return the weight of an element, with those of its children in ``weights``; children without one do not
    count."""
    element, weight = node.element, Weight()
    for child in element.children:
        if isinstance(child, str):
            text = " ".join(child.split())
            weight.characters += len(text)
            weight.linked += len(text) if node.linked else 0
            weight.cookies += "cookie" in text.lower()
            weight.consents += bool(_CONSENT.search(text))
            weight.begin(text)
        elif child in weights:
            weight.add(weights[child])
        else:
            weight.buttons += child.tag == "button"
    weight.anchors += element.tag == "a"
    weight.titles += element.tag == "h1"
    weight.contacts += bool(_CONTACT.match(element.attributes.get("href", "")))
    is_linked = bool(weight.linked) and weight.linked >= 0.8 * weight.characters
    weight.teasers += is_linked and element.tag in _TEASER_HEADINGS
    return weight


def nodes_of(root: Element, body: Element | None) -> Iterator[Node]:
    """Yield every element, parents before children."""
    pending = [Node(root)]
    while pending:
        node = pending.pop()
        yield node
        element = node.element
        linked = node.linked or is_link(element) or element.tag == "button"
        node.linked = linked
        is_main = element.tag in ("main", "article") or element.attributes.get("role") == "main"
        pending.extend(
            Node(child, element, linked, node.in_main or is_main, node.in_body or element is body)
            for child in element.children
            if isinstance(child, Element)
        )


def is_link(element: Element) -> bool:
    """Return True for a link to another page."""
    href = element.attributes.get("href", "#")
    return element.tag == "a" and not href.startswith("#") and not _CONTACT.match(href)
