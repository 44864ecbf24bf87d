"""Steps of an answer that reply without search or model: what editors wrote, and sentences of ours."""

from collections.abc import Iterator

from app.chat.answer_steps import AnswerState, Query
from app.chat.decisions import Curated
from app.chat.events import DeltaEvent, DoneEvent, Event, SourcesEvent, StartEvent, Status
from app.chat.options import ChatOptions
from app.chat.text.greetings import greeting, greeting_language
from app.chat.text.phrases import contact_sentence, greeting_reply, intent_reply, other_request_reply
from app.chat.text.requests import is_other_request, says_nothing


def reply(query: Query, text: str, status: Status, language: str) -> Iterator[Event]:
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


class Decide:
    """Asks what editors decided about the question, and replies with their text, if there is one."""

    def __init__(self, options: ChatOptions) -> None:
        self._options = options

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        state.decision = state.search.decide(query.question, query.question_language)
        fixed = state.decision.reply
        if fixed is None:
            return
        state.curated = Curated(kind=fixed.kind, entries=(fixed.number,))
        language = query.question_language or self._options.language
        text = fixed.text
        if fixed.contact:
            text = f"{text}\n\n{contact_sentence(language, fixed.contact)}"
        yield from reply(query, text, "answered" if fixed.kind == "answer" else "out_of_scope", language)


class Greet:
    """Returns a greeting, or thanks."""

    def __init__(self, options: ChatOptions) -> None:
        self._options = options

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if kind := greeting(query.question):
            language = query.language or greeting_language(query.question) or self._options.language
            yield from reply(query, greeting_reply(kind, language), "greeting", language)


class ReplyToWish:
    """Replies to a wish that no page answers, with the contact where a person is needed."""

    def __init__(self, options: ChatOptions) -> None:
        self._options = options

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        wish = state.search.wish(
            query.question, query.question_language, query.sources, is_follow_up=bool(query.history)
        )
        if wish:
            language = query.question_language or wish.language
            text = intent_reply(wish.intent, language, self._options.contact)
            yield from reply(query, text, "greeting", language)


class Decline:
    """Declines what is no question for a website: a poem, code, nothing at all."""

    def __init__(self, options: ChatOptions) -> None:
        self._options = options

    def __call__(self, state: AnswerState) -> Iterator[Event]:
        query = state.query
        if is_other_request(query.question) or (not query.history and says_nothing(query.question)):
            language = query.question_language or self._options.language
            yield from reply(query, other_request_reply(language), "out_of_scope", language)
