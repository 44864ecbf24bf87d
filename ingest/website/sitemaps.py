"""Parses sitemaps (sitemaps.org): lists of pages or sitemaps, and plain lists of addresses; also gzipped."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from lxml import etree

from ingest.errors import FetchError
from ingest.fetching import bodies
from ingest.types import MAX_ID_CHARACTERS

MAX_BYTES: Final = 52_428_800
"""The largest size of a sitemap, packed and unpacked, as the protocol says."""

MAX_ENTRIES: Final = 50_000
"""The most entries of a sitemap, as the protocol says."""

MAX_ALTERNATES: Final = 200
"""The most languages of one page; Unicode has fewer common ones."""

_ENTRIES: Final = frozenset({"url", "sitemap"})
_PIECE: Final = 65_536
_READ_CHARACTERS: Final = 2 * MAX_ID_CHARACTERS
"""The most characters to collect for an address, including white space around it."""

_ADDRESS: Final = re.compile(r"(?<!\S)https?://\S+")
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page in a sitemap, as written there; ``alternates``: its addresses in other languages."""

    address: str
    alternates: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Sitemap:
    """The contents of a sitemap: pages, or other sitemaps."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)


def read_sitemap(body: bytes, where: str) -> Sitemap:
    """Parse a sitemap, up to the first damage; addresses too long for a page are left out. Raises
    ``FetchError`` if it is not a sitemap, or too large."""
    if body.startswith(_GZIP):
        body = bodies.unpacked(body, where, MAX_BYTES)
    if b"<" not in body[:1_000]:
        return _plain(body)
    target = _SitemapTarget()
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True, recover=True)
    with suppress(etree.XMLSyntaxError, UnicodeDecodeError):  # the latter: a reference to a lone surrogate
        for start in range(0, len(body), _PIECE):
            parser.feed(body[start : start + _PIECE])
            if target.is_full:
                break
        parser.close()
    found = target.found
    if not found.pages and not found.sitemaps and b"<urlset" not in body[:5_000]:
        raise FetchError("invalid", f"{where} is not a sitemap")
    return found


def _plain(body: bytes) -> Sitemap:
    text = body[:MAX_BYTES].decode("utf-8-sig", "replace")
    lines = (match[0] for match in _ADDRESS.finditer(text))
    addresses = islice((line for line in lines if len(line) <= MAX_ID_CHARACTERS), MAX_ENTRIES)
    return Sitemap(pages=[Entry(address=address) for address in addresses])


class _SitemapTarget:
    """Receives lxml's parse events, so that no tree is built, whatever the size. ``_depth`` counts the open
    elements of an entry: only a ``loc`` directly in it is its address, not that of a picture in it."""

    def __init__(self) -> None:
        self.found = Sitemap()
        self._depth = 0
        self._is_address = False
        self._address = ""
        self._alternates: list[str] = []

    @property
    def is_full(self) -> bool:
        """True if the sitemap has as many entries as allowed."""
        return len(self.found.pages) + len(self.found.sitemaps) >= MAX_ENTRIES

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = _local(tag)
        if self._depth:
            self._depth += 1
            self._is_address = self._depth == 2 and name == "loc" and not self._address
            if self._depth == 2 and name == "link" and len(self._alternates) < MAX_ALTERNATES:
                self._alternates.append((attributes.get("href") or "").strip())
        elif name in _ENTRIES:
            self._depth, self._address, self._alternates = 1, "", []

    def data(self, text: str) -> None:
        if self._is_address and len(self._address) <= _READ_CHARACTERS:
            self._address += text

    def end(self, tag: str) -> None:
        self._is_address = False
        if not self._depth:
            return
        self._depth -= 1
        address = self._address.strip()
        if self._depth or not address or len(address) > MAX_ID_CHARACTERS or self.is_full:
            return
        if _local(tag) == "sitemap":
            self.found.sitemaps.append(address)
        else:
            alternates = tuple(each for each in self._alternates if len(each) <= MAX_ID_CHARACTERS)
            self.found.pages.append(Entry(address=address, alternates=alternates))

    def close(self) -> None:
        """Part of lxml's target interface."""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()
