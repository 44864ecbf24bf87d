"""A content management system on loopback: a listing in parts and a page each, both as JSON.

It lists ``pages`` in order of their making; what it does wrong is switched on by its attributes.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from tests.fakes.loopback import LoopbackServer, QuietHandler

START: Final = datetime(2026, 11, 1, tzinfo=UTC)

Key = tuple[str, str]
"""A page's id and language."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Sent instead of what is right. ``length``: announced instead of the true one."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


class FakeCms(LoopbackServer):
    """The server; use as a context manager.

    ``wrong`` replaces the reply to a path with its query (``/listing?page=2``, ``/pages/a``); ``uncommitted``
    are listed already, but their pages answer 404; ``requests`` counts what was asked for.
    """

    def __init__(self, paging: Literal["next", "page", "whole"] = "next", per_part: int = 3) -> None:
        super().__init__(_Handler)
        self.pages: dict[Key, dict[str, Any]] = {}
        self.wrong: dict[str, Reply] = {}
        self.uncommitted: set[Key] = set()
        self.requests: Counter[str] = Counter()
        self.tokens: set[str] = set()
        self._paging = paging
        self._per_part = per_part

    @property
    def url(self) -> str:
        """Its address."""
        return self.address

    def options(self, **others: object) -> dict[str, Any]:
        """What a source of it is made with."""
        addresses = {
            "listing_url": f"{self.url}/listing",
            "page_url": f"{self.url}/pages/{{id}}?in={{language}}",
        }
        return {**addresses, **others}

    def save(self, page_id: str, text: str, language: str = "de", **others: Any) -> None:
        """Make or change a page; its revision rises by 1 and ``updated`` by ten minutes."""
        revision = (self.pages.get((page_id, language), {}).get("revision") or 0) + 1
        record = {"id": page_id, "language": language, "title": page_id, "text": text, "revision": revision}
        updated = START + revision * timedelta(minutes=10)
        self.pages[page_id, language] = {**record, "updated": updated.isoformat(), **others}

    def delete(self, *page_ids: str) -> None:
        """Delete pages in all languages."""
        self.pages = {key: page for key, page in self.pages.items() if key[0] not in page_ids}

    def fetched(self) -> list[str]:
        """The pages asked for since this was last called, sorted."""
        paths = sorted(path for path, count in self.requests.items() for _ in range(count))
        self.requests.clear()
        return [unquote(urlsplit(path).path.removeprefix("/pages/")) for path in paths if "/pages/" in path]

    def listing(self, query: dict[str, str]) -> Any:
        """One part of the listing."""
        number, since = int(query.get("page", "1")), query.get("updated_after", "")
        names = ("id", "language", "revision", "updated")
        items = [
            {name: page[name] for name in names if name in page}
            for page in self.pages.values()
            if (page.get("updated") or START.isoformat()) >= since
        ]
        if self._paging == "whole":
            return {"items": items, "next": None, "total": len(items)}
        some = items[(number - 1) * self._per_part : number * self._per_part]
        if self._paging == "page":
            return some
        is_last = number * self._per_part >= len(items)
        following = urlencode({**query, "page": number + 1})
        return {"items": some, "next": None if is_last else f"/listing?{following}"}

    def page(self, key: Key) -> dict[str, Any] | None:
        """A page's record, if it is there already."""
        return None if key in self.uncommitted else self.pages.get(key)


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        fake, parts = self.server.fake, urlsplit(self.path)
        fake.requests[self.path] += 1
        fake.tokens.add(self.headers.get("Authorization", ""))
        wrong = fake.wrong.get(self.path) or fake.wrong.get(parts.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if wrong is not None:
            self._send(wrong)
        elif parts.path == "/listing":
            self._send(Reply(body=json.dumps(fake.listing(query)).encode()))
        else:
            key = (unquote(parts.path.removeprefix("/pages/")), query.get("in", "de"))
            record = fake.page(key)
            self._send(Reply(status=404) if record is None else Reply(body=json.dumps(record).encode()))

    def _send(self, reply: Reply) -> None:
        length = len(reply.body) if reply.length is None else reply.length
        self.close_connection = reply.length is not None
        self.send_response(reply.status)
        for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(reply.body)
