"""The JSON documents of a website's chat: its texts, and the events of an answer."""

from datetime import date
from typing import Self

from app.chat.documents import (
    CuratedDocument,
    EnergyDocument,
    SourceDocument,
    SourcesJson,
    TimeDocument,
    day_of_law,
    more_html,
)
from app.chat.events import AnswerCertainty, DoneEvent, SourcesEvent, Status
from app.chat.exchange import Exchange
from app.chat.offers import OfferDocument
from app.document import Document, Sometimes, Stored
from app.presets import ListedSources
from app.search.retrieval import Degradation, RetrievalMode


class ChosenIndexDocument(Document):
    """An index that visitors may choose."""

    name: str
    label: str
    listed_sources: ListedSources


class ChatSiteDocument(Document):
    """A website as its chat shows it. ``listed_sources``: the setting of the first index."""

    key: str
    name: str
    language: str
    contact: str
    privacy_url: str
    examples: list[str]
    question_characters: int
    indexes: list[ChosenIndexDocument]
    listed_sources: ListedSources
    ai: bool
    law: bool
    offers: list[OfferDocument]


class SourcesEventDocument(Document):
    """The event ``sources``. ``other_readings``: as in ``done``, to be shown above the answer."""

    sources: Stored[list[SourceDocument]]
    mode: RetrievalMode | None
    degraded: list[Degradation]
    time: Sometimes[TimeDocument] = None
    as_of: Sometimes[date] = None
    curated: Sometimes[CuratedDocument] = None
    other_readings: list[str]

    @classmethod
    def of(cls, sources: SourcesJson, event: SourcesEvent) -> Self:
        """Describe the sources found."""
        return cls.from_objects(
            event,
            sources=sources,
            time=TimeDocument.of(event.time),
            as_of=day_of_law(event),
            other_readings=event.retrieval.other_readings if event.retrieval else [],
        )


class DoneEventDocument(Document):
    """The event ``done``."""

    status: Status
    certainty: AnswerCertainty
    unhelped: bool
    mode: RetrievalMode | None
    degraded: list[Degradation]
    model: str | None
    citations: list[int]
    probable: list[int]
    unsupported: list[str]
    suggestions: list[str]
    other_readings: list[str]
    energy: Sometimes[EnergyDocument] = None
    curated: Sometimes[CuratedDocument] = None
    more: Sometimes[list[str]] = None
    more_html: Sometimes[str] = None

    @classmethod
    def of(cls, exchange: Exchange, done: DoneEvent) -> Self:
        """Describe an answer that is complete."""
        return cls.from_objects(
            done,
            unhelped=done.may_need_person,
            suggestions=exchange.document["suggestions"],
            other_readings=exchange.document["other_readings"],
            energy=EnergyDocument.of(done.energy) if done.energy else None,
            more=done.more or None,
            more_html=more_html(done.more, exchange.sources),
        )
