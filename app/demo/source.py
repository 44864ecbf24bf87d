"""The sample site's pages as a source, with the addresses at which they are served."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from app.demo import site
from ingest.protocols import Source
from ingest.sources.files import FilesSource
from ingest.types import RawField, RawPage

_LINKS: Final = {
    "text/html": re.compile(r'(<a\b[^>]*?) href="(?!https?:|mailto:|tel:)[^"]*"'),
    "text/markdown": re.compile(r"\[([^\]\n]*)\]\((?!https?:|mailto:|tel:)[^)\n]*\)"),
}
"""Links between the pages, by media type: all but the first group is left out."""


class _ServedSource:
    """The pages of ``source`` with the URL ``address`` + id, without the links between them: these are made
    absolute, so that the texts would depend on the port and be embedded again for each."""

    def __init__(self, source: Source, address: str) -> None:
        self.name = source.name
        self._source = source
        self._address = address

    def documents(self) -> Iterator[str]:
        return self._source.documents()

    def pages(self, document: str) -> Sequence[RawPage] | None:
        pages = self._source.pages(document)
        return pages and [self._served(page) for page in pages]

    def _served(self, page: RawPage) -> RawPage:
        fields = {name: _without_links(field) for name, field in page.fields.items()}
        return replace(page, url=f"{self._address}{page.ref.id}", fields=fields)


def _without_links(field: RawField) -> RawField:
    links = _LINKS.get(field.media_type)
    return replace(field, text=links.sub(r"\1", field.text)) if links else field


def sample_pages(name: str, address: str = "") -> Source:
    """Return the sample site as source ``name``. ``address``: where it is served, ending in a slash; without,
    the pages keep their own canonical addresses, which lead nowhere."""
    files = FilesSource(name, str(site()))
    return _ServedSource(files, address) if address else files
