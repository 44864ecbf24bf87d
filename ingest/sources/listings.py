"""A listing in JSON that comes in parts: ``{"items": [...], "next": …, "total": …}``, or only the items.

``next`` is the URL of the next part, ``null`` at the end. Without it parts are requested by number
(``page=2`` …) until one is empty. ``total``, if present, is checked at the end.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urljoin, urlsplit

from ingest.errors import FetchError, PageError, SourceError
from ingest.fetching.urls import shown
from ingest.sources.distinct_keys import DuplicateKeyError, distinct_keys

MAX_PARTS: Final = 100_000

Get = Callable[[str], bytes]
"""Returns the body at a URL. Raises ``FetchError`` and ``SourceUnavailableError``."""


def parts(get: Get, first: str) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the items of each part, with its URL for messages.

    The iteration ends only after the last part of a complete listing; otherwise it raises ``SourceError``.
    """
    url, count, asked = first, 0, set[str]()
    part = _part(get, url)
    linked = "next" in part
    while True:
        asked.add(url)
        items = part["items"]
        count += len(items)
        yield shown(url), items
        if linked and "next" not in part:
            raise SourceError(f"{shown(url)} does not say whether there is more: add 'next', null at the end")
        if part["next"] in (None, "") if linked else not items:
            break
        url = _next(url, part["next"]) if linked else with_query(first, "page", str(len(asked) + 1))
        if url in asked or len(asked) == MAX_PARTS:
            raise SourceError(f"{shown(url)}: the listing returns to this address: its paging does not end")
        part = _part(get, url)
    total = part.get("total")
    if isinstance(total, int) and count < total:
        raise SourceError(f"{shown(url)} is not complete: {count:,} of {total:,} pages are listed")


def parse_json(body: bytes) -> Any:
    """Parse a JSON body. Raises ``PageError``."""
    try:
        return json.loads(body.decode("utf-8-sig"), object_pairs_hook=distinct_keys)
    except UnicodeDecodeError as error:
        raise PageError("invalid", f"not UTF-8 at byte {error.start:,}") from error
    except DuplicateKeyError as error:
        raise PageError("invalid", str(error)) from error
    except (ValueError, RecursionError) as error:
        raise PageError("invalid", f"not JSON: {error}") from error


def with_query(url: str, key: str, value: str) -> str:
    """Return ``url`` with one more query parameter, and without its fragment."""
    plain = url.partition("#")[0]
    return f"{plain}{'&' if urlsplit(url).query else '?'}{urlencode({key: value})}"


def _part(get: Get, url: str) -> dict[str, Any]:
    try:
        part = parse_json(get(url))
    except FetchError as error:
        raise SourceError(f"the listing cannot be read: {error}") from error
    except PageError as error:
        raise SourceError(f"{shown(url)} is not a listing: {error}") from error
    part = part if isinstance(part, dict) else {"items": part}
    if not isinstance(part.get("items"), list):
        raise SourceError(f"{shown(url)} is not a listing: it must be {{'items': [...], 'next': ...}}")
    return part


def _next(url: str, link: object) -> str:
    try:
        target = urljoin(url, link) if isinstance(link, str) else ""
        same = urlsplit(target)[:2] == urlsplit(url)[:2]
    except ValueError:  # brackets without an IPv6 address
        same = False
    if not same:  # the token must not go to another origin
        raise SourceError(f"{shown(url)}: its 'next' leads to another server: use an address on the same one")
    return target
