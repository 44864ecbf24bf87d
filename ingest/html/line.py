"""Converts titles and other short texts, which senders write as HTML or plain text without saying which."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape, unescape
from html.entities import html5
from typing import Final

from ingest.html.raised import write_raised
from ingest.html.tree import parse

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG: Final = re.compile(
    r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]*+)(?:\s(?:[^<>\"']|\"[^<\"]*+\"|'[^<']*+')*+|/)?>"
)
_REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_VOID: Final = frozenset({"br", "hr", "img", "wbr"})
_WITHIN_WORDS: Final = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr",
})  # fmt: skip
"""Elements that do not separate words; other elements are surrounded by spaces."""


def to_line(html: str) -> str:
    """Return the visible text of a short piece of HTML on one line, with white space folded.

    Only comments, void elements such as ``<br>``, elements with an end tag, and character references with a
    semicolon count as markup. Everything else is text: ``AT&T``, ``Prices < 5 euros``, ``a <b> c``.
    """
    if "<" in html or "&" in html:
        root = parse("".join(_unambiguous(_without_comments(html)))).root
        write_raised(root)
        html = "".join(root.texts())
    return " ".join(html.split())


def _without_comments(html: str) -> str:
    end = html.rfind("-->") + len("-->")  # after it, each "<!--" would be searched to the end in vain
    return _COMMENT.sub("", html[:end]) + html[end:] if "-->" in html else html


def _unambiguous(html: str) -> Iterator[str]:
    """Yield the HTML in pieces, with each ``<`` and ``&`` that is text escaped."""
    matches = list(_TAG.finditer(html))
    paired = _paired(matches)
    done = 0
    for number, match in enumerate(matches):
        if number not in paired:
            continue
        yield escape(_REFERENCE.sub(_character, html[done : match.start()]), quote=False)
        name = match["name"].lower()
        yield match[0] if name in _WITHIN_WORDS else f" {match[0]} "
        done = match.end()
    yield escape(_REFERENCE.sub(_character, html[done:]), quote=False)


def _paired(matches: list[re.Match[str]]) -> set[int]:
    """Return the indexes of the matches that are void elements, or tags with a counterpart."""
    paired: set[int] = set()
    opened: list[tuple[str, int]] = []
    waiting: Counter[str] = Counter()
    for number, match in enumerate(matches):
        name = match["name"].lower()
        if name in _VOID:
            paired.add(number)
        elif not match["close"]:
            opened.append((name, number))
            waiting[name] += 1
        elif waiting[name]:
            paired |= {number, _opening(name, opened, waiting)}
    return paired


def _opening(name: str, opened: list[tuple[str, int]], waiting: Counter[str]) -> int:
    """Return the index of the last open tag with this name; close it and all tags within it."""
    while True:
        found, number = opened.pop()
        waiting[found] -= 1
        if found == name:
            return number


def _character(match: re.Match[str]) -> str:
    reference = match[0]
    return unescape(reference) if reference[1] == "#" or reference[1:] in html5 else reference
