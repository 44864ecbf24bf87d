"""The language model: any OpenAI-compatible chat endpoint (Ollama, vLLM, hosted ones).

All requests are streamed; every failure is a ``ModelError`` whose ``kind`` says how it failed. A request is
repeated only before the reply has begun, and only if the wait fits into the first token's deadline.
"""

import threading
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from httpx2 import HTTPError
from openai import APIError, APIStatusError, Stream, Timeout

from app.chat.model.cancellation import Cancellation
from app.chat.model.connection import host_of, make_client, socket_of, watched_by
from app.chat.model.failures import broken_off, failure, is_bad_request, retry_wait, timeout
from app.chat.model.patience import Patience
from app.chat.model.reply_form import PLAIN, Option, ReplyForm, body, option_sets
from app.chat.model.thinking import without_thinking
from app.chat.model.tokens import Tokens, usage_of
from app.chat.model.watchdog import Watchdog
from app.chat.types import Message
from app.errors import ModelError
from ingest.availability import CHECK_SECONDS, Availability, listed_names
from ingest.said import Said
from ingest.spans import spanned

CHARACTERS_PER_TOKEN: Final = 10
"""More than any text has on average. A longer reply ignores its limit."""

USAGE_SECONDS: Final = 2.0
"""After the text, the end of a reply, which reports the tokens, is waited for at most so long."""

_GARBAGE: Final = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""Errors that parsing a chunk of any content may raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """The well-formed parts of a stream's chunk."""

    text: str
    is_last: bool
    usage: Tokens | None
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """Seconds: to the first token, between tokens, for the whole reply."""

    first: float
    idle: float
    total: float


@dataclass(frozen=True, slots=True)
class _Request:
    """A request with its messages and limits."""

    messages: Sequence[Message]
    max_tokens: int
    limits: _Limits
    cancellation: Cancellation
    form: ReplyForm = PLAIN


