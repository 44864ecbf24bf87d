"""Converts the elements of a text with classes to blocks, in one pass without recursion."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lxml import etree

from ingest.law import tables
from ingest.law.blocks import Block, Role, classes_of, level_of, role_of
from ingest.law.inline import SKIPPED, amendments, fold, inline, note_key

_BLOCKS: Final = frozenset({
    "address", "article", "blockquote", "body", "center", "dd", "div", "dl", "dt", "figure", "footer",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip

UNIT_ID: Final = re.compile(r"(?:art|rct|anx|fnp)_[^.]*")
"""Ids of units, not of elements inside them."""

_MARKERS: Final = frozenset({"modref", "arrow"})
_STATE: Final = re.compile(r"[▼►]\s*([A-Z]+\d*)")
_DASHES: Final = frozenset("-–—−•·*‐‑")


@dataclass(frozen=True, slots=True)
class _Place:
    depth: int = 0
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """Loose text and inline elements between blocks."""

    parts: list[str | etree._Element]


@dataclass(frozen=True, slots=True)
class _ItemStart:
    marker: str


@dataclass(frozen=True, slots=True)
class _ItemEnd:
    pass


_Node: TypeAlias = etree._Element | _Run | _ItemStart | _ItemEnd
_Step: TypeAlias = tuple[_Node, _Place]


def blocks(root: etree._Element) -> list[Block]:
    """Return the text below ``root`` as blocks, in order."""
    walker = _Walker(_holders(root), tables.page_headers(root))
    pending: list[_Step] = [(root, _Place())]
    while pending:
        pending.extend(reversed(list(walker.visit(*pending.pop()))))
    return walker.found


def _holders(root: etree._Element) -> set[etree._Element]:
    """Return the elements that contain a block; all others are paragraphs or parts of one."""
    holders: set[etree._Element] = set()
    for element in root.iter(*_BLOCKS):
        parent = element.getparent()
        while parent is not None and parent not in holders:
            holders.add(parent)
            parent = parent.getparent()
    return holders


@dataclass(slots=True)
class _Walker:
    """Collects blocks. ``marker``, ``number``: those of the next paragraph. ``amendment``: the one that the
    current text comes from."""

    holders: set[etree._Element]
    page_headers: set[etree._Element]
    found: list[Block] = field(default_factory=list)
    marker: str | None = None
    number: str = ""
    amendment: str = ""
    identifiers: set[str] = field(default_factory=set)

    def visit(self, node: _Node, place: _Place) -> Iterator[_Step]:
        """Add the node's text, or yield the nodes to visit instead."""
        if isinstance(node, _ItemStart):
            self._flush(_Place(place.depth - 1, place.anchor))
            self.marker = node.marker
        elif isinstance(node, _ItemEnd):
            self._flush(place)
        elif isinstance(node, _Run):
            self._loose(node, place)
        elif not isinstance(node.tag, str) or node.tag in SKIPPED:
            return
        elif node.tag == "hr":
            self.found.append(Block(role="rule", text="", label=" ".join(classes_of(node.get("class")))))
        elif node.tag == "table":
            yield from self._table(node, self._inside(node, place))
        elif node in self.holders or (node.tag == "li" and role_of(classes_of(node.get("class"))) == "text"):
            yield from self._container(node, self._inside(node, place))
        else:
            self._paragraph(node, self._inside(node, place))

    def _inside(self, node: etree._Element, place: _Place) -> _Place:
        """Return the place of the element's content; a unit's id applies to everything inside it.

        A repeated id is ignored, because a link leads only to its first place.
        """
        identifier = node.get("id") or ""
        if not identifier or identifier in self.identifiers:
            return place
        self.identifiers.add(identifier)
        if UNIT_ID.fullmatch(identifier) or not UNIT_ID.fullmatch(place.anchor):
            return _Place(place.depth, identifier)
        return place

    def _container(self, node: etree._Element, place: _Place) -> Iterator[_Step]:
        classes = classes_of(node.get("class"))
        if "grid-list" in classes:
            yield from self._grid(node, place)
        elif "enumeration-spacing" in classes:
            yield from self._numbered(node, place)
        elif node.tag == "li":
            yield from _item("", list(self._children(node)), place)
        else:
            yield from ((child, place) for child in self._children(node))

    def _children(self, node: etree._Element) -> Iterator[_Node]:
        run: list[str | etree._Element] = [node.text or ""]
        for child in node:
            if child.tag in _BLOCKS or child in self.holders:
                yield _Run(run)
                yield child
                run = []
            elif isinstance(child.tag, str):
                run.append(child)
            run.append(child.tail or "")
        yield _Run(run)

    def _grid(self, node: etree._Element, place: _Place) -> Iterator[_Step]:
        """Yield the steps of an item whose first column is its marker; loose text stays before or in it."""
        parts = [child for child in self._children(node) if not _is_blank(child)]
        first = next((at for at, part in enumerate(parts) if isinstance(part, etree._Element)), len(parts))
        yield from ((part, place) for part in parts[:first])
        for column in parts[first : first + 1]:
            marker = inline(column) if isinstance(column, etree._Element) else ""
            yield from _item(marker, parts[first + 1 :], place)

    def _numbered(self, node: etree._Element, place: _Place) -> Iterator[_Step]:
        """Keep a number in a paragraph of its own, to be printed before the paragraph after it."""
        first, *rest = [child for child in self._children(node) if not _is_blank(child)]
        if isinstance(first, etree._Element) and first not in self.holders:
            self.number = inline(first)
        else:
            rest.insert(0, first)
        yield from ((child, place) for child in rest)

    def _table(self, table: etree._Element, place: _Place) -> Iterator[_Step]:
        rows = tables.rows_of(table)
        if table in self.page_headers:
            self.found.append(Block(role="rule", text="", label="page-header"))
        elif tables.is_layout(table, rows):
            for row in rows:
                cells = [cell for cell in row if tables.has_text(cell)]
                if len(cells) > 1:
                    yield from _item(inline(cells[0]), cells[1:], place)
                else:
                    yield from ((cell, place) for cell in cells)
        else:
            self._add("table", tables.markdown(rows), place)

    def _paragraph(self, node: etree._Element, place: _Place) -> None:
        classes = classes_of(node.get("class"))
        role = role_of(classes)
        text = inline(node)
        if not _MARKERS.isdisjoint(classes) and (match := _STATE.search(text)):
            self.amendment = match[1]
            text = _STATE.sub("", text).strip()
        key, label = note_key(node) if role == "note" else ("", "")
        level = level_of(classes) if role == "heading" else 0
        self._add(role, text, place, key=key, label=label, level=level)

    def _loose(self, run: _Run, place: _Place) -> None:
        text = fold("".join(part if isinstance(part, str) else inline(part) for part in run.parts))
        if any(_is_number(part) for part in run.parts):
            self.number = text
        else:
            self._add("text", text, place)

    def _flush(self, place: _Place) -> None:
        """Keep an item's marker without text as an empty item."""
        if self.marker is not None:
            self._append("text", "", place)

    def _add(
        self, role: Role, text: str, place: _Place, *, key: str = "", label: str = "", level: int = 0
    ) -> None:
        text, inner = amendments(text)
        if self.number and text:
            text, self.number = f"{self.number} {text}", ""
        if text:
            self._append(role, text, place, inner, key=key, label=label, level=level)

    def _append(
        self,
        role: Role,
        text: str,
        place: _Place,
        inner: Sequence[str] = (),
        *,
        key: str = "",
        label: str = "",
        level: int = 0,
    ) -> None:
        marker, self.marker = self.marker, None
        states = dict.fromkeys([self.amendment, *inner])
        self.found.append(
            Block(
                role=role,
                text=text,
                depth=place.depth,
                marker=marker,
                anchor=place.anchor,
                level=level,
                amended_by=tuple(state for state in states if state not in ("", "B")),
                key=key,
                label=label,
            )
        )


def _item(marker: str, content: Sequence[_Node], place: _Place) -> Iterator[_Step]:
    inner = _Place(place.depth + 1, place.anchor)
    yield _ItemStart("" if marker.strip() in _DASHES else marker), inner
    yield from ((node, inner) for node in content)
    yield _ItemEnd(), inner


def _is_number(part: str | etree._Element) -> bool:
    return not isinstance(part, str) and "no-parag" in classes_of(part.get("class"))


def _is_blank(node: _Node) -> bool:
    return isinstance(node, _Run) and all(isinstance(part, str) and not part.strip() for part in node.parts)
