"""A message to a person as JSON, as it is stored, posted to a webhook and put into an e-mail."""

from datetime import date
from typing import Self

from app.document import Document, Moment, Sometimes
from app.features.handover.queue import Handover


class PageDocument(Document):
    """A page that was shown to the visitor."""

    title: str
    url: str


class ExchangeDocument(Document):
    """A stored question and its answer in plain text. ``unanswered``: True for the one that a person should
    answer."""

    question: str
    answer: str
    asked_at: Moment
    unanswered: bool
    pages: list[PageDocument]


class HandoverDocument(Document):
    """A message. ``language``: of the visitor's page. ``contact``: how to reach the visitor. ``delete_on``:
    the day by which it has to be deleted."""

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
    """A message as the command line lists it, without its content."""

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
