"""The sample site, indexed with the bundled embedder, and the questions of its pool."""

from pathlib import Path

from app.background.importer import Importer
from app.demo import question_pool, site
from app.evaluation.pool import PoolQuestion, load_pool
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.sources.files import FilesSource

SOURCE = "demo"


def indexed(folder: Path) -> Settings:
    """The settings of an installation in ``folder`` that has indexed the sample site as source ``demo``."""
    settings = load_settings(data=folder)
    with Services(settings) as services:
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource(SOURCE, str(site()))).failures == {}
    return settings


def pool() -> dict[str, PoolQuestion]:
    """The questions by their ids."""
    return {question.id: question for question in load_pool(question_pool())}
