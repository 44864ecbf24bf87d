"""Translations in an installation: learned at night, used by searches."""

from pathlib import Path

from app.features.translations.services import TranslationServices
from app.features.translations.term_learner import LEAST_PAGES
from app.indexing.stopping import never
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.fakes.world import raw_page

WORDS = (("Friedhof", "cemetery"), ("Bibliothek", "library"), ("Rathaus", "townhall"))


def test_words_are_learned_at_night_for_the_searches(tmp_path: Path) -> None:
    pages = [
        raw_page(f"page-{number}", {"title": words[side], "content": words[side]}, language=language)
        for number, words in enumerate(WORDS * LEAST_PAGES)
        for side, language in enumerate(("de", "en"))
    ]
    with Services(load_settings(data=tmp_path, embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in pages])
        while services.indexing.indexer.sync_pages():
            pass
        table = services.feature(TranslationServices).terms
        assert table.translations(["cemeteri"], "en") == {}
        services.background.reconcile(lambda: never)
        learned = {"de": {"cemeteri": ["friedhof"]}}
        assert services.terms.translations(["cemeteri"], "en") == learned
        assert table.translations(["cemeteri"], "en") == learned
