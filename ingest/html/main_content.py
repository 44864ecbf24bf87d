"""Removes everything around the content of a website's page: menus, notices, teasers, footers.

1. Elements whose tag, role, name or wording says that they are not content are removed, from the innermost
   outwards.
2. The tree is walked down to the core of the text: wherever one child has nearly all of the text, its
   siblings are removed, unless they are prose or a title.

Rules limit how much text they remove, because text removed by mistake cannot be found, whereas text kept by
mistake does little harm. Figures: docs/quality.md.
"""

import re
from collections.abc import Mapping
from typing import Final

from ingest.html.tree import Element
from ingest.html.weights import Node, Weight, is_link, nodes_of, weigh

ENOUGH: Final = 0.2
"""If a smaller share of the text is left, the page is a list of links and teasers, which are its content."""

LEAST: Final = 100
"""The same if fewer characters are left."""

CORE: Final = 0.8
CORE_WITH_ARTICLE: Final = 0.5
"""If a child has at least this share of the text, it is the core; the second value is for a child with the
page's only article."""

BODY: Final = 400
"""Characters of text that can be the content of a page."""

PROSE: Final = 150
"""Text beside the core stays if it has at least this many characters."""

LABEL: Final = 200
NOTICE: Final = 1_000
TEASER: Final = 500
"""The most characters of labels such as "Share this page", of notices about cookies, of a teaser."""

MAX_NAME_WORDS: Final = 3
"""A name with more words was made from a heading, or describes a state of the whole page."""

_ROLES: Final = frozenset({
    "alertdialog", "banner", "contentinfo", "dialog", "menu", "menubar", "navigation", "search", "toolbar",
})  # fmt: skip
_FURNITURE: Final = frozenset({"aside", "footer", "header"})
_KEPT: Final = frozenset({"article", "body", "code", "h1", "html", "main", "pre", "root"})
_OWN_BUTTONS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"})
"""Within these a button opens the text that follows, and the button's text is a heading."""

_BLOCKS: Final = frozenset({
    "aside", "div", "dl", "fieldset", "figure", "footer", "form", "header", "li", "nav", "ol", "section",
    "span", "table", "td", "tr", "ul",
})  # fmt: skip
_CORES: Final = frozenset({"article", "main"})
_WHOLES: Final = frozenset({"dl", "ol", "p", "ul"})
"""Elements whose parts make no sense alone."""

_LINK_NAMES: Final = frozenset({
    "banner", "header", "hidden", "login", "menu", "more", "nav", "navbar", "navbox", "navigation", "next",
    "pager", "pagination", "prev", "tags", "widget",
})  # fmt: skip
"""Names that count only for elements that consist of links."""

_NAMES: Final = frozenset({
    "ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "byline", "consent", "footer",
    "gdpr", "masthead", "modal", "noprint", "overlay", "popular", "popup", "print", "promo", "rail", "recirc",
    "recommend", "recommendations", "recommended", "related", "share", "sharebar", "shares", "sharing",
    "sidebar", "signup", "skip", "skiplink", "social", "sponsor", "sponsored", "subscribe", "toolbar",
    "trending",
})  # fmt: skip
_SURE_NAME: Final = re.compile(r"breadcrumb|comment|cookie|disqus|newsletter|outbrain|taboola", re.I)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")

_SHARING: Final = re.compile(
    r"facebook\.com/(?:sharer|share|dialog)|(?:twitter|x)\.com/(?:intent|share|home)|linkedin\.com/share|wa\.me/\?"
    r"|(?:api\.|//send\?[^#]{0,200}?)whatsapp|whatsapp://|t\.me/share|pinterest\.\w+/pin/create|reddit\.com/submit"
    r"|plus\.google\.com/share|xing\.com/(?:spi|app|social)|mailto:\?",
    re.I,
)
_LABEL: Final = re.compile(
    r"\W*(?:(?:share|tweet|teilen|empfehlen)(?:\W*\Z|\W*:|\W+(?:this|on|via|page|facebook|twitter|x|auf|per)\b)"
    r"|(?:(?:diese )?seite (?:drucken|teilen|empfehlen)|follow us|folgen sie uns|print this|skip to"
    r"|back to top|(?:direkt )?zu[mr] (?:haupt)?(?:inhalt|menü|navigation)|you are here"
    r"|sie (?:sind|befinden sich) hier|nach oben)\b)",
    re.I,
)


def main_content(root: Element) -> Element | None:
    """Reduce the tree of a page, in place, to the page's own content; return None if hardly any is left."""
    content = _Content(root)
    content.prune()
    content.begin_with_title()
    content.keep_core()
    left = sum(len(" ".join(text.split())) for text in root.texts())
    return root if left >= max(LEAST, ENOUGH * content.total) else None


