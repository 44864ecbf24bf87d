"""A message to a person as JSON: what is stored, what a webhook gets, what an e-mail says."""

from datetime import date
from typing import Self

from app.document import Document, Moment, Sometimes
from app.features.handover.queue import Handover


class PageDocument(Document):
    """A page that the visitor was shown."""

    title: str
    url: str


class ExchangeDocument(Document):
    """A question and its answer in plain text, as they are stored. ``unanswered``: True for the one that a
    person is to answer."""

    question: str
    answer: str
    asked_at: Moment
    unanswered: bool
    pages: list[PageDocument]


class HandoverDocument(Document):
    """A message. ``language``: in which the visitor read the page. ``contact``: how to reach them.
    ``delete_on``: the day until which it has to be deleted."""

    number: str
    site: str
    language: str
    made_at: Moment
    delete_on: date
    contact: str
    name: str
    message: str
    conversation: list[ExchangeDocument]


class HandoverStateDocument(Document):
    """A message as the command line lists it, without what it says."""

    number: str
    site: str
    state: str
    made_at: Moment
    delete_at: Moment
    sent_at: Sometimes[Moment] = None
    attempts: int
    problem: str

    @classmethod
    def of(cls, handover: Handover) -> Self:
        """Describe a message."""
        return cls.from_objects(handover)
