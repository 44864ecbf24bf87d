"""Sitemaps (sitemaps.org): lists of pages, lists of sitemaps, packed or not, and plain lists of addresses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

from lxml import etree

from ingest.errors import FetchError
from ingest.fetching import bodies

MAX_BYTES: Final = 52_428_800
"""Of one sitemap, packed and unpacked, as the protocol says."""

MAX_ENTRIES: Final = 50_000
"""Of one sitemap, as the protocol says."""

_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page in a sitemap, as it is written there; ``alternates``: its addresses in other languages."""

    address: str
    alternates: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Sitemap:
    """What a sitemap lists: pages, or other sitemaps."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)


def read_sitemap(body: bytes, where: str) -> Sitemap:
    """Read a sitemap; what is damaged in it ends it. Raises ``FetchError`` if it is none, or too large."""
    if body.startswith(_GZIP):
        body = bodies.unpacked(body, where, MAX_BYTES)
    if b"<" not in body[:1_000]:
        return _plain(body)
    found = Sitemap()
    for tag, parts in _elements(body):
        address = next(iter(parts.get("loc", ())), "")
        if tag == "sitemap" and address:
            found.sitemaps.append(address)
        elif tag == "url" and address:
            alternates = tuple(parts.get("link", ()))
            found.pages.append(Entry(address=address, alternates=alternates))
        if len(found.pages) + len(found.sitemaps) >= MAX_ENTRIES:
            break
    if not found.pages and not found.sitemaps and b"<urlset" not in body[:5_000]:
        raise FetchError("invalid", f"{where} is no sitemap")
    return found


def _elements(body: bytes) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each entry's tag and the texts in it by their tags; no entity is expanded, nothing is loaded."""
    events = etree.iterparse(
        BytesIO(body), events=("end",), resolve_entities=False, no_network=True, recover=True
    )
    for _, element in events:
        tag = _local(element)
        if tag not in ("url", "sitemap"):
            continue
        parts: dict[str, list[str]] = {}
        for child in element:
            text = child.get("href") if _local(child) == "link" else child.text
            parts.setdefault(_local(child), []).append((text or "").strip())
        yield tag, parts
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname.lower() if isinstance(element.tag, str) else ""


def _plain(body: bytes) -> Sitemap:
    lines = body[:MAX_BYTES].decode("utf-8-sig", "replace").split()
    addresses = [line for line in lines if line.startswith(("http://", "https://"))]
    return Sitemap(pages=[Entry(address=address) for address in addresses[:MAX_ENTRIES]])
