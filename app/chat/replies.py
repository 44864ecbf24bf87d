"""Steps of an answer that need no page read: replies of editors and of ours, and notes on absent acts.

Those before the search see the question alone; those after it see what was found, and that it is not to be
read: nobody knows yet which act is meant, or nothing comes near the question.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from app.chat.answer_steps import AnswerState, Query, QuestionResult
from app.chat.context import short_title, source_item
from app.chat.decisions import Curated
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.excerpt_answer import done_event, no_pages_answer, sources_event
from app.chat.records import AnswerRefused
from app.chat.text.catalogue import contact_sentence, describe_absent, intent_reply, texts
from app.chat.text.chitchat import greeting, greeting_language, is_gibberish, is_other_request, says_nothing
from app.law.units import celex_of
from app.search.recorder import record
from app.search.types import Retrieval

Refusal = Literal["far", "gibberish"]
"""Why pages that were found are not read: none comes near the question, or none has any of its words."""


PERSONAL: Final = frozenset({"person", "complaint"})
"""The wishes that a person has to hear of."""


def reply(
    query: Query, text: str, status: Status, language: str, *, wants_person: bool = False
) -> Iterator[Event]:
    """Reply with a sentence in ``language``, without search or model."""
    yield StartEvent()
    yield SourcesEvent(question=query.question, language=language)
    yield DeltaEvent(text=text)
    yield DoneEvent(answer=text, status=status, language=language, wants_person=wants_person)


class Decide:
    """Asks what editors decided about the question, and replies with their text, if there is one."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        state.decision = state.search.decide(query.question, query.question_language)
        fixed = state.decision.reply
        if fixed is None:
            return
        state.curated = Curated(kind=fixed.kind, entries=(fixed.number,))
        language = query.question_language or query.options.language
        text = fixed.text
        if fixed.contact:
            text = f"{text}\n\n{contact_sentence(language, fixed.contact)}"
        yield from reply(query, text, "answered" if fixed.kind == "answer" else "out_of_scope", language)


class Greet:
    """Returns a greeting, or thanks."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if kind := greeting(query.question):
            language = query.language or greeting_language(query.question) or query.options.language
            yield from reply(query, texts(language).greetings[kind], "greeting", language)


class ReplyToWish:
    """Replies to a wish that no page answers, with the contact where a person is needed."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        wish = state.search.wish(
            query.question, query.question_language, query.sources, is_follow_up=bool(query.history)
        )
        if wish:
            language = query.question_language or wish.language
            text = intent_reply(wish.intent, language, query.options.contact)
            wants_person = wish.intent in PERSONAL
            yield from reply(query, text, "greeting", language, wants_person=wants_person)


class Decline:
    """Declines what is no question for a website: a poem, code, nothing at all."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if is_other_request(query.question) or (not query.history and says_nothing(query.question)):
            language = query.question_language or query.options.language
            yield from reply(query, texts(language).other_request, "out_of_scope", language)


class NameAbsentActs:
    """Begins the answer with the acts that the question is about and that are not there."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        if absent := state.result.retrieval.absent:
            state.opening = describe_absent(absent, state.result.language)
        return ()


class AskWhichAct:
    """Asks back which act is meant."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        if is_unclear(state.result.retrieval):
            state.asks_back = True
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


class Refuse:
    """Says that no page answers, where those found are not read."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        result = state.result
        if reason := refusal(state):
            record(AnswerRefused, reason=reason)
            nothing = replace(result, retrieval=replace(result.retrieval, hits=()))
            yield from no_pages_answer(nothing)


def refusal(state: AnswerState) -> Refusal | None:
    """Return why the pages found are not read; ``None`` if they are."""
    if _is_far(state):
        return "far"
    return "gibberish" if _is_gibberish(state.query, state.result.retrieval) else None


def _is_far(state: AnswerState) -> bool:
    """True if the pages found do not answer the question and nobody reads them who could tell. What is
    calibrated on websites says nothing of law."""
    query, retrieval = state.query, state.result.retrieval
    if query.model is not None or retrieval.certainty != "far":
        return False
    first = next(iter(retrieval.hits), None)
    return first is None or not (state.has_law and celex_of(first.page))


def _is_gibberish(query: Query, retrieval: Retrieval) -> bool:
    """True if no page has any word of the question, and none looks like one."""
    is_unknown = not any(hit.coverage for hit in retrieval.hits)
    return is_unknown and is_gibberish(query.question)
