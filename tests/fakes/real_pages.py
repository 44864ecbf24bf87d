"""Pages that people wrote, in Markdown: the sample site's, and those beside the checkout."""

import json
from collections.abc import Iterator
from functools import cache

from app.demo import site
from app.search.types import IndexedPage
from ingest.converters import catalogue
from ingest.protocols import Converter, Source
from ingest.sources.eurlex import EurlexSource
from ingest.sources.files import FilesSource
from ingest.types import RawField
from tests.app.chat.pages import page
from tests.shared import LAW, PAGES


@cache
def sample_pages() -> tuple[IndexedPage, ...]:
    """The pages of the sample site."""
    return tuple(_pages_of(FilesSource("demo", str(site()))))


@cache
def cms_pages() -> tuple[IndexedPage, ...]:
    """Pages of a CMS (``shared/cms``)."""
    raw = [json.loads(line) for line in PAGES.read_text("utf-8").splitlines()]
    contents = [_markdown(RawField(text=each["html"], media_type="text/html")) for each in raw]
    return tuple(
        page(each["id"], title=each["title"], content=content)
        for each, content in zip(raw, contents, strict=True)
    )


@cache
def law_pages() -> tuple[IndexedPage, ...]:
    """The units of acts of EU law in their newest layouts (``shared/eurlex``)."""
    files = sorted(LAW.glob("32024R1689*_en.*html"))
    return tuple(unit for path in files for unit in _pages_of(EurlexSource(name="law", path=str(path))))


def _pages_of(source: Source) -> Iterator[IndexedPage]:
    for document in source.documents():
        for raw in source.pages(document) or ():
            fields = {name: _markdown(field) for name, field in raw.fields.items()}
            made = page(raw.ref.id, language=raw.ref.language, **fields)
            yield made if "content" in made.fields else page(raw.ref.id, content="-")


def _markdown(field: RawField) -> str:
    converter = next(each for each in _converters() if each.accepts(field))
    return converter.convert(field, "https://www.town.example/")


@cache
def _converters() -> tuple[Converter, ...]:
    return tuple(catalogue.load().values())
