"""Parses a page of a website: its text, its links, and its directives for robots."""

import codecs
import hashlib
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from lxml import etree

from ingest.charsets import codec_of
from ingest.fetching.agent import USER_AGENT
from ingest.html.tree import Document, Element, parse
from ingest.types import WEB_PAGE, RawPage

MAX_LINKS: Final = 5_000
MAX_ALTERNATES: Final = 50
"""The most translations of one page; the EU has 24 languages."""

SKETCH: Final = 64
SAMPLE_CHARACTERS: Final = 5_000

_CHARSET: Final = re.compile(rb"""<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.I)
_REFRESH: Final = re.compile(r"\s*(\d+)\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.I)
_LOST: Final = re.compile(
    r"\b(?:error |fehler )?404\b|(?:page|seite|document|dokument|inhalt)\b.{0,30}"
    r"\b(?:not found|nicht gefunden|not exist|existiert nicht|nicht vorhanden)",
    re.I,
)
_FURNITURE: Final = frozenset({"header", "footer", "nav", "aside"})


@dataclass(slots=True, kw_only=True)
class Head:
    """Links and directives in a page's markup. ``links``, ``alternates`` (language, address), ``canonical``
    and ``refresh`` are as written; ``robots``: directives such as ``noindex``."""

    links: list[str] = field(default_factory=list)
    alternates: list[tuple[str, str]] = field(default_factory=list)
    canonical: str = ""
    base: str = ""
    refresh: str = ""
    robots: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A page's text. ``digest``: equal for equal texts; ``sketch``: a sample of its phrases."""

    title: str = ""
    description: str = ""
    keywords: str = ""
    language: str = ""
    words: int
    sample: str = ""
    digest: str
    sketch: frozenset[int]

    def is_like(self, other: "Text") -> bool:
        """Return True if most of both texts is the same."""
        if not self.sketch or not other.sketch:
            return self.digest == other.digest
        smallest = sorted(self.sketch | other.sketch)[:SKETCH]
        common = sum(1 for value in smallest if value in self.sketch and value in other.sketch)
        return common >= 0.8 * len(smallest)

    @property
    def is_error(self) -> bool:
        """True for a short page whose title says that the page was not found."""
        return self.words < 150 and bool(_LOST.search(self.title))


def decoded(body: bytes, content_type: str) -> str:
    """Decode a page: as UTF-8 if valid, whatever its server says; otherwise as declared or Windows-1252."""
    for bom, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if body.startswith(bom):
            return body.decode(name, "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    stated = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.I)
    written = _CHARSET.search(body[:2_048])
    names = [stated[1] if stated else "", written[1].decode("ascii") if written else ""]
    for name in filter(None, names):
        found = codec_of(name)
        if found not in ("", "utf-8", "ascii", "iso8859-1") and not found.startswith(("utf-16", "utf-32")):
            return body.decode(found, "replace")
        if found == "utf-8" and _is_nearly_utf_8(body):
            return body.decode("utf-8", "replace")
    return body.decode("cp1252", "replace")


def _is_nearly_utf_8(body: bytes) -> bool:
    """Return True if most non-ASCII characters are valid UTF-8."""
    text = body.decode("utf-8", "replace")
    return 2 * text.count("\ufffd") < len(text) - len(text.encode("ascii", "ignore"))


def read_head(html: str, headers: Mapping[str, str]) -> Head:
    """Read the links and directives of a page, including hidden ones."""
    target = _HeadTarget()
    if html.strip():
        parser = etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
        etree.fromstring(html.encode("utf-8", "replace"), parser)
    head = target.head
    head.robots |= robots_of(headers)
    return head


def robots_of(headers: Mapping[str, str]) -> set[str]:
    """Return the directives in the header ``X-Robots-Tag`` of a page or file."""
    found = set[str]()
    for part in headers.get("x-robots-tag", "").lower().split(","):
        agent, colon, word = part.strip().rpartition(":")
        if not colon or agent.strip() == USER_AGENT.lower():
            found.add(word.strip())
    return found


def read_text(html: str) -> Text:
    """Read the visible text of a page without its navigation."""
    document = parse(html)
    text = " ".join(_texts(_main(document)))
    words = re.findall(r"\w+", text.lower())
    phrases = {zlib.crc32(" ".join(words[n : n + 3]).encode()) for n in range(max(0, len(words) - 2))}
    heading = _line("".join(document.headings[0].texts())) if document.headings else ""
    return Text(
        title=_line(document.title) or heading,
        description=_line(document.meta.get("description", "")),
        keywords=_line(document.meta.get("keywords", "")),
        language=_language(document),
        words=len(words),
        sample=text[:SAMPLE_CHARACTERS],
        digest=hashlib.sha256(" ".join(words).encode()).hexdigest(),
        sketch=frozenset(sorted(phrases)[:SKETCH]),
    )


def text_blocks(html: str) -> list[str]:
    """Return the pieces of a page's visible text, without its navigation, in order."""
    return [line for text in _texts(_main(parse(html))) if (line := _line(text))]


def as_web_page(page: RawPage) -> RawPage:
    """Return the page with its HTML marked as ``WEB_PAGE``, with menus and notices around the content."""
    content = page.fields.get("content")
    if content is None or not content.is_html:
        return page
    return replace(page, fields={**page.fields, "content": replace(content, media_type=WEB_PAGE)})


def _language(document: Document) -> str:
    return document.language or document.meta.get("language", "") or document.meta.get("dc.language", "")


def _main(document: Document) -> Element:
    return document.mains[0] if len(document.mains) == 1 else document.root


def _texts(root: Element) -> list[str]:
    texts: list[str] = []
    pending: list[Element | str] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            texts.append(node)
        elif node.tag not in _FURNITURE:
            pending.extend(reversed(node.children))
    return texts


def _line(text: str) -> str:
    return " ".join(text.split())


class _HeadTarget:
    """Receives lxml's parse events, so that no tree is built, whatever the page's size."""

    def __init__(self) -> None:
        self.head = Head()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        href = (attributes.get("href") or "").strip()
        kinds = (attributes.get("rel") or "").lower().split()
        if tag in ("a", "area") and href and "nofollow" not in kinds and len(self.head.links) < MAX_LINKS:
            self.head.links.append(href)
        elif tag == "link" and href:
            self._link(href, kinds, attributes.get("hreflang") or "")
        elif tag == "base":
            self.head.base = self.head.base or href
        elif tag == "meta":
            self._meta(attributes)

    def end(self, _tag: str) -> None:
        """Part of lxml's target interface."""

    def data(self, _text: str) -> None:
        """Part of lxml's target interface."""

    def close(self) -> None:
        """Part of lxml's target interface."""

    def _link(self, href: str, kinds: list[str], language: str) -> None:
        if "canonical" in kinds:
            self.head.canonical = self.head.canonical or href
        elif "alternate" in kinds and language and len(self.head.alternates) < MAX_ALTERNATES:
            self.head.alternates.append((language, href))
        elif "next" in kinds or "prev" in kinds:
            self.head.links.append(href)

    def _meta(self, attributes: Mapping[str, str]) -> None:
        content = attributes.get("content") or ""
        if (attributes.get("name") or "").lower() in ("robots", USER_AGENT.lower()):
            self.head.robots |= {word.strip() for word in content.lower().split(",")}
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            match = _REFRESH.match(content)
            self.head.refresh = match[2].strip() if match and int(match[1][:4]) <= 1 else ""
