"""The law that people annotate, in an installation."""

from app.services import Services
from ingest.types import RawPage
from tests.app.law.ferries import SOURCE


def import_law(services: Services, pages: list[RawPage]) -> None:
    """Index these pages as all that the source has."""
    services.store.accept_documents(SOURCE, pages)
    index_all(services)


def index_all(services: Services) -> None:
    """Index whatever waits."""
    while services.store.pending():
        services.indexing.indexer.sync_pages()
