"""A small real language model writes contexts for the sample site: they arrive, what is none is rejected."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.background.importer import Importer
from app.demo import site
from app.features.contexts.chunks import FIELD
from app.features.contexts.services import ContextServices
from app.services import Services
from app.settings.settings import load_settings
from ingest.sources.files import FilesSource
from ingest.types import FieldName, Save
from tests.fakes.world import raw_page
from tests.services import MissingServiceError, outcome
from tests.services.language_model import language_model

pytestmark = pytest.mark.model

PAGES: Final = 10
CHARACTERS: Final = 450
"""Of a page: one chunk, so that all pages are done in a minute on two idle cores."""

LONGER: Final = 3
"""So many pages have twice as much, so that the model's server reads a document a second time."""

SECONDS: Final = 150
LEAST_CONTEXTS: Final = 4
"""Also where other programs keep the processor busy."""

SOURCE: Final = "short"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """An installation whose contexts the real model writes."""
    try:
        with language_model() as base_url:
            contexts = {
                "base_url": base_url,
                "model": "smollm2",
                "document_tokens": 1_000,
                "answer_tokens": 60,
                "parallel": 1,
            }
            settings = load_settings(
                data=tmp_path, embedder="hashing", preset="contextual", contexts=contexts
            )
            with Services(settings) as made:
                yield made
    except MissingServiceError as missing:
        raise outcome(missing) from None


def save_short_pages(services: Services) -> None:
    """Index the beginnings of the sample site's pages."""
    importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
    importer.run(FilesSource("demo", str(site())))
    versions = services.store.read(services.store.refs("demo"))
    whole = [
        services.indexing.prepare(each.page, each.sequence).page for each in versions if each.page is not None
    ]
    services.feature(ContextServices).store.note([], [page.ref for page in whole])
    for number, page in enumerate(whole[:PAGES]):
        characters = CHARACTERS * 2 if number < LONGER else CHARACTERS
        fields: dict[FieldName, str] = {
            "title": page.fields.get("title", page.ref.id),
            "content": page.fields[FIELD][:characters],
        }
        raw = raw_page(page.ref.id, fields, source=SOURCE, language=page.ref.language)
        services.store.accept([Save(page=raw)])
    while services.indexing.indexer.sync_pages():
        pass


def test_a_small_model_writes_contexts_for_ten_pages(services: Services) -> None:
    save_short_pages(services)
    writer, started = services.feature(ContextServices).writer, time.monotonic()
    assert writer is not None
    while writer.run_once(lambda: time.monotonic() - started > SECONDS) is not None:
        services.indexing.indexer.sync_pages()
        if time.monotonic() - started > SECONDS:
            break
    [counts] = services.feature(ContextServices).store.counts()
    reasons = dict(services.feature(ContextServices).store.reasons().get(SOURCE, {}))
    report = services.feature(ContextServices).report()
    assert report is not None
    print(  # noqa: T201 - what the run is for
        f"{counts.written} of {counts.chunks} contexts of {counts.pages} pages in "
        f"{time.monotonic() - started:.0f} s; failed: {reasons}; tokens: {report.tokens.document()}"
    )
    assert counts.pages == PAGES
    assert counts.written >= LEAST_CONTEXTS
    assert report.tokens.prompt > 100 * counts.written
