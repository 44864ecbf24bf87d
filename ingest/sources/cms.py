"""The source ``cms``: a content management system with a listing and pages, both as JSON.

Items of the listing (:mod:`ingest.sources.listings`) have ``id`` and ``language``, and ``revision`` or
``updated`` to detect changes. A page is one record (:mod:`ingest.sources.records`), like a line of JSON
Lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlsplit

from ingest import languages
from ingest.errors import FetchError, GoneError, PageError, SourceError
from ingest.fetching.client import Fetcher
from ingest.fetching.urls import shown
from ingest.options import validate_options
from ingest.sources import listings
from ingest.sources.records import Record, raw_page, record_id, record_moment, record_revision
from ingest.types import UNDETERMINED, ListingItem, PageRef, RawPage

_JSON: Final = ("application/json",)


class CmsSource:
    """Fetches pages from a CMS by ``listing_url`` and ``page_url`` (with ``{id}``, and ``{language}`` if
    needed).

    ``token`` is sent as bearer token. ``language`` is for items without one. A document is a page in all its
    languages.
    """

    @validate_options
    def __init__(
        self,
        *,
        name: str,
        fetcher: Fetcher,
        listing_url: str,
        page_url: str,
        token: str = "",
        language: str = "",
    ) -> None:
        self.name = PageRef(source=name, id="any", language=UNDETERMINED).source
        self._fetcher = fetcher
        self._listing_url = _checked_address("listing_url", listing_url)
        self._page_url = _checked_template(page_url)
        self._token = _checked_token(token)
        self._language = language
        self._documents: dict[str, list[ListingItem]] | None = None

    def documents(self) -> Iterator[str]:
        """Yield every page's id. Raises ``SourceError`` and ``SourceUnavailableError``."""
        self._documents = {}
        for listed in self.listing():
            self._documents.setdefault(listed.ref.id, []).append(listed)
        yield from self._documents

    def pages(self, document: str) -> Sequence[RawPage] | None:
        """Fetch the page in all listed languages. Raises ``PageError`` and ``SourceUnavailableError``."""
        if self._documents is None:
            for _ in self.documents():
                pass
        found = [self.page(listed) for listed in (self._documents or {}).get(document, ())]
        return [page for page in found if page is not None] or None

    def listing(self, updated_after: datetime | None = None) -> Sequence[ListingItem]:
        """List every page once, or those updated since. Raises ``SourceError`` and
        ``SourceUnavailableError``."""
        first = self._listing_url
        if updated_after is not None:
            first = listings.with_query(first, "updated_after", updated_after.astimezone(UTC).isoformat())
        found: dict[PageRef, ListingItem] = {}
        for where, items in listings.parts(self._get, first):
            part = [self._listed(where, number, item) for number, item in enumerate(items, start=1)]
            if part and all(listed.ref in found for listed in part):
                raise SourceError(f"{where} repeats pages that were already listed: its paging does not end")
            found |= {listed.ref: listed for listed in part}
        if not found and updated_after is None:
            raise SourceError(
                f"{shown(first)} lists no pages at all, so nothing was changed: check the address and the CMS"
            )
        return list(found.values())

    def page(self, listed: ListingItem) -> RawPage | None:
        """Fetch the page, or return None if it no longer exists. Raises ``PageError`` and
        ``SourceUnavailableError``."""
        ref = listed.ref
        try:
            body = self._get(self._address(ref))
        except GoneError:
            return None
        except FetchError as error:
            raise PageError(error.reason, str(error)) from error
        known = {"id": ref.id, "language": ref.language, "url": listed.url}
        record = {**known, **_stated(listings.parse_json(body))}
        page = raw_page(record, source=self.name, document=ref.id, url=ref.id, language=ref.language)
        if page.ref != ref:
            found = f"{page.ref.id!r} ({page.ref.language})"
            raise PageError("invalid", f"the server sent page {found} instead of the one requested")
        revision = listed.revision if page.revision is None else page.revision
        return replace(page, revision=revision, updated=page.updated or listed.updated)

    def _get(self, url: str) -> bytes:
        return self._fetcher.get(url, accept=_JSON, token=self._token).body

    def _listed(self, where: str, number: int, item: object) -> ListingItem:
        try:
            if not isinstance(item, dict):
                raise PageError("invalid", "not a JSON object")
            url = item.get("url")
            ref = PageRef(source=self.name, id=record_id(item), language=self._language_of(item))
            self._address(ref)
            return ListingItem(
                ref=ref,
                revision=record_revision(item),
                updated=record_moment(item, "updated"),
                url=url if isinstance(url, str) else "",
            )
        except PageError as error:
            raise SourceError(f"{where}: item {number}: {error}") from error

    def _language_of(self, item: Record) -> str:
        stated = item.get("language") or self._language
        if stated == UNDETERMINED:
            return UNDETERMINED
        code = languages.normalise(stated) if isinstance(stated, str) else None
        if code is None:
            raise PageError("invalid", f"language {str(stated)[:40]!r}: use a code such as 'de'")
        return code

    def _address(self, ref: PageRef) -> str:
        if ref.id in (".", ".."):
            raise PageError("invalid", f"id {ref.id!r}: cannot be part of an address")
        address = self._page_url.replace("{id}", quote(ref.id, safe=""))
        return address.replace("{language}", ref.language)


def _stated(record: object) -> Record:
    """Return the page's record without nulls. Raises ``PageError`` if it is not an object."""
    if not isinstance(record, dict):
        raise PageError("invalid", "the page is not a JSON object: send one page in {...}")
    return {key: value for key, value in record.items() if value is not None}


def _checked_address(option: str, address: str) -> str:
    try:
        parts = urlsplit(address)
        has_host = bool(parts.netloc)
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https"):
        raise ValueError(f"option {option!r}: use an address with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError(f"option {option!r}: contains a name or password: use the option token")
    return address


def _checked_template(address: str) -> str:
    parts = urlsplit(_checked_address("page_url", address))
    rest = address.replace("{id}", "").replace("{language}", "")
    if "{id}" not in parts.path + parts.query or "{" in parts.netloc + rest:
        raise ValueError(
            "option 'page_url': use an address with {id} after the host, and {language} if needed"
        )
    return address


def _checked_token(token: str) -> str:
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise ValueError("option 'token': use only ASCII characters, without spaces or line breaks")
    return token
