"""Steps of an answer that reply without using pages: with editors' texts, our own sentences, notes on absent
acts.

Steps before the search see only the question. Steps after it see the pages found, but do not use them: it is
unclear which act is meant, or no page comes near the question.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from app.chat.answer_steps import AnswerState, AskedQuestion, QuestionResult
from app.chat.decisions import Curated
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.excerpt_answer import done_event, no_pages_answer, sources_event
from app.chat.records import AnswerRefused
from app.chat.source_items import short_title, source_item
from app.chat.text.catalogue import contact_sentence, describe_absent, intent_reply, texts
from app.chat.text.chitchat import greeting, greeting_language, is_gibberish, is_other_request, says_nothing
from app.law.units import celex_of
from app.search.languages import language_by_words
from app.search.recorder import record
from app.search.retrieval import Retrieval

Refusal = Literal["far", "gibberish"]
"""Reasons not to use the pages found: none comes near the question, or none has any of its words."""


PERSONAL: Final = frozenset({"person", "complaint"})
"""The wishes that need a person."""


def reply(
    query: AskedQuestion, text: str, status: Status, language: str, *, wants_person: bool = False
) -> Iterator[Event]:
    """Yield the events of a reply in ``language`` without search or model."""
    yield StartEvent()
    yield SourcesEvent(question=query.question, language=language)
    yield DeltaEvent(text=text)
    yield DoneEvent(answer=text, status=status, language=language, wants_person=wants_person)


class Decide:
    """Looks up what editors decided about the question, and replies with their text, if there is one."""

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
    """Returns a greeting, thanks or a goodbye."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if kind := greeting(query.question, is_follow_up=bool(query.history)):
            language = query.language or greeting_language(query.question) or query.options.language
            yield from reply(query, texts(language).greetings[kind], "greeting", language)


class ReplyToWish:
    """Replies to a wish that no page answers, with the contact."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        wish = state.search.wish(
            query.question, query.question_language, query.sources, is_follow_up=bool(query.history)
        )
        if wish:
            guesses = (query.options.language, wish.language)
            language = query.question_language or language_by_words(query.question, guesses)
            text = intent_reply(wish.intent, language, query.options.contact)
            wants_person = wish.intent in PERSONAL
            yield from reply(query, text, "greeting", language, wants_person=wants_person)


class Decline:
    """Declines input that is not a question for a website: a poem, code, nothing at all."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if is_other_request(query.question) or (not query.history and says_nothing(query.question)):
            language = query.question_language or query.options.language
            yield from reply(query, texts(language).other_request, "out_of_scope", language)


class NameAbsentActs:
    """Begins the answer with a note on acts that the question is about but that are not searched."""

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
    """Return True if several acts have the text that is asked for."""
    return retrieval.mode == "lookup" and bool(retrieval.other_readings)


def which_act_answer(result: QuestionResult) -> Iterator[Event]:
    """Yield the events that ask which of the texts found is meant, with a source for each."""
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
    """Says that no page answers, if the pages found are too far from the question."""

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        result = state.result
        if reason := refusal(state):
            record(AnswerRefused, reason=reason)
            nothing = replace(result, retrieval=replace(result.retrieval, hits=()))
            yield from no_pages_answer(nothing)


def refusal(state: AnswerState) -> Refusal | None:
    """Return why the pages found are not used, or None if they are."""
    if _is_far(state):
        return "far"
    return "gibberish" if _is_gibberish(state.query, state.result.retrieval) else None


def _is_far(state: AnswerState) -> bool:
    """Return True if the pages found are far from the question, by their score, and no model will judge them.
    Not for law, because the thresholds are calibrated on websites."""
    query, retrieval = state.query, state.result.retrieval
    if query.model is not None or retrieval.certainty != "far":
        return False
    first = next(iter(retrieval.hits), None)
    return first is None or not (state.has_law and celex_of(first.page))


def _is_gibberish(query: AskedQuestion, retrieval: Retrieval) -> bool:
    """Return True if no page has any word of the question, and most of its words do not look like words."""
    is_unknown = not any(hit.coverage for hit in retrieval.hits)
    return is_unknown and is_gibberish(query.question)
