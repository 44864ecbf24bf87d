"""The steps of an answer about acts: those that are not there, and of which one "What does Article 27 say?"
asks where several have one."""

from collections.abc import Iterator
from dataclasses import replace

from app.chat.answer_steps import AnswerState, QuestionResult
from app.chat.context import short_title, source_item
from app.chat.events import DeltaEvent, Event
from app.chat.excerpt_answer import done_event, sources_event
from app.chat.labels import describe_absent
from app.chat.text.catalogue import texts
from app.search.types import Retrieval


class NameAbsentActs:
    """Begins the answer with the acts that the question is about and that are not there."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        state.opening = describe_absent(state.result.retrieval.absent, state.result.language)
        return ()


class AskWhichAct:
    """Asks back which act is meant."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        if is_unclear(state.result.retrieval):
            yield from which_act_answer(state.result)


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
