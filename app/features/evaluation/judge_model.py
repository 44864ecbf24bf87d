"""Asks a language model for replies in JSON, and asks again if one cannot be used."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Annotated, Any, Final, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from app.chat.model.cancellation import Cancellation
from app.chat.model.client import ChatModel
from app.chat.model.reply_form import ReplyForm
from app.chat.model.tokens import Tokens, estimate
from app.chat.types import Message
from app.errors import AuskunftError, ModelError
from app.features.evaluation.validation import first_error
from app.settings.settings import Settings
from ingest.text import shortened, visible

SHOWN_CHARACTERS: Final = 1_000
WAIT_SECONDS: Final = 1.0

_BAD_REQUEST: Final = (400, 413, 422)
_AGAIN: Final = frozenset({"timeout", "interrupted", "garbage"})
"""Failures of a single reply: the next may succeed."""

_WORD: Final = re.compile(r"[^\W_]")
_AWAY: Final = frozenset({"unreachable", "rate_limited"})


class StructuredReply(BaseModel):
    """A reply in JSON with every field, in this order."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra={"additionalProperties": False})


def _non_empty(text: str) -> str:
    """Return the text if it has a word. Raises ``ValueError`` if it has none, as when a model repeats the
    form, ``"..."``."""
    if not _WORD.search(text):
        raise ValueError("it says nothing")
    return text


NonEmptyText = Annotated[str, AfterValidator(_non_empty)]
"""A text with at least one word."""

Reply = TypeVar("Reply", bound=StructuredReply)


class UngradedError(AuskunftError):
    """No reply could be used; ``reason`` says why in a few words."""

    code = "ungraded"

    def __init__(self, reason: str) -> None:
        super().__init__("ungraded: {reason}", reason=reason)
        self.reason = reason


class Ask(Protocol):
    """Asks for a reply of a form. Raises ``UngradedError`` and ``ModelError``."""

    def __call__(self, messages: Sequence[Message], reply: type[Reply]) -> Reply: ...


@dataclass(slots=True)
class Conversation:
    """Totals of the requests for one sheet: tokens, replies, and the names that the endpoint gave its
    model."""

    prompt: float = 0
    cached: float = 0
    output: float = 0
    replies: int = 0
    is_estimated: bool = False
    names: Counter[str] = field(default_factory=Counter)

    def add(self, messages: Sequence[Message], text: str, told: Sequence[Tokens]) -> None:
        """Count a reply."""
        self.replies += 1
        if told:
            self.prompt += told[-1].prompt
            self.cached += told[-1].cached
            self.output += told[-1].output
            return
        self.is_estimated = True
        self.prompt += sum(estimate(message.content) for message in messages)
        self.output += estimate(text)


class JudgeModel:
    """A model that grades. ``answer_tokens`` and ``seconds``: limits of one reply; ``retries``: after
    replies that cannot be used. Safe to use from several threads."""

    def __init__(self, model: ChatModel, *, answer_tokens: int, seconds: float, retries: int) -> None:
        self.name = model.name
        self.availability = model.availability
        self._model = model
        self._answer_tokens = answer_tokens
        self._seconds = seconds
        self._retries = retries
        self._wait = WAIT_SECONDS

    def ask(
        self,
        messages: Sequence[Message],
        reply: type[Reply],
        conversation: Conversation,
        cancellation: Cancellation,
    ) -> Reply:
        """Ask, and ask again with what was wrong, until a reply can be used.

        Raises ``UngradedError`` if none could be, ``ModelError`` if the endpoint is away or refuses.
        """
        asked, reason = list(messages), ""
        for attempt in range(self._retries + 1):
            try:
                text = self._complete(asked, reply, conversation, cancellation)
                return parsed(text, reply)
            except UnusableReplyError as error:
                reason = error.reason
                asked = [*messages, *_corrected(text, reason)]
            except ModelError as error:
                reason = self._reason(error, attempt, cancellation)
        raise UngradedError(reason)

    def _reason(self, error: ModelError, attempt: int, cancellation: Cancellation) -> str:
        """Return why a reply failed, after a pause if the endpoint is away.

        Raises ``UngradedError`` if it refused the prompt, and the error if the next reply would fail, too."""
        if error.http_status in _BAD_REQUEST:  # other prompts may be shorter
            raise UngradedError(f"the endpoint refused the prompt (HTTP {error.http_status})") from error
        if error.kind in _AGAIN:
            return str(error)
        if error.kind not in _AWAY or attempt == self._retries or cancellation.wait(self._wait * 2**attempt):
            raise error
        return str(error)

    def _complete(
        self,
        messages: Sequence[Message],
        reply: type[Reply],
        conversation: Conversation,
        cancellation: Cancellation,
    ) -> str:
        told: list[Tokens] = []
        names: list[str] = []
        form = ReplyForm(schema=reply.model_json_schema(), usage=told.append, model=names.append)
        text = ""
        try:
            text = self._model.complete(messages, self._answer_tokens, self._seconds, cancellation, form)
        finally:
            if text or names:
                conversation.add(messages, text, told)
                conversation.names.update(names)
        return text


class UnusableReplyError(AuskunftError):
    """A reply is not of the form that was asked for; ``reason`` says what is wrong."""

    code = "unusable_reply"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parsed(text: str, reply: type[Reply]) -> Reply:
    """Return the first JSON object in a text that is a valid reply, whatever surrounds it.

    Raises ``UnusableReplyError``, which names what is missing or wrong."""
    reason = "no JSON" if text.strip() else "an empty reply"
    for candidate in _objects(visible(text)):
        try:
            return reply.model_validate(candidate)
        except ValidationError as error:
            reason = first_error(error)
    raise UnusableReplyError(reason)


def _objects(text: str) -> Iterator[Any]:
    """Yield every outermost JSON object in a text."""
    decoder, position = json.JSONDecoder(), text.find("{")
    while position >= 0:
        try:
            found, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield found
        position = text.find("{", end)


def _corrected(text: str, reason: str) -> list[Message]:
    return [
        Message(role="assistant", content=shortened(text, SHOWN_CHARACTERS) or "-"),
        Message(
            role="user",
            content=f"It cannot be used: {reason}. Reply with the JSON object alone, all fields in it.",
        ),
    ]


def make_judge(settings: Settings, most_seconds: float = inf) -> JudgeModel | None:
    """Make the model that grades, or return ``None`` if the settings name none. ``most_seconds``: the limit
    of one reply if the settings allow more."""
    judge, chat = settings.judge, settings.chat
    name = judge.model or chat.model
    if not name:
        return None
    own = bool(judge.base_url)  # another server must not get the chat's key
    key = judge.api_key if own or judge.api_key.get_secret_value() else chat.api_key
    model = ChatModel(
        judge.base_url or chat.base_url,
        key.get_secret_value(),
        name,
        limit_parameter=chat.limit_parameter,
        temperature=judge.temperature,
    )
    seconds = min(judge.seconds, most_seconds)
    return JudgeModel(model, answer_tokens=judge.answer_tokens, seconds=seconds, retries=judge.retries)
