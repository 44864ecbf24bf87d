"""A page of the town whose facts are told."""

from app.features.facts.services import FactServices
from app.services import Services
from ingest.types import PageRef
from tests.app.features.foreign import ForeignEntries

DOG_TAX = PageRef(source="town", id="dog-tax", language="en")


def add(services: Services) -> ForeignEntries:
    """Have them not told; all addresses name the page."""
    services.feature(FactServices).silent.change(DOG_TAX, "otto", silent=True)
    page = {"source": "town", "language": "en", "page_id": "dog-tax", "action": "tell"}
    return ForeignEntries(values={"facts": page, "console_facts": page})
