"""A draft for a source that an editor may not see."""

from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(_services: Services) -> ForeignEntries:
    """Nothing is kept of drafts."""
    return ForeignEntries(
        values={},
        bodies={
            "console_draft.ask": {"text": "The dog tax.", "place": "town|town"},
            "draft.draft": {"source": "town", "site": "town", "text": "The dog tax."},
        },
    )
