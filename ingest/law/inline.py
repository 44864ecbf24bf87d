"""Extracts the text of a paragraph or cell on one line, with footnote references and amendment markers."""

import re
from collections.abc import Sequence
from typing import Final

from lxml import etree

from ingest.law.blocks import classes_of
from ingest.text import visible

_OPEN, _BETWEEN, _CLOSE = "\ue000", "\ue001", "\ue002"
REFERENCE: Final = re.compile(f"{_OPEN}([^{_BETWEEN}]*){_BETWEEN}([^{_CLOSE}]*){_CLOSE}")
"""A footnote reference in a block's text: the footnote's key and label."""

_BRACKETS: Final = re.compile(rf"\(\s*({_OPEN}[^{_CLOSE}]*{_CLOSE})\s*\)")
PRIVATE: Final = re.compile("[\ue000-\ue002]")
"""The characters used to write footnote references."""

_AMENDMENT: Final = re.compile(r"[►▼]\s*(?:\(\d+\)\s*)?([A-Z]\d*)\b\s*|[►▼◄]")
_BLANKS: Final = re.compile("  +")
_RAISED: Final = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_RAISABLE: Final = re.compile(r"[\d+\-−–()]+")
_SUPERSCRIPTS: Final = frozenset({"super", "superscript"})
_NOTE_PREFIX: Final = re.compile(r"^#?(?:ntr|ntc|src\.)?")
_BREAKING: Final = frozenset({"br", "p", "div", "td", "th", "tr", "li", "table", "figure"})
SKIPPED: Final = frozenset({"script", "style", "head", "noscript", "template", "title", "svg", "iframe"})


def inline(element: etree._Element) -> str:
    """Return all visible text in ``element``, folded; footnote references as :data:`REFERENCE`."""
    parts: list[str] = []
    raised: list[etree._Element] = []
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        if event == "start":
            whole = _reference(node) or _picture(node)
            if whole or node.tag in SKIPPED:
                walker.skip_subtree()
            if _is_superscript(node):
                raised.append(node)
            own = "" if node.tag in SKIPPED else whole or _clean(node.text or "", raised)
            parts.append(f" {own}" if node.tag in _BREAKING else own)
            continue
        if raised and raised[-1] is node:
            raised.pop()
        parts.append(" " if node.tag in _BREAKING else "")
        if node is not element:
            parts.append(_clean(node.tail or "", raised))
    return fold("".join(parts))


def fold(text: str) -> str:
    """Return the text on one line, without brackets around footnote references."""
    return " ".join(_BRACKETS.sub(r"\1", " ".join(text.split())).split())


def amendments(text: str) -> tuple[str, list[str]]:
    """Return the text without amendment markers, and the markers (``M1``) that begin in it."""
    if not any(sign in text for sign in "►▼◄"):
        return text, []
    found = [match[1] for match in _AMENDMENT.finditer(text) if match[1]]
    return _BLANKS.sub(" ", _AMENDMENT.sub("", text)).strip(), found


def note_key(element: etree._Element) -> tuple[str, str]:
    """Return the key and label at the beginning of a footnote's paragraph; both empty if it has none."""
    for anchor in element.iter("a"):
        identifier, target = anchor.get("id") or "", anchor.get("href") or ""
        if identifier.startswith("ntr") or target.startswith("#src."):
            return _key(identifier), " ".join("".join(anchor.itertext()).split()).strip("() ")
    return "", ""


def without_label(text: str, label: str) -> str:
    """Return a footnote's text without the label at its beginning, with or without brackets, superscript or
    not."""
    rest = text.lstrip(" (")
    for form in (label, label.translate(_RAISED)):
        if form and rest.startswith(form) and not _continues(form[-1], rest[len(form) : len(form) + 1]):
            return rest[len(form) :].lstrip(" )")
    return text


def _continues(last: str, following: str) -> bool:
    """Return True if the character after a label is part of the same number or word."""
    return (
        last == following
        or (last.isdigit() and following.isdigit())
        or (last.isalpha() and following.isalnum())
    )


def _reference(node: etree._Element) -> str:
    if node.tag != "a":
        return ""
    identifier, target = node.get("id") or "", node.get("href") or ""
    if not (target.startswith("#ntr") or identifier.startswith("src.")):
        return ""
    label = " ".join("".join(node.itertext()).split()).strip("() ")
    return f"{_OPEN}{_key(target or identifier)}{_BETWEEN}{label}{_CLOSE}"


def _key(name: str) -> str:
    return _NOTE_PREFIX.sub("", name)


def _is_superscript(node: etree._Element) -> bool:
    return node.tag == "sup" or not _SUPERSCRIPTS.isdisjoint(classes_of(node.get("class")))


def _picture(node: etree._Element) -> str:
    if node.tag != "img":
        return ""
    if alternative := " ".join(_clean(node.get("alt") or "", ()).split()):
        return f" {alternative} "
    return " [formula] " if "formula" in classes_of(node.get("class")) else " [image] "


def _clean(text: str, raised: Sequence[etree._Element]) -> str:
    text = PRIVATE.sub("", visible(text))
    if raised and _RAISABLE.fullmatch(text.strip()):
        return text.translate(_RAISED)
    return text
