"""Parts: the pages of one document and one kind, such as the recitals of one version of an act.

A question leaves out or keeps to whole parts (:class:`app.search.types.QuerySpec`): the names of a few
thousand parts stand for a hundred times as many pages.
"""

from app.search.types import IndexedPage
from ingest.types import Page, RawPage


def part(source: str, document: str, kind: str) -> str:
    """The name of the part with the pages of ``kind`` in a document of ``source``."""
    return f"{source}:{document}#{kind}"


def part_of(page: RawPage | Page | IndexedPage) -> str:
    """The name of the part that a page belongs to."""
    return part(page.ref.source, page.document, page.kind)
