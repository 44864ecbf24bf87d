"""Asks the language model for the context of one chunk."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from app.chat.model.cancellation import Cancellation
from app.chat.model.client import ChatModel
from app.chat.model.prompts import Prompts
from app.chat.model.reply_form import ReplyForm
from app.chat.model.tokens import Tokens, estimate
from app.chat.types import Message
from app.features.contexts.excerpts import DocumentExcerpts
from app.features.contexts.reply import context_of
from ingest.chunkers.context import plain_heading
from ingest.types import Chunk, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReply:
    """The model's unchecked reply, and the tokens it used: reported by the endpoint, otherwise estimated."""

    text: str
    usage: Tokens


class ContextAuthor:
    """Writes contexts with ``model``. Safe to use from several threads.

    ``document_tokens``: the longest excerpt of a document in a prompt. ``seconds``: the time limit for one
    reply of at most ``answer_tokens``.
    """

    def __init__(
        self,
        *,
        model: ChatModel,
        prompts: Prompts,
        glossary: str,
        document_tokens: int,
        answer_tokens: int,
        seconds: float,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._glossary = glossary
        self._document_tokens = document_tokens
        self._answer_tokens = answer_tokens
        self._seconds = seconds
        self._instructions = cache(self._instruction_text)

    def excerpts(self, page: Page) -> DocumentExcerpts:
        """Return the parts of a page that the model gets with its chunks."""
        return DocumentExcerpts(page, self._document_tokens)

    def ask(
        self, page: Page, excerpts: DocumentExcerpts, chunk: Chunk, cancellation: Cancellation
    ) -> ContextReply:
        """Return the model's reply for a chunk of ``page``. Raises ``ModelError``."""
        language = page.ref.language
        excerpt = excerpts.of(chunk)
        prompt = self._prompts.context(
            title=plain_heading(page.fields.get("title") or page.fields.get("name", "")),
            outline=excerpt.outline,
            document=excerpt.text,
            passage=chunk.text,
            language=language,
            glossary=self._glossary,
        )
        told: list[Tokens] = []
        form = ReplyForm(usage=told.append)
        text = self._model.complete(prompt, self._answer_tokens, self._seconds, cancellation, form)
        return ContextReply(text=text, usage=told[-1] if told else _estimated(prompt, text, language))

    def check(self, reply: ContextReply, language: str) -> str:
        """Return the context in a reply. Raises :class:`app.features.contexts.reply.ReplyError`."""
        return context_of(reply.text, self._instructions(language))

    def _instruction_text(self, language: str) -> str:
        """Return the prompt without the document."""
        prompt = self._prompts.context(title="", outline="", document="", passage="", language=language)
        return "\n".join(message.content for message in prompt)


def _estimated(prompt: Sequence[Message], reply: str, language: str) -> Tokens:
    asked = sum(estimate(message.content, language) for message in prompt)
    return Tokens(prompt=asked, output=estimate(reply, language))