class _Content:
    def __init__(self, root: Element) -> None:
        self._root = root
        self._weights: dict[Element, Weight] = {}
        nodes = self._weigh_all()
        self.total = self._weights[root].text
        self._body = self._only_article()
        self._around = _with_parents(self._body, {node.element: node.parent for node in nodes})

    def prune(self) -> None:
        """Remove elements whose markup or wording says that they are not content."""
        for node in reversed(list(nodes_of(self._root, self._body))):
            self._weights[node.element] = weigh(node, self._weights)
            node.element.children = [
                child for child in node.element.children if isinstance(child, str) or child in self._weights
            ]
            if self._is_furniture(node):
                del self._weights[node.element]

    def begin_with_title(self) -> None:
        """Remove everything before the page's only ``h1``, except prose."""
        above = self._root
        while self._weights[above].titles == 1 and above.tag != "h1":
            elements = [child for child in above.children if isinstance(child, Element)]
            holder = next(child for child in elements if self._weights[child].titles)
            place = above.children.index(holder)
            above.children[:place] = filter(self._is_prose, above.children[:place])
            above = holder
        self._weigh_all()

    def keep_core(self) -> None:
        """Remove the siblings of the core, except prose and titles."""
        core = self._root
        while (best := self._best(core)) and core.tag not in _CORES:
            core.children = self._beside(core, best)
            core = best

    def _weigh_all(self) -> list[Node]:
        nodes = list(nodes_of(self._root, None))
        for node in reversed(nodes):
            self._weights[node.element] = weigh(node, self._weights)
        return nodes

    def _only_article(self) -> Element | None:
        """Return the page's only article of some length, or None if there is none or several."""
        found: list[Element] = []
        pending = [self._root]
        while pending:
            element = pending.pop()
            is_article = element.tag == "article" or element.attributes.get("role") == "article"
            if is_article and self._weights[element].text > max(BODY, 0.1 * self.total):
                found.append(element)
            else:
                pending.extend(child for child in element.children if isinstance(child, Element))
        return found[0] if len(found) == 1 else None

    def _is_furniture(self, node: Node) -> bool:
        element = node.element
        if element.tag in _KEPT:
            return False
        if element.tag == "a" and _SHARING.search(element.attributes.get("href", "")):
            return True
        if element.tag == "button":
            return node.parent is None or node.parent.tag not in _OWN_BUTTONS
        return self._is_label(node) or (element.tag in _BLOCKS and self._is_furniture_block(node))

    def _is_furniture_block(self, node: Node) -> bool:
        if self._is_notice(node):
            return True
        weight = self._weights[node.element]
        says_so = self._is_by_role(node) or self._is_by_name(node) or self._is_teasers(weight)
        return says_so and not weight.titles

    def _is_label(self, node: Node) -> bool:
        element, weight = node.element, self._weights[node.element]
        if not 0 < weight.characters < LABEL or not weight.anchors or is_link(element):
            return False
        return bool(_LABEL.match(weight.beginning))

    def _is_notice(self, node: Node) -> bool:
        weight = self._weights[node.element]
        if node.in_main or not weight.cookies or weight.characters >= NOTICE:
            return False
        return bool(weight.buttons or weight.consents) and weight.text < 0.2 * self.total

    def _is_by_role(self, node: Node) -> bool:
        weight, role = self._weights[node.element], node.element.attributes.get("role", "").lower()
        if node.element.tag == "nav" or role in _ROLES:
            return weight.text < 0.8 * self.total
        if node.element.tag not in _FURNITURE and role != "complementary":
            return False
        if node.element.tag != "footer" and weight.is_contact:
            return False
        if node.in_main and (self._body is None or node.in_body or node.element.tag == "header"):
            return weight.linked > weight.text
        return weight.text < self._most(node, 0.5)

    def _is_by_name(self, node: Node) -> bool:
        element, weight = node.element, self._weights[node.element]
        names = [name for key in ("class", "id") for name in element.attributes.get(key, "").split()]
        words = {name: {word.lower() for word in _WORD.findall(name)} for name in names}
        short = {name: found for name, found in words.items() if len(found) <= MAX_NAME_WORDS}
        if any(_SURE_NAME.search(name) for name in short):
            return weight.text < max(self.total - BODY, 0.5 * self.total)
        found = set[str]().union(*short.values())
        names_of_links = _LINK_NAMES if weight.linked > weight.text else frozenset[str]()
        is_named = not found.isdisjoint(_NAMES | names_of_links)
        return is_named and not weight.is_contact and weight.text < self._most(node, 0.4)

    def _most(self, node: Node, share: float) -> float:
        """Return how much text an element to remove may have: a lot if it is outside of the only article."""
        return share * self.total if self._body is None or node.in_body else self.total - BODY

    def _is_teasers(self, weight: Weight) -> bool:
        is_list = weight.teasers >= 3 and weight.text < TEASER * weight.teasers
        return is_list and weight.text < 0.8 * self.total and self.total - weight.text > BODY

    def _best(self, core: Element) -> Element | None:
        """Return the child that has nearly all of the text, or None."""
        children = [child for child in core.children if isinstance(child, Element)]
        best = max(children, key=lambda child: self._weights[child].text, default=None)
        if best is None or best.tag in _WHOLES:
            return None
        share = CORE_WITH_ARTICLE if best in self._around else CORE
        return best if self._weights[best].text >= share * self._weights[core].text else None

    def _beside(self, core: Element, best: Element) -> list[Element | str]:
        place = core.children.index(best)
        return [
            child
            for number, child in enumerate(core.children)
            if child is best or self._is_kept(child, is_before=number < place)
        ]

    def _is_kept(self, child: Element | str, *, is_before: bool) -> bool:
        if isinstance(child, str):
            return self._is_prose(child)
        if is_before and (self._weights[child].titles or child.tag == "h2"):
            return True
        return self._is_prose(child)

    def _is_prose(self, child: Element | str) -> bool:
        if isinstance(child, str):
            return len(child) >= PROSE
        weight = self._weights[child]
        return weight.text >= PROSE and not weight.is_linked


def _with_parents(element: Element | None, parents: Mapping[Element, Element | None]) -> set[Element]:
    found = set[Element]()
    while element is not None:
        found.add(element)
        element = parents[element]
    return found
