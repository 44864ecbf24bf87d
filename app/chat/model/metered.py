"""Counts the tokens that a language model uses for one answer."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from app.chat.model.cancellation import Cancellation
from app.chat.model.reply_form import PLAIN, ReplyForm
from app.chat.model.tokens import Tokens, estimate
from app.chat.types import Message

if TYPE_CHECKING:  # the model's client takes half a second to import
    from app.chat.model.client import ChatModel


class LanguageModel(Protocol):
    """The interface of models that answers use: :class:`app.chat.model.client.ChatModel`."""

    @property
    def name(self) -> str:
        """The endpoint's name for the model."""

    @property
    def context_tokens(self) -> int:
        """The size of the context window."""

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        cancellation: Cancellation | None = None,
    ) -> Generator[str, None, None]:
        """Yield the reply in pieces. Raises ``ModelError``."""

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> str:
        """Return the whole reply. Raises ``ModelError``."""


@dataclass(slots=True)
class UsedTokens:
    """Tokens so far, of prompts and output."""

    prompt: float = 0
    output: float = 0

    def add(self, usage: Tokens) -> None:
        """Add the tokens of a reply."""
        self.prompt += usage.prompt
        self.output += usage.output


class MeteredModel:
    """A model whose tokens are added to ``tokens``: as the endpoint reports them, or estimated if it does not
    or the reply breaks off. A request without any reply is not counted."""

    def __init__(self, model: ChatModel, tokens: UsedTokens) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self._model = model
        self._tokens = tokens

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        cancellation: Cancellation | None = None,
    ) -> Generator[str, None, None]:
        """See :meth:`LanguageModel.stream`."""
        told: list[Tokens] = []
        text: list[str] = []
        try:
            with closing(self._model.stream(messages, max_tokens, cancellation, _counted(told))) as pieces:
                for piece in pieces:
                    text.append(piece)
                    yield piece
        finally:
            self._count(messages, "".join(text), told)

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        deadline: float,
        cancellation: Cancellation | None = None,
        form: ReplyForm = PLAIN,
    ) -> str:
        """See :meth:`LanguageModel.complete`."""
        told: list[Tokens] = []
        reply = self._model.complete(messages, max_tokens, deadline, cancellation, _counted(told, form))
        self._count(messages, reply, told)
        return reply

    def _count(self, messages: Sequence[Message], reply: str, told: Sequence[Tokens]) -> None:
        for usage in told or ([_estimated(messages, reply)] if reply else []):
            self._tokens.add(usage)


def _counted(told: list[Tokens], form: ReplyForm = PLAIN) -> ReplyForm:
    """Return the form of a reply whose tokens are added to ``told``."""
    return replace(form, usage=told.append)


def _estimated(messages: Sequence[Message], reply: str) -> Tokens:
    prompt = sum(estimate(message.content) for message in messages)
    return Tokens(prompt=prompt, output=estimate(reply))
