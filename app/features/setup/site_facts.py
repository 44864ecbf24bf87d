"""Facts about a website that it states on its start page. Pure functions."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

from ingest.types import UNDETERMINED, RawPage
from ingest.website.addresses import normalised

NAME_CHARACTERS: Final = 100

_CONTACT: Final = re.compile(r"\b(?:kontakt(?:e|formular)?|contacts?(?:[ -]us)?)\b", re.IGNORECASE)
_IMPRINT: Final = re.compile(r"\b(?:impressum|imprint|legal[ -]notice|site[ -]notice)\b", re.IGNORECASE)
_PRIVACY: Final = re.compile(r"\b(?:datenschutz\w*|privacy)\b", re.IGNORECASE)
_TITLE_PARTS: Final = re.compile(r"\s+[|–—·•»:-]+\s+")
_GREETING: Final = re.compile(
    r"^(?:(?:herzlich )?willkommen (?:in|bei|beim|auf)(?: der| den)?|welcome to(?: the)?) ", re.IGNORECASE
)
_COLOUR: Final = re.compile(r"#(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)
_E_MAIL: Final = re.compile(r"mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)+)", re.ASCII | re.IGNORECASE)
_OWNERS: Final = re.compile(r"Organization|WebSite|City")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFacts:
    """Facts about a website; all but ``name`` are empty if it does not state them.

    ``languages``: of its pages (ISO 639-1), the start page's first. ``colour``: such as ``#7a0b3f``.
    ``contact``: an e-mail address, otherwise that of a page. ``contact_page``, ``imprint`` and ``privacy``:
    addresses of pages.
    """

    name: str
    languages: tuple[str, ...]
    colour: str
    contact: str
    contact_page: str
    imprint: str
    privacy: str


def site_facts(pages: Sequence[RawPage]) -> SiteFacts:
    """Extract the facts from a website's pages, of which the first is its start page."""
    start = pages[0]
    html = _html(start)
    links = list(_links(html, start.url))
    contact, imprint, privacy = (_plainest(links, wanted) for wanted in (_CONTACT, _IMPRINT, _PRIVACY))
    places = [start, *(page for address in (contact, imprint) for page in pages if page.url == address)]
    mails = (match[1] for page in places for match in _E_MAIL.finditer(unquote(_text(page))))
    return SiteFacts(
        name=_name(html, pages)[:NAME_CHARACTERS].strip(),
        languages=_languages(pages),
        colour=_colour(_meta(html, "theme-color") or _meta(html, "msapplication-TileColor")),
        contact=next(mails, contact or imprint),
        contact_page=contact,
        imprint=imprint,
        privacy=privacy,
    )


def _html(page: RawPage) -> BeautifulSoup:
    return BeautifulSoup(_text(page) if page.fields["content"].is_html else "", "lxml")


def _text(page: RawPage) -> str:
    return page.fields["content"].text


def _meta(html: BeautifulSoup, name: str) -> str:
    found = html.find("meta", attrs={"name": name}) or html.find("meta", attrs={"property": name})
    return " ".join(str(found.get("content") or "").split()) if found else ""


def _links(html: BeautifulSoup, base: str) -> Iterator[tuple[str, str]]:
    """Yield the words of each link (its text and its path), with its address."""
    for link in html.find_all("a", href=True):
        address = normalised(str(link["href"]), base)
        if address and "@" not in address:
            yield f"{link.get_text(' ')} {unquote(urlsplit(address).path)}", address


def _plainest(links: Iterable[tuple[str, str]], wanted: re.Pattern[str]) -> str:
    """Return the address of the link that contains the wanted words and the least besides."""
    called = (link for link in links if wanted.search(link[0]))
    return min(called, key=lambda link: len(link[0]), default=("", ""))[1]


def _name(html: BeautifulSoup, pages: Sequence[RawPage]) -> str:
    """The name that the website gives itself, otherwise the part that most titles share, otherwise the first
    title."""
    stated = _meta(html, "og:site_name") or _meta(html, "application-name") or next(_owners(html), "")
    if stated:
        return stated
    titles = [page.fields["title"].text for page in pages if "title" in page.fields]
    parts = Counter(part for title in titles for part in dict.fromkeys(_TITLE_PARTS.split(title)))
    for part, count in parts.most_common(1):
        if count > max(1, len(titles) // 2):
            return part
    own = pages[0].fields.get("title")
    return _GREETING.sub("", own.text if own else "") or urlsplit(pages[0].url).hostname or pages[0].url


def _owners(html: BeautifulSoup) -> Iterator[str]:
    """Yield the names of organisations, cities and websites in its structured data (schema.org)."""
    for script in html.find_all("script", type="application/ld+json"):
        with suppress(ValueError, RecursionError):
            found = json.loads(script.get_text())
            nodes = found.get("@graph", [found]) if isinstance(found, dict) else found
            for node in nodes if isinstance(nodes, list) else ():
                name = node.get("name") if isinstance(node, dict) else None
                if isinstance(name, str) and name.strip() and _OWNERS.search(str(node.get("@type"))):
                    yield " ".join(name.split())


def _languages(pages: Sequence[RawPage]) -> tuple[str, ...]:
    counts = Counter(page.ref.language for page in pages)
    ordered = [pages[0].ref.language, *(language for language, _ in counts.most_common())]
    return tuple(language for language in dict.fromkeys(ordered) if language != UNDETERMINED)


def _colour(text: str) -> str:
    if not _COLOUR.fullmatch(text):
        return ""
    digits = text[1:].lower()
    return f"#{digits if len(digits) == 6 else ''.join(digit * 2 for digit in digits)}"
