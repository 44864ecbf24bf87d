"""View models of the chat page: turns of a conversation and their sources."""

from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from typing import Any

import structlog
from markupsafe import Markup

from app.chat.exchange import Exchange
from app.chat.labels import describe, describe_time, ended_sentence
from app.errors import AuskunftError
from app.search.types import TimeFilter
from app.web.links import web_link
from app.web.texts import TEXTS

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of an answer. ``anchor``: its id on our page. ``number``: ``None`` for a page outside the
    prompt. ``href``: empty for a URL that browsers should not open. ``facts``: path, similarity, end of
    validity."""

    anchor: str
    number: int | None
    href: str
    title: str
    snippet: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question with its answer. ``html``: sanitised; empty if it was streamed. ``origin``: names the
    author, the model or the service. ``notes``: sentences about limits and dates. ``sources``: those in the
    prompt; ``other_pages``: the others. ``probable``: for an answer without citations, the numbers of the
    sources that probably support it."""

    id: str
    number: int
    question: str
    status: str
    html: Markup
    origin: str
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    other_pages: tuple[Source, ...]
    probable: tuple[int, ...]


def anchor_of(number: int) -> str:
    """The beginning of the ids of a turn's sources."""
    return f"answer-{number}-source-"


def make_turn(document: Mapping[str, Any], number: int, language: str) -> Turn:
    """The conversation's turn with this number, from :func:`app.chat.documents.stored_document`."""
    sources = tuple(_source(source, number, language) for source in document["sources"])
    notes = [_time_note(document.get("time", {}), language)]
    notes += [describe(label, language) for label in document.get("degraded", ())]
    return Turn(
        id=document["id"],
        number=number,
        question=document["question"],
        status=document["status"],
        html=Markup(document["html"]),
        origin=TEXTS[language].get(f"origin_{document['status']}", ""),
        notes=tuple(note for note in notes if note),
        sources=tuple(source for source in sources if source.number is not None),
        other_pages=tuple(source for source in sources if source.number is None),
        probable=tuple(document.get("probable", ())),
    )


class StreamedTurn:
    """A turn whose answer is still being written: templates read its ``blocks``, then the ``finished``
    turn."""

    def __init__(self, exchange: Exchange, number: int, language: str) -> None:
        self.number = number
        self.question = exchange.question
        self._exchange = exchange
        self._language = language

    def blocks(self) -> Generator[Markup, None, None]:
        """The answer's HTML, block by block. An error ends it and is logged."""
        try:
            with closing(self._exchange.rendered_events(anchor_of(self.number))) as rendered_events:
                for _, blocks in rendered_events:
                    yield from map(Markup, blocks)
        except AuskunftError as error:
            log.error("answer_failed", code=error.code, message=str(error))

    def finished(self) -> Turn:
        """The turn without its text, which was streamed. Only valid after the last block."""
        known = {"id": self._exchange.pending.answer, "html": ""}
        return make_turn({**self._exchange.document, **known}, self.number, self._language)


def _source(source: Mapping[str, Any], number: int, language: str) -> Source:
    similarity, ended = source["similarity"], source.get("ended")
    percent = "" if similarity is None else f"{100 * similarity:.0f}"
    facts = (
        source.get("path", ""),
        percent and TEXTS[language]["similarity"].format(percent=percent),
        ended and ended_sentence(language).format(day=ended),
    )
    return Source(
        anchor=f"{anchor_of(number)}{source['number']}",
        number=source["number"],
        href=web_link(source.get("href") or source["url"]),
        title=source["title"] or source.get("path") or source["url"],
        snippet=source.get("snippet", ""),
        facts=tuple(fact for fact in facts if fact),
    )


def _time_note(days: Mapping[str, str], language: str) -> str:
    named = {name.replace("in_force_on", "at"): date.fromisoformat(day) for name, day in days.items()}
    return describe_time(TimeFilter(**named), language)
