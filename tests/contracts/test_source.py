"""What every source does, whatever it reads from."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest import registry
from ingest.errors import PageError
from ingest.protocols import Source
from ingest.sources.cms import CmsSource
from ingest.sources.eurlex import EurlexSource
from ingest.sources.files import FilesSource
from ingest.types import RawPage
from tests.fakes.cms import FakeCms, Reply
from tests.fakes.eurlex import FakeEurlex, oj_text, shell
from tests.ingest.fetching.conftest import fetcher


@contextmanager
def folder_source(folder: Path) -> Iterator[Callable[[], Source]]:
    """Two good files and one that cannot be read as text."""
    (folder / "a.html").write_text("<title>A</title><p>one", "utf-8")
    (folder / "b.md").write_text("# B\n\ntwo", "utf-8")
    (folder / "c.pdf").write_bytes(b"%PDF-1.7")
    yield lambda: FilesSource("contract", str(folder))


@contextmanager
def jsonl_source(folder: Path) -> Iterator[Callable[[], Source]]:
    """Two good lines and one that is not JSON."""
    path = folder / "pages.jsonl"
    lines = [json.dumps({"id": "a", "html": "<p>one"}), "{", json.dumps({"id": "b", "text": "two"})]
    path.write_text("\n".join(lines), "utf-8")
    yield lambda: FilesSource("contract", str(path))


@contextmanager
def cms_source(_folder: Path) -> Iterator[Callable[[], Source]]:
    """Two good pages and one that is no record."""
    with FakeCms() as cms:
        cms.save("a/1", "eins")
        cms.save("b", "zwei")
        cms.save("c", "drei")
        cms.wrong["/pages/c"] = Reply(body=b"[]")
        yield lambda: CmsSource(name="contract", fetcher=fetcher(), **cms.options())


@contextmanager
def eurlex_folder_source(folder: Path) -> Iterator[Callable[[], Source]]:
    """Two acts, each of the one page of an act without articles, and one that is not there as HTML."""
    for number in (1, 2):
        (folder / f"32024R000{number}_2024-06-13_en.html").write_text(oj_text(number), "utf-8")
    (folder / "32024R0003_2024-06-13_en.html").write_bytes(shell("The HTML format is unavailable"))
    yield lambda: EurlexSource(name="contract", path=str(folder))


@contextmanager
def eurlex_source(_folder: Path) -> Iterator[Callable[[], Source]]:
    """The same, fetched."""
    with FakeEurlex() as eurlex:
        for number in (1, 2):
            eurlex.texts[f"32024R000{number}", "eng"] = oj_text(number)
        options = eurlex.options(acts="32024R0001,32024R0002,32024R0003", text="oj")
        yield lambda: EurlexSource(name="contract", fetcher=fetcher(), **options)


MAKERS = [folder_source, jsonl_source, cms_source, eurlex_folder_source, eurlex_source]


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.__name__)
def make_source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Source]]:
    """Makes the same source anew."""
    with request.param(tmp_path) as make:
        yield make


@pytest.fixture
def source(make_source: Callable[[], Source]) -> Source:
    return make_source()


def test_every_registered_source_has_a_maker_here() -> None:
    """A website has no documents to name before it is crawled: tests/ingest/test_website.py."""
    assert registry.names("sources") == ["cms", "eurlex", "files", "website"]


def test_documents_are_named_once_in_a_stable_order_broken_ones_too(source: Source) -> None:
    names = list(source.documents())
    assert len(names) == len(set(names)) == 3
    assert list(source.documents()) == names


def test_a_document_has_pages_or_fails_alone(source: Source) -> None:
    pages: list[RawPage] = []
    failed: list[PageError] = []
    for document in source.documents():
        try:
            pages += source.pages(document) or ()
        except PageError as error:
            failed.append(error)
            assert str(error)
            assert "\n" not in str(error)
    assert len(pages) == 2
    assert len(failed) == 1


def test_pages_carry_the_sources_and_the_documents_name(source: Source) -> None:
    for document in source.documents():
        try:
            pages = source.pages(document) or ()
        except PageError:
            continue
        assert {(page.ref.source, page.document) for page in pages} == {(source.name, document)}
        assert len({page.ref for page in pages}) == len(pages)


def test_pages_can_be_asked_for_without_listing_first(make_source: Callable[[], Source]) -> None:
    source = make_source()
    listed = next(iter(source.documents()))
    assert make_source().pages(listed) == source.pages(listed)


def test_reading_a_document_again_gives_the_same_or_fails_again(source: Source) -> None:
    for document in source.documents():
        try:
            assert source.pages(document) == source.pages(document)
        except PageError as error:
            with pytest.raises(PageError) as again:
                source.pages(document)
            assert str(again.value) == str(error)


def test_a_document_that_is_not_there_is_gone(source: Source) -> None:
    assert source.pages("never/was/there.html") is None
