"""The pool of the sample site says where its answers stand."""

import pytest

from app import demo
from app.demo.source import sample_pages
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.spans import PageSpan
from app.features.evaluation.words import Words, markdown_words, words
from ingest.converters.catalogue import load
from ingest.types import RawPage


def site_pages() -> list[RawPage]:
    source = sample_pages("demo")
    return [page for document in source.documents() for page in source.pages(document) or ()]


def visible_words(page: RawPage) -> list[Words]:
    """The words of the content, and those of the description."""
    converters = load().values()
    fields = [page.fields[name] for name in ("content", "description") if name in page.fields]
    return [
        markdown_words(next(each for each in converters if each.accepts(field)).convert(field, page.url))
        for field in fields
    ]


def test_the_gold_spans_stand_on_the_gold_pages(subtests: pytest.Subtests) -> None:
    pages = {page.ref.id: visible_words(page) for page in site_pages()}
    for question in load_pool(demo.question_pool()):
        with subtests.test(question.id):
            assert {span.page for span in question.spans} <= set(question.gold)
            for span in question.spans:
                assert isinstance(span, PageSpan)
                assert any(text.holds(words(span.text)) for text in pages[span.page]), span.text
            for page, parts in question.must_by_page.items():
                assert page in question.gold
                assert all(pages[page][0].holds(words(part)) for part in parts), parts
            if question.must:
                assert any(question.is_in(pages[str(page)][0]) for page in question.gold)
