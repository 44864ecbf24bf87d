"""Questions and drafts for a source that an editor may not see."""

from typing import Final

from app.services import Services
from tests.app.features.foreign import ForeignEntries

QUESTION: Final = "How much is the dog tax?"


def add(_services: Services) -> ForeignEntries:
    """Nothing is kept of questions that are tried, and of drafts."""
    return ForeignEntries(
        values={},
        bodies={
            "console_draft.ask": {"text": "The dog tax.", "place": "town|town"},
            "draft.draft": {"source": "town", "site": "town", "text": "The dog tax."},
            "trace.trace": {"question": QUESTION, "site": "town"},
        },
        queries={
            "try_it.page": (
                {"q": QUESTION, "site": "town"},
                {"q": QUESTION, "page": "https://town.example/pool"},
                {"q": QUESTION, "site": "council", "page": "town/pool"},
            ),
        },
    )
