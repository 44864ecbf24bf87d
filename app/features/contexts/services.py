"""The services that write contexts of chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from app.features.contexts.feature import CONTEXT_DAY
from app.indexing.chunkers import index_presets
from app.lazy import lazy
from app.monitoring.check import Check
from app.pages.counters import Counters
from app.pages.database import utc_now
from app.presets import IndexPreset
from app.services.core import CoreServices
from app.services.feature_services import FeatureServices
from ingest.fingerprints import recipe_hash

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel
    from app.chat.model.prompts import Prompts
    from app.features.contexts.chunks import ChunkContexts
    from app.features.contexts.report import ContextReport
    from app.features.contexts.store import ContextStore
    from app.features.contexts.writer import ContextWriter
    from app.indexing.stopping import Stop
    from app.services import Services

CLAIM_SHARE: Final = 0.2
"""Share of the lease: chunks of a claim are started for this long, and one request may take this long at
most."""


def chunk_enricher(services: Services) -> ChunkContexts | None:
    """Return the object that puts contexts into chunks, or ``None`` if no preset wants any."""
    return services.feature(ContextServices).chunks


def wants_contexts(common: IndexPreset, by_source: Mapping[str, IndexPreset]) -> Callable[[str], bool]:
    """Return a function that returns True for a source whose own preset, or else the common one, wants
    contexts."""
    return lambda source: by_source.get(source, common).contexts


def wanted_by(core: CoreServices) -> dict[str, bool]:
    """Return the sources whose pages get contexts: all others under ``*``, and those that differ; empty if
    none do."""
    common = core.preset.index.contexts
    presets = index_presets(core.settings, core.presets).items()
    own = {name: preset.contexts for name, preset in presets if preset.contexts != common}
    return {"*": common} | own if common or own else {}


def is_due(services: Services) -> bool:
    """Return True if chunks lack contexts."""
    contexts = services.feature(ContextServices)
    return contexts.chunks is not None and contexts.store.is_due()


def write(services: Services, stop: Stop) -> bool:
    """Write some contexts, and have pages that are then complete indexed again. Return True if there may be
    more.

    Raises ``ModelError`` and ``PageStoreUnavailableError``.
    """
    writer = services.feature(ContextServices).writer
    if writer is None:
        return False
    complete = writer.run_once(stop)
    if complete:
        services.wake(len(complete), interactive=False)
    return complete is not None


def delete_expired(services: Services) -> None:
    """Delete contexts that no page uses."""
    services.feature(ContextServices).delete_expired()


def contexts(services: Services) -> list[Check]:
    """Report how many chunks have contexts, if a preset wants any."""
    report = services.feature(ContextServices).report()
    if report is None:
        return []
    ok = not report.failed and (report.outage is None or not report.has_model)
    return [Check(name="contexts", ok=ok, detail=report.summary, required=False)]


class ContextServices(FeatureServices):
    """Builds the objects that write contexts. Few installations need them, so their modules are imported on
    use."""

    @lazy
    def chunks(self) -> ChunkContexts | None:
        """The object that puts contexts into chunks of indexed pages; ``None`` if no preset wants any.

        Raises ``SettingsError`` if an operator's prompt cannot be used.
        """
        services = self._services
        wanted = wanted_by(services)
        if not wanted:
            return None
        from app.features.contexts.chunks import ChunkContexts  # noqa: PLC0415

        prompts, glossary = self._prompts, services.settings.contexts.glossary
        return ChunkContexts(
            store=self.store,
            wanted=wants_contexts(services.preset.index, index_presets(services.settings, services.presets)),
            model=self._model_name,
            prompt=lambda language: recipe_hash(
                {"template": prompts.version("context", language), "glossary": glossary}
            ),
            build_recipe={"contexts": recipe_hash(wanted)},
        )

    @lazy
    def store(self) -> ContextStore:
        """The contexts, and the pages that lack some."""
        from app.features.contexts.store import ContextStore  # noqa: PLC0415

        return ContextStore(
            self._services.engine, utc_now, lease_seconds=self._services.settings.lease_seconds
        )

    @lazy
    def model(self) -> ChatModel | None:
        """The model that writes contexts; ``None`` if the settings name none."""
        chat, contexts = self._services.settings.chat, self._services.settings.contexts
        if not self._model_name:
            return None
        from app.chat.model.client import ChatModel  # noqa: PLC0415 - its client takes half a second to import

        own = bool(contexts.base_url)  # another server must not get the chat's key
        key = contexts.api_key if own or contexts.api_key.get_secret_value() else chat.api_key
        return ChatModel(
            contexts.base_url or chat.base_url,
            key.get_secret_value(),
            self._model_name,
            limit_parameter=chat.limit_parameter,
            temperature=chat.temperature,
        )

    @lazy
    def writer(self) -> ContextWriter | None:
        """Writes contexts; ``None`` if no preset wants any or there is no model."""
        if self.chunks is None or self.model is None:
            return None
        from app.features.contexts.author import ContextAuthor  # noqa: PLC0415
        from app.features.contexts.writer import ContextWriter  # noqa: PLC0415

        settings = self._services.settings
        claim_seconds = CLAIM_SHARE * settings.lease_seconds
        author = ContextAuthor(
            model=self.model,
            prompts=self._prompts,
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

    def report(self, source: str | None = None) -> ContextReport | None:
        """Return the progress and cost of contexts, for all sources that get some or for one.

        ``None`` if no preset wants any.
        """
        if self.chunks is None:
            return None
        from app.features.contexts.report import context_report  # noqa: PLC0415

        return context_report(
            store=self.store,
            amounts=Counters(self._services.engine).read(),
            chunks=self.chunks,
            recipes=[self.chunks.recipe(language) for language in self._prompts.languages("context")],
            settings=self._services.settings.contexts,
            has_model=bool(self._model_name),
            source=source,
        )

    def delete_expired(self) -> None:
        """Delete contexts that no page uses, and the token counts of earlier days."""
        self.store.prune()
        Counters(self._services.engine).drop_before(CONTEXT_DAY, utc_now().date().isoformat())

    @property
    def _model_name(self) -> str:
        """The name of the model that writes contexts; empty if there is none."""
        return self._services.settings.contexts.model or self._services.settings.chat.model

    @lazy
    def _prompts(self) -> Prompts:
        from app.chat.model.prompt_check import load_prompts  # noqa: PLC0415

        return load_prompts(self._services.settings.chat.prompts)
