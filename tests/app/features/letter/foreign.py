"""The letter's addresses name no source: everybody reads of what they see."""

from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(_services: Services) -> ForeignEntries:
    """Add nothing."""
    return ForeignEntries(values={"console_letter": {}})
