"""Pages with fields that searches are narrowed by, and what declares these."""

from dataclasses import replace
from typing import Any, Final

from app.services import Services
from tests.app.site import raw_page

FIELDS: Final[dict[str, Any]] = {
    "office": {"type": "keyword", "label": {"de": "Amt", "en": "Office"}},
    "year": "number",
    "day": "date",
}
FIELD_PAGES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("register", {"office": "Registry", "year": "2024", "day": "2024-03-01"}),
    ("building", {"office": "Building; Registry", "year": "2025"}),
    ("permit", {"office": "Building", "year": "unknown", "day": "2026-01-31"}),
    ("plain", {}),
)


def index_field_pages(services: Services) -> None:
    """Index a form of each page."""
    for name, metadata in FIELD_PAGES:
        save = raw_page(name, f"{name.title()} form", f"The {name} form is due in May.")
        services.store.accept([replace(save, page=replace(save.page, metadata=metadata))])
    while services.store.pending():
        services.indexing.indexer.sync_pages()
