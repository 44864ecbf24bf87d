"""Writes a page as Markdown.

ATX headings, ``-`` bullets, fenced code, pipe tables whose first row is the header, emphasis and links;
images as their alternative text; line breaks as newlines. Only ``<`` before a tag name, and ``#``, ``+`` and
``>`` at the beginning are escaped ("> 18 Jahre" is no quotation), because other escapes would disturb search
and people.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from ingest.html.main_content import main_content
from ingest.html.outline import outline
from ingest.html.tree import Document, Element, parse

_PAGE_FURNITURE: Final = frozenset({"aside", "footer", "header", "nav"})
_TAG_LIKE: Final = re.compile(r"<(?=[A-Za-z/!?])")
_MARK_LIKE: Final = re.compile(r"^(?=#{1,6}\s|>|\+\s)")
_FENCE: Final = re.compile(r"(?:[ >]|[-*] |\d+\. )*(`{3,})")


def to_markdown(html: str, url: str = "") -> str:
    """Return the visible content as Markdown, links absolute against ``url``; empty if there is none.

    If the page has exactly one ``<main>``, only its content counts. Otherwise a whole document loses every
    ``<nav>``, and the ``<header>``, ``<footer>`` and ``<aside>`` that are children of its body, unless
    nothing would be left; a fragment stays whole.
    """
    document = parse(html)
    base = _base(document, url)
    for root, skip in _scopes(document):
        markdown = _write(outline(root, base, skip))
        if markdown:
            return markdown
    return ""


def page_to_markdown(html: str, url: str = "") -> str:
    """Return the content of a website's page as Markdown, without surrounding menus, notices and teasers."""
    document = parse(html)
    content = main_content(document.root)
    markdown = _write(outline(content, _base(document, url))) if content else ""
    return markdown or to_markdown(html, url)


def _scopes(document: Document) -> Iterator[tuple[Element, frozenset[str]]]:
    """Yield candidates for conversion, best first; the next one is tried if one has no text."""
    if len(document.mains) == 1:
        yield document.mains[0], frozenset()
    if document.whole:
        yield _without_furniture(document.root), frozenset({"nav"})
    yield document.root, frozenset()


def _without_furniture(root: Element) -> Element:
    bodies = [body for html in _elements(root, "html") for body in _elements(html, "body")]
    kept = [
        child
        for body in bodies
        for child in body.children
        if isinstance(child, str) or child.tag not in _PAGE_FURNITURE
    ]
    return Element("body", children=kept)


def _elements(parent: Element, tag: str) -> list[Element]:
    return [child for child in parent.children if isinstance(child, Element) and child.tag == tag]


def _base(document: Document, url: str) -> str:
    try:
        return urljoin(url, document.base)
    except ValueError:
        return url


def _write(soup: BeautifulSoup) -> str:
    return _tidy(str(_Writer(heading_style="atx", bullets="-").convert_soup(soup)))


class _Writer(MarkdownConverter):
    """markdownify with our own tables, code and long lists: linear, and safe for any content."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return _MARK_LIKE.sub(r"\\", _TAG_LIKE.sub(r"\\<", text))

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "\n"

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802
        title = " ".join(text.split())
        return f"\n\n{'#' * n} {title}\n\n" if title else ""

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        bullet = f"{el['value']}. " if el.has_attr("value") else "- "
        text = text.strip()
        return bullet + text.replace("\n", "\n" + " " * len(bullet)) + "\n" if text else ""

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not text.strip():
            return ""
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"\n\n{fence}\n{text.strip(chr(10))}\n{fence}\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        escaped = text.strip().replace("|", "\\|")
        return f" {escaped} |"

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"|{text}\n" if text.strip(" |") else ""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        caption, _, rows = text.strip().rpartition("\n\n")
        head, _, body = rows.partition("\n")
        columns = max((len(row.find_all(["td", "th"])) for row in el.find_all("tr")), default=1)
        return f"\n\n{caption}\n\n{head}\n|{' --- |' * columns}\n{body}\n\n" if rows.strip() else ""


def _tidy(markdown: str) -> str:
    """Remove blanks at line ends, repeated blank lines, and those at either end; keep blank lines in code."""
    lines: list[str] = []
    fence = ""
    for line in map(str.rstrip, markdown.split("\n")):
        match = _FENCE.match(line)
        if match and (not fence or match[1] == fence):
            fence = "" if fence else match[1]
        if line or fence or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n")
