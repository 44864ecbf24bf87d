"""The answer to "What does Article 27 say?" where several acts have one: which it may be of, to choose."""

from collections.abc import Iterator
from dataclasses import replace

from app.chat.context import short_title, source_item
from app.chat.events import DeltaEvent, Event
from app.chat.excerpt_answer import done_event, sources_event
from app.chat.question_search import QuestionResult
from app.chat.text.catalogue import texts
from app.search.types import Retrieval


def is_unclear(retrieval: Retrieval) -> bool:
    """True if the text that is asked for is there in several acts."""
    return retrieval.mode == "lookup" and bool(retrieval.other_readings)


def which_act_answer(result: QuestionResult) -> Iterator[Event]:
    """Ask back which of the texts found is meant, with a source for each."""
    hits = result.retrieval.hits
    sources = tuple(
        source_item(hit, number, short_title(hit.page)) for number, hit in enumerate(hits, start=1)
    )
    lines = [f"- {source.text} [{source.number}]" for source in sources]
    text = "\n".join([texts(result.language).which_act, "", *lines])
    yield sources_event(result, sources)
    yield DeltaEvent(text=text)
    done = done_event(result, text, "extractive", sources)
    yield replace(done, citations=tuple(range(1, len(sources) + 1)))
