"""The services that write contexts of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.model.prompt_check import load_prompts
from app.chat.model.prompts import Prompts
from app.contexts.costs import Prices
from app.contexts.report import ContextReports
from app.indexing.chunkers import index_presets
from app.indexing.contexts import ChunkContexts, wants_contexts
from app.lazy import lazy
from app.pages import counters
from app.pages.contexts import ContextStore
from app.pages.counters import Counters
from app.pages.store import utc_now
from app.services.core import CoreServices
from ingest.fingerprints import recipe_hash

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel
    from app.contexts.writer import ContextWriter
    from app.services import Services

CLAIM_SHARE = 0.2
"""Of the lease: how long chunks of one claim are begun, and how long one may take at most."""


class ContextServices:
    """Builds what writes contexts. ``chunks``: how they get into the chunks of pages that are indexed."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @property
    def chunks(self) -> ChunkContexts | None:
        """The contexts of chunks; ``None`` where no preset wants any."""
        return self._services.indexing.contexts

    @lazy
    def store(self) -> ContextStore:
        """The contexts, and the pages that lack some."""
        return make_store(self._services)

    @lazy
    def model(self) -> ChatModel | None:
        """The model that writes contexts; ``None`` if the settings name none."""
        chat, contexts = self._services.settings.chat, self._services.settings.contexts
        if not model_name(self._services):
            return None
        from app.chat.model.client import ChatModel  # noqa: PLC0415 - its client takes half a second to import

        own = bool(contexts.base_url)  # another server must not get the chat's key
        key = contexts.api_key if own or contexts.api_key.get_secret_value() else chat.api_key
        return ChatModel(
            contexts.base_url or chat.base_url,
            key.get_secret_value(),
            contexts.model or chat.model,
            limit_parameter=chat.limit_parameter,
            temperature=chat.temperature,
        )

    @lazy
    def writer(self) -> ContextWriter | None:
        """Writes contexts; ``None`` where no preset wants any, or no model can write them."""
        if self.chunks is None or self.model is None:
            return None
        from app.contexts.author import ContextAuthor  # noqa: PLC0415 - as the model's client
        from app.contexts.writer import ContextWriter  # noqa: PLC0415

        settings = self._services.settings
        claim_seconds = CLAIM_SHARE * settings.lease_seconds
        author = ContextAuthor(
            model=self.model,
            prompts=_prompts(self._services),
            glossary=settings.contexts.glossary,
            document_tokens=settings.contexts.document_tokens,
            answer_tokens=settings.contexts.answer_tokens,
            seconds=min(settings.contexts.seconds, claim_seconds),
        )
        return ContextWriter(
            store=self.store,
            pages=self._services.store,
            contexts=self.chunks,
            author=author,
            counters=Counters(self._services.engine),
            workers=self._services.workers,
            prepare=self._services.indexing.prepare,
            parallel=settings.contexts.parallel,
            work_seconds=claim_seconds,
            retry_seconds=settings.retry_seconds,
            daily_tokens=settings.contexts.daily_tokens,
            busy=self._services.chat.is_answering,
        )

    @lazy
    def reports(self) -> ContextReports:
        """How far the contexts are, and what they cost."""
        contexts = self._services.settings.contexts
        return ContextReports(
            store=self.store,
            counters=Counters(self._services.engine),
            chunks=self.chunks,
            recipes=self._recipes,
            has_model=bool(model_name(self._services)),
            document_tokens=contexts.document_tokens,
            daily_tokens=contexts.daily_tokens,
            prices=Prices.of(contexts.input_price, contexts.cached_price, contexts.output_price),
            ask_above=contexts.ask_above,
        )

    def delete_expired(self) -> None:
        """Delete contexts that no page uses, and what was counted on earlier days."""
        self.store.prune()
        Counters(self._services.engine).drop_before(counters.CONTEXT_DAY, utc_now().date().isoformat())

    def _recipes(self) -> list[str]:
        """The recipes of all languages that have a prompt of their own."""
        languages = _prompts(self._services).languages("context")
        return [] if self.chunks is None else [self.chunks.recipe(language) for language in languages]


def model_name(core: CoreServices) -> str:
    """The name of the model that writes contexts; empty if there is none."""
    return core.settings.contexts.model or core.settings.chat.model


def make_store(core: CoreServices) -> ContextStore:
    """The contexts in the page store's database."""
    return ContextStore(core.engine, utc_now, lease_seconds=core.settings.lease_seconds)


def make_chunk_contexts(core: CoreServices) -> ChunkContexts:
    """Puts contexts into chunks. Raises ``SettingsError`` where an operator's prompt cannot be used."""
    prompts, glossary = _prompts(core), core.settings.contexts.glossary
    return ChunkContexts(
        store=make_store(core),
        wanted=wants_contexts(core.preset.index, index_presets(core.settings, core.presets)),
        model=model_name(core),
        prompt=lambda language: recipe_hash(
            {"template": prompts.version("context", language), "glossary": glossary}
        ),
    )


def _prompts(core: CoreServices) -> Prompts:
    return load_prompts(core.settings.chat.prompts)
