"""Makes pages from a website's replies, which are HTML, plain text or documents."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from ingest import languages
from ingest.documents.reader import DocumentReader
from ingest.errors import PageError
from ingest.fetching.client import FetchedBody
from ingest.sources.records import raw_page
from ingest.types import MediaType
from ingest.website.crawl_options import CrawlOptions
from ingest.website.pages import Head, Text, as_web_page, robots_of
from ingest.website.visits import Absent, Broken, Found, Visit

SCRIPTED: Final = "no text without scripts"


class Replies:
    """The replies of one website. ``reader``: converts documents. ``lost``: the text of its error page, if it
    sends one with HTTP 200."""

    def __init__(self, options: CrawlOptions, reader: DocumentReader) -> None:
        self.lost: Text | None = None
        self._options = options
        self._reader = reader

    def html_page(self, address: str, fetched: FetchedBody, source: str, text: Text, stated: str) -> Visit:
        """Return the page in the HTML ``source``. ``stated``: the language that the website gives for it."""
        record = {
            "html": source,
            "title": text.title,
            "description": text.description,
            "keywords": text.keywords,
            "language": languages.normalise(stated)
            or self._options.language
            or languages.detect(text.sample),
        }
        return self.page(address, fetched, record)

    def document(self, address: str, fetched: FetchedBody, media_type: MediaType) -> Visit:
        """Return the page in a document such as a PDF."""
        if {"noindex", "none"} & robots_of(fetched.headers):
            return Absent(address=address, why="noindex")
        try:
            read = self._reader.read(fetched.body, media_type)
            name = PurePosixPath(unquote(urlsplit(address).path)).stem
            page = read.page(self._options.name, address, name, language=self._options.language)
        except PageError as error:
            return Broken(address=address, error=error)
        return Found(address=address, page=page, validators=fetched.validators)

    def page(self, address: str, fetched: FetchedBody, record: Mapping[str, str]) -> Visit:
        """Return the page with the texts of ``record`` (:mod:`ingest.sources.records`)."""
        given = {key: value for key, value in record.items() if value} | {"id": address}
        try:
            page = raw_page(
                given,
                source=self._options.name,
                document=address,
                url=address,
                language=self._options.language or None,
                line_type="text/plain",
            )
        except (PageError, ValueError) as error:
            reason = error if isinstance(error, PageError) else PageError("invalid", str(error))
            return Broken(address=address, error=reason)
        return Found(address=address, page=as_web_page(page), validators=fetched.validators)

    def refusal(self, head: Head, text: Text) -> str:
        """Return why the reply is not a page of the website; empty if it is one."""
        if {"noindex", "none"} & head.robots:
            return "noindex"
        if text.is_error or (self.lost is not None and text.is_like(self.lost)):
            return "an error page, despite HTTP 200"
        return "" if text.words else SCRIPTED
