"""Replies without search or model, and the label of what editors did, as events of an answer."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from app.chat.decisions import Curated, FixedReply
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.options import ChatOptions
from app.chat.question_search import Query
from app.chat.text.phrases import contact_sentence, intent_reply
from app.search.intents import Wish


class WishOf(Protocol):
    """Tells the wish that a question in a language to some sources is (``LawRetriever.wish``)."""

    def __call__(
        self, question: str, language: str | None, sources: frozenset[str], /, *, is_follow_up: bool
    ) -> Wish | None:
        """``is_follow_up``: it was asked in a conversation."""


def no_wish(
    _question: str, _language: str | None, _sources: frozenset[str], /, *, is_follow_up: bool
) -> None:
    """Take every question for one."""
    del is_follow_up


def reply(query: Query, text: str, status: Status, language: str) -> Generator[Event, None, None]:
    """Reply with a sentence in ``language``, without search or model."""
    yield StartEvent()
    yield SourcesEvent(question=query.question, mode=None, degraded=(), sources=(), language=language)
    yield DeltaEvent(text=text)
    yield DoneEvent(
        answer=text,
        status=status,
        mode=None,
        degraded=(),
        model=None,
        sources=(),
        citations=(),
        language=language,
    )


def wish_reply(query: Query, wish: Wish, options: ChatOptions) -> Generator[Event, None, None]:
    """Reply to a wish that no page answers, with the contact where a person is needed."""
    language = query.question_language or wish.language
    yield from reply(query, intent_reply(wish.intent, language, options.contact), "greeting", language)


def editors_reply(query: Query, fixed: FixedReply, language: str) -> Generator[Event, None, None]:
    """Reply with what editors wrote, without search or model."""
    text = fixed.text
    if fixed.contact:
        text = f"{text}\n\n{contact_sentence(language, fixed.contact)}"
    events = reply(query, text, "answered" if fixed.kind == "answer" else "out_of_scope", language)
    yield from labelled(events, Curated(kind=fixed.kind, entries=(fixed.number,)))


def introduced(events: Generator[Event, None, None], note: str) -> Generator[Event, None, None]:
    """The events of an answer that begins with a note of ours, if there is one."""
    opening = note
    with closing(events):
        for event in events:
            match event:
                case DeltaEvent():
                    yield replace(event, text="\n\n".join(filter(None, (opening, event.text))))
                    opening = ""
                case DoneEvent() if note:
                    yield replace(event, answer="\n\n".join(filter(None, (note, event.answer))))
                case _:
                    yield event


def labelled(events: Generator[Event, None, None], curated: Curated | None) -> Generator[Event, None, None]:
    """The events, those of sources and of the end with what editors did."""
    with closing(events):
        for event in events:
            yield replace(event, curated=curated) if isinstance(event, SourcesEvent | DoneEvent) else event
