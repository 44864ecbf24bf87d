"""Pages that people wrote, in Markdown: the sample site's, and those beside the checkout."""

import json
from collections.abc import Iterator

from app.demo import site
from app.search.types import IndexedPage
from ingest.converters import catalogue
from ingest.protocols import Source
from ingest.sources.eurlex import EurlexSource
from ingest.sources.files import FilesSource
from ingest.types import RawField
from tests.app.chat.pages import page
from tests.shared import LAW, PAGES


def sample_pages() -> Iterator[IndexedPage]:
    """The pages of the sample site."""
    yield from _pages_of(FilesSource("demo", str(site())))


def cms_pages() -> Iterator[IndexedPage]:
    """Pages of a CMS (``shared/cms``)."""
    for line in PAGES.read_text("utf-8").splitlines():
        raw = json.loads(line)
        content = _markdown(RawField(text=raw["html"], media_type="text/html"))
        yield page(raw["id"], title=raw["title"], content=content)


def law_pages() -> Iterator[IndexedPage]:
    """The units of acts of EU law in their newest layouts (``shared/eurlex``)."""
    for path in sorted(LAW.glob("32024R1689*_en.*html")):
        yield from _pages_of(EurlexSource(name="law", path=str(path)))


def _pages_of(source: Source) -> Iterator[IndexedPage]:
    for document in source.documents():
        for raw in source.pages(document) or ():
            fields = {name: _markdown(field) for name, field in raw.fields.items()}
            made = page(raw.ref.id, language=raw.ref.language, **fields)
            yield made if "content" in made.fields else page(raw.ref.id, content="-")


def _markdown(field: RawField) -> str:
    converters = catalogue.load().values()
    converter = next(each for each in converters if each.accepts(field))
    return converter.convert(field, "https://www.town.example/")
