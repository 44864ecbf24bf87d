"""Normalises a website's addresses, and decides which ones belong to it. Pure functions.

Two spellings of one address would be two pages. Parameters of sessions and advertisements are removed.
Addresses that nobody wrote (endless calendars, paths that repeat themselves) do not belong to the site.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urljoin, urlsplit

from ingest.types import MAX_ID_CHARACTERS

MAX_SEGMENTS: Final = 16
MAX_REPEATS: Final = 3
MAX_PARAMETERS: Final = 8
YEARS_AHEAD: Final = 2
"""Calendars with later months were not filled by people."""

_HOST: Final = re.compile(r"[\w.-]+|[0-9a-f:.]+", re.ASCII)
_PORTS: Final = {"http": 80, "https": 443}
_SAFE_PATH: Final = "/!$&'()*+,;=:@~-._"
_SAFE_QUERY: Final = _SAFE_PATH + "?"
_UNWANTED: Final = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|sessionid|session_id|sid|cfid|cftoken"
    r"|utm_\w+|mtm_\w+|pk_\w+|piwik_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|_ga|chash)\Z",
    re.I,
)
"""Parameters of sessions, trackers and caches: they change the address, never the page."""

_PATH_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*", re.I)
_MONTH: Final = re.compile(r"(?<!\d)([12]\d{3})(?:[-/._]|\D{1,20}month\D?)(?:0?[1-9]|1[0-2])(?!\d)", re.I)
_YEAR: Final = re.compile(r"(?:year|jahr)\W?([12]\d{3})(?!\d)", re.I)
_OTHER_FILES: Final = re.compile(
    r"\.(?:7z|avi|bmp|bz2|css|csv|docx?|dmg|eot|epub|exe|gif|gz|ico|ics|iso|jpe?g|js|json|kml|m4[av]|mov|mp[34]"
    r"|mpe?g|od[pst]|og[agv]|pdf|png|pptx?|rar|rss|rtf|svg|tar|tgz|tiff?|ttf|vcf|wav|webm|webp|wmv|woff2?"
    r"|xlsx?|xml|zip)\Z",
    re.I,
)
_DIGITS: Final = re.compile(r"\d+")


def normalised(href: str, base: str = "") -> str:
    """Return the canonical spelling of an address, absolute against ``base``; empty if not a web address."""
    try:
        parts = urlsplit(urljoin(base, "".join(href.split("\n")).strip()))
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    if parts.scheme not in _PORTS or not _HOST.fullmatch(host) or parts.username is not None:
        return ""
    host = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")
    path = _PATH_SESSION.sub("", _spelt(parts.path, _SAFE_PATH)) or "/"
    pairs = ((pair, pair.partition("=")[0]) for pair in parts.query.split("&") if pair)
    query = "&".join(_spelt(pair, _SAFE_QUERY) for pair, name in pairs if not _UNWANTED.match(unquote(name)))
    return f"{origin}{path}?{query}" if query else f"{origin}{path}"


def origin_of(address: str) -> str:
    """Return scheme, host and port of a :func:`normalised` address."""
    return "/".join(address.split("/", 3)[:3])


def alike(address: str) -> str:
    """Return a key that is equal for addresses that differ only in numbers and parameter values."""
    parts = urlsplit(address)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{_DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The addresses of a website: those of ``origin`` whose paths begin with one of ``include``, if any are
    given, and with none of ``exclude``. ``year``: the current one."""

    origin: str
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    year: int

    def contains(self, address: str) -> bool:
        """Return True if the :func:`normalised` address belongs to the website."""
        if origin_of(address) != self.origin or len(address) > MAX_ID_CHARACTERS:
            return False
        path = address.removeprefix(self.origin)
        if self.include and not path.startswith(tuple(self.include)):
            return False
        return not path.startswith(tuple(self.exclude)) and not self._is_trap(path)

    def _is_trap(self, path: str) -> bool:
        plain, _, query = path.partition("?")
        segments = [segment for segment in plain.split("/") if segment]
        if len(segments) > MAX_SEGMENTS or query.count("&") >= MAX_PARAMETERS:
            return True
        if any(segments.count(segment) > MAX_REPEATS for segment in set(segments)):
            return True
        years = [int(found[1]) for shape in (_MONTH, _YEAR) for found in shape.finditer(path)]
        return any(year > self.year + YEARS_AHEAD for year in years)


def may_be_page(address: str) -> bool:
    """Return True unless the address names a file that is not a page: a picture, a download."""
    return not _OTHER_FILES.search(address.partition("?")[0])


def suffix_of(address: str) -> str:
    """Return the suffix of an address's path, such as ``.pdf``; empty if it has none."""
    name = address.partition("?")[0].rpartition("/")[2]
    return f".{name.rpartition('.')[2].lower()}" if "." in name else ""


def _spelt(text: str, safe: str) -> str:
    """Return ``text`` in canonical percent-encoding; encoded characters are decoded only if unreserved."""
    pieces = re.split(r"(%[0-9A-Fa-f]{2})", text)
    for number, piece in enumerate(pieces):
        if number % 2:
            character = chr(int(piece[1:], 16))
            is_plain = character.isascii() and (character.isalnum() or character in "-._~")
            pieces[number] = character if is_plain else piece.upper()
        else:
            pieces[number] = quote(piece, safe=safe, errors="replace")
    return "".join(pieces)