class ChatModel:
    """One model at one endpoint. Thread-safe.

    Times are seconds. ``limit_parameter``: the endpoint's name for the token limit; newer OpenAI models take
    only ``max_completion_tokens``. ``temperature``: ``None`` leaves it to the endpoint.

    Raises ``SettingsError`` for an invalid base URL.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        *,
        context_tokens: int = 8_192,
        connect_seconds: float = 5.0,
        first_token_seconds: float = 30.0,
        idle_seconds: float = 20.0,
        answer_seconds: float = 180.0,
        retries: int = 1,
        temperature: float | None = 0.1,
        limit_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens",
    ) -> None:
        self.name = model
        self.context_tokens = context_tokens
        self._label = Said("language model {model!r} at {server}", model=model, server=host_of(base_url))
        self._limits = _Limits(first=first_token_seconds, idle=idle_seconds, total=answer_seconds)
        self._connect_seconds = connect_seconds
        self._retries = retries
        self._temperature = temperature
        self._limit_parameter = limit_parameter
        self._refused: frozenset[Option] = frozenset()
        self.availability = Availability(self._check)
        self.patience = Patience(lambda messages: self.complete(messages, 1, first_token_seconds))
        self._client = make_client(base_url, api_key)

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> Generator[str, None, None]:
        """Yield the reply in pieces, without thoughts. Closing the generator closes the connection.

        Raises ``ModelError``, before the first piece or midway; of kind ``cancelled`` soon after
        ``cancellation`` is requested.
        """
        asked = _Request(messages, max_tokens, self._limits, cancellation or Cancellation(), form)
        return self.patience.watched(messages, self._spanned(asked))

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> str:
        """Return the whole reply within ``deadline`` seconds, retries included. Raises as :meth:`stream`
        does."""
        limits = _Limits(first=deadline, idle=deadline, total=deadline)
        asked = _Request(messages, max_tokens, limits, cancellation or Cancellation(), form)
        return "".join(self._spanned(asked))

    def _spanned(self, asked: _Request) -> Generator[str, None, None]:
        return spanned("language model", self._reply(asked), model=self.name)

    def _reply(self, asked: _Request) -> Generator[str, None, None]:
        try:
            with (
                self.availability.in_use(),
                asked.cancellation.watching(),
                closing(self._pieces(asked)) as pieces,
            ):
                yield from without_thinking(pieces)
        except ModelError as error:
            if not asked.cancellation.is_requested:
                self.availability.record(error)
                raise
            raise ModelError("cancelled", f"{self._label} was cancelled") from error
        self.availability.record()

    def _check(self) -> None:
        """Look for the model in the endpoint's list, which costs it nothing. If there is no list, or the
        model is not in it, ask for a single token. Raises ``ModelError``."""
        if not self._is_listed():
            hello = [Message(role="user", content="Hello")]
            limits = _Limits(first=CHECK_SECONDS, idle=CHECK_SECONDS, total=CHECK_SECONDS)
            with closing(self._pieces(_Request(hello, 1, limits, Cancellation()))) as pieces:
                next(pieces, None)

    def _is_listed(self) -> bool:
        """Return True if the endpoint lists the model. Raises ``ModelError`` if it cannot be reached."""
        cancellation = Cancellation()
        limit = threading.Timer(CHECK_SECONDS, cancellation.request)
        limit.start()
        try:
            with watched_by(cancellation), cancellation.watching():
                models = self._client.get("/models", cast_to=object, options={"timeout": CHECK_SECONDS})
            return self.name in listed_names(models)
        except APIError as error:
            if isinstance(error, APIStatusError) and retry_wait(error) is None:
                return False  # it is up but lists no models, so the caller asks for a token
            raise timeout(self._label) if cancellation.is_requested else failure(self._label, error) from None
        except (HTTPError, ValueError):
            return False
        finally:
            limit.cancel()

    def _pieces(self, asked: _Request) -> Generator[str, None, None]:
        started, limits, form = time.monotonic(), asked.limits, asked.form
        deadline = started + min(limits.first, limits.total)
        upstream = self._open(asked, deadline)
        # The client's read timeout was for the headers; from here the watchdog applies the deadlines.
        upstream.response.request.extensions["timeout"]["read"] = None
        received = finished = False
        usage: Tokens | None = None
        left = asked.max_tokens * CHARACTERS_PER_TOKEN
        with closing(upstream), Watchdog(socket_of(upstream)) as watchdog:
            while not finished:
                piece = self._next(upstream, watchdog, deadline, received)
                finished, usage = piece.is_last, piece.usage or usage
                if form.model is not None and not received and piece.model:
                    form.model(piece.model)
                received, left = True, left - len(piece.text)
                if left < 0:
                    raise ModelError(
                        "garbage", f"{self._label} did not stop after {asked.max_tokens:,} tokens"
                    )
                if piece.text:
                    yield piece.text
                deadline = min(time.monotonic() + limits.idle, started + limits.total)
            if form.usage is not None and (told := usage or _last_usage(upstream, watchdog)):
                form.usage(told)

    def _open(self, asked: _Request, deadline: float) -> Stream[object]:
        attempts = 0
        choices = option_sets(asked.form, self._refused)
        tried, options = frozenset[Option](), next(choices)
        while True:
            sent = self._options(asked.max_tokens, asked.form, options)
            try:
                with watched_by(asked.cancellation):
                    upstream = self._request(asked.messages, sent, deadline - time.monotonic())
                self._refused |= tried - options
                return upstream
            except HTTPError:  # the client does not wrap errors while it reads the body of a refusal
                raise ModelError("unreachable", f"{self._label} broke off") from None
            except APIError as error:
                if is_bad_request(error) and (fewer := next(choices, None)) is not None:
                    tried, options = tried | options, fewer
                    continue
                attempts += 1
                wait = retry_wait(error)
                if wait is None or attempts > self._retries or time.monotonic() + wait >= deadline:
                    raise failure(self._label, error) from None
                if asked.cancellation.wait(wait):
                    raise failure(self._label, error) from None

    def _options(self, max_tokens: int, form: ReplyForm, options: Collection[Option]) -> dict[str, object]:
        sent = {self._limit_parameter: max_tokens, **body(form, options)}
        if self._temperature is not None:
            sent["temperature"] = self._temperature
        return sent

    def _request(
        self, messages: Sequence[Message], options: Mapping[str, object], seconds: float
    ) -> Stream[object]:
        # Untyped, because the client does not validate chunks, and building its types takes most of the time.
        return self._client.post(
            "/chat/completions",
            body={
                "model": self.name,
                "messages": [{"role": each.role, "content": each.content} for each in messages],
                "stream": True,
                **options,
            },
            options={"timeout": Timeout(seconds, connect=min(self._connect_seconds, seconds))},
            cast_to=object,
            stream=True,
            stream_cls=Stream[object],
        )

    def _next(
        self,
        upstream: Stream[object],
        watchdog: Watchdog,
        deadline: float,
        received: bool,
    ) -> _Piece:
        try:
            with watchdog.until(deadline):
                chunk = next(upstream, None)
            if chunk is not None:
                return _piece(chunk)
        except APIError as error:
            if not watchdog.fired:
                raise broken_off(self._label, error) from None
        except _GARBAGE as error:
            what = type(error).__name__
            raise ModelError("garbage", f"{self._label} sent an invalid reply: {what}") from None
        if watchdog.fired:
            raise timeout(self._label)
        if received:
            raise ModelError("interrupted", f"{self._label} ended its reply too early")
        raise ModelError("garbage", f"{self._label} sent no reply: check the base URL (it often ends in /v1)")


def _piece(chunk: Any) -> _Piece:
    """Return the piece in a chunk, any part of which may be of any type."""
    text, is_last = _content(chunk)
    name = chunk.get("model")
    return _Piece(
        text=text, is_last=is_last, usage=usage_of(chunk), model=name if isinstance(name, str) else ""
    )


def _content(chunk: Any) -> tuple[str, bool]:
    """Return the chunk's text, and True if it is the last one."""
    if not chunk.get("choices"):
        return "", False
    choice = chunk["choices"][0]
    text = (choice.get("delta") or {}).get("content") or ""
    if not isinstance(text, str):
        raise TypeError(f"content is {type(text).__name__}")
    return text, choice.get("finish_reason") is not None


def _last_usage(upstream: Stream[object], watchdog: Watchdog) -> Tokens | None:
    """Return the usage that an endpoint reports after the last piece of text; None if it does not do so soon,
    because the text is complete already."""
    with (
        suppress(APIError, HTTPError, OSError, *_GARBAGE),
        watchdog.until(time.monotonic() + USAGE_SECONDS),
    ):
        return next(filter(None, map(usage_of, upstream)), None)
    return None
