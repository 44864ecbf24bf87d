"""A contradiction between two pages of the town."""

from app.features.contradictions.services import ContradictionServices
from app.features.contradictions.store import FoundContradiction, Passage
from app.services import Services
from ingest.types import PageRef
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Add it; both addresses name it by its number."""
    store = services.feature(ContradictionServices).store
    one = next(page for page in store.due(100) if page.ref.id == "dog-tax")
    other = PageRef(source="town", id="pool", language="en")
    sides = [Passage(ref=ref, text=f"Otto pays {fee} euros.") for ref, fee in ((one.ref, 96), (other, 105))]
    store.replace(one, [FoundContradiction(one=sides[0], other=sides[1], kind="money")])
    [found] = store.entries()
    values = {"number": found.number, "action": "dismiss"}
    return ForeignEntries(values={"console_contradictions": values, "contradictions": values})
