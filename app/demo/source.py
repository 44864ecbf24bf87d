"""The sample site's pages as a source, with the addresses at which they are served."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.demo import site
from ingest.protocols import Source
from ingest.sources.files import FilesSource
from ingest.types import RawPage


class _ServedSource:
    """The pages of ``source`` with the URL ``address`` + id."""

    def __init__(self, source: Source, address: str) -> None:
        self.name = source.name
        self._source = source
        self._address = address

    def documents(self) -> Iterator[str]:
        return self._source.documents()

    def pages(self, document: str) -> Sequence[RawPage] | None:
        pages = self._source.pages(document)
        return pages and [replace(page, url=f"{self._address}{page.ref.id}") for page in pages]


def sample_pages(name: str, address: str = "") -> Source:
    """Return the sample site as source ``name``. ``address``: where it is served, ending in a slash; without,
    the pages keep their own canonical addresses, which lead nowhere."""
    files = FilesSource(name, str(site()))
    return _ServedSource(files, address) if address else files
