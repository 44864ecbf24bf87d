"""A message that a visitor of the town handed over."""

from datetime import timedelta

from app.features.handover.services import HandoverServices
from app.pages.database import utc_now
from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Add it; all addresses name it by its number, and are for admins."""
    queue = services.feature(HandoverServices).queue
    added = queue.add("town", "form-of-otto", utc_now() + timedelta(days=30), lambda _number: "")
    name = "console_handover"
    return ForeignEntries(values={name: {"number": added.number}}, for_admins=frozenset({name}))
