"""Builds each site's RAG pipeline from the settings and the site's preset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Unpack

from app.chat.answer import Answerer, steps
from app.chat.answer_steps import AddedStep, with_added
from app.chat.decisions import Decisions
from app.chat.model.prompts import Prompts, SiteDescription
from app.chat.options import ChatOptions
from app.chat.provenance import HASH_CHARACTERS, AnswerSetup
from app.chat.site_search import PagesSearch
from app.chat.sites import DEFAULT_KEY
from app.chat.text.catalogue import FALLBACK_LANGUAGE
from app.errors import UnknownPresetError
from app.presets import Preset
from app.presets.collection import Presets
from app.search.facets import Facet
from app.search.filters import Filters
from app.search.languages import question_language
from app.search.retrieval import Retrieval, TimeFilter
from app.search.site_retriever import Narrowing, SiteRetriever
from app.settings.chat import ChatSettings
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.fingerprints import text_hash

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class RagPipeline:
    """Search and answerer of one site. ``pages``: its search, with the editors' decisions."""

    pages: PagesSearch
    answerer: Answerer

    @property
    def retriever(self) -> SiteRetriever:
        """The search without the editors' decisions."""
        return self.pages.retriever

    def now(self) -> RagPipeline:
        """Return the pipeline for one question (:meth:`app.chat.site_search.SiteSearch.now`)."""
        return replace(self, pages=self.pages.now())

    def search(self, question: str, **narrowing: Unpack[Narrowing]) -> Retrieval:
        """Find pages in the way answers do: with synonyms, and pinned pages first. Raises as
        :meth:`app.search.site_retriever.SiteRetriever.retrieve` does."""
        pages = self.pages.now()
        found = pages.retrieve(question, **narrowing)
        asked_in = narrowing.get("language") or question_language(question)
        pins = pages.decide(question, asked_in).pins
        return pages.with_pins(found, pins, sources=narrowing["sources"], language=asked_in)[0]

    def facets(self, found: Retrieval, *, sources: frozenset[str], language: str | None) -> tuple[Facet, ...]:
        """Return the facets of the hits and of all other pages within the search's limits that have every
        word of the question. Raises as :meth:`search` does."""
        matches = self.retriever.matches(
            found.question,
            sources=sources,
            language=language or question_language(found.question),
            time=found.time,
            filters=found.filters,
        )
        return self.retriever.facets((hit.page for hit in found.hits), matches)


@dataclass(eq=False)
class RagPipelines:
    """The pipelines of sites, built on first use. Sites with the same preset share its retriever. ``added``:
    returns the steps that features add for a site's options."""

    settings: Settings
    presets: Presets
    model: ChatModel | None
    prompts: Prompts
    retriever_of: Callable[[Preset], SiteRetriever]
    decisions: Decisions
    added: Callable[[ChatOptions], Sequence[AddedStep]]
    _retrievers: dict[str, SiteRetriever] = field(default_factory=dict, init=False)
    _pipelines: dict[tuple[str, str], tuple[tuple[str, ...], RagPipeline]] = field(
        default_factory=dict, init=False
    )
    _setups: dict[tuple[str, str], AnswerSetup] = field(default_factory=dict, init=False)

    def of(self, site: SiteSettings) -> RagPipeline:
        """Return the site's pipeline. Raises ``UnknownPresetError``, and ``SettingsError`` if its preset has
        no thresholds for the index's embedder."""
        key, texts = (site.key, site.preset), (site.name, site.subject, site.contact)
        if key not in self._pipelines or self._pipelines[key][0] != texts:  # an admin may change those
            self._pipelines[key] = texts, self._build(site)
        return self._pipelines[key][1]

    def preset_of(self, site: SiteSettings) -> Preset:
        """Return the site's preset with the settings' thresholds. Raises ``UnknownPresetError``, which names
        the site."""
        try:
            preset = self.presets.load(site.preset or self.settings.preset)
        except UnknownPresetError as error:
            raise UnknownPresetError(f"site {site.key!r}: {error}" if site.preset else str(error)) from error
        return preset.with_thresholds(self.settings.thresholds)

    def check(self, site: SiteSettings) -> None:
        """Raise ``UnknownPresetError`` for a preset that does not exist, and ``PluginError`` for a feature's
        step that has no place among the steps of its answers."""
        options = chat_options(self.settings, self.preset_of(site), site)
        with_added(steps(options, self.prompts, date.today), self.added(options))

    def has_law(self, site: SiteSettings, known: Collection[str]) -> bool:
        """Return True if the site searches acts of law in any of its indexes. ``known``: all sources. Raises
        as :meth:`of` does, and ``PageStoreUnavailableError``."""
        searched = [site.with_index(name) for name in site.indexes] or [site]
        return any(
            self.of(each).retriever.has_field(frozenset(known).intersection(each.sources or known))
            for each in searched
        )

    def setup_of(
        self,
        site: SiteSettings,
        *,
        sources: frozenset[str],
        language: str | None,
        time: TimeFilter,
        filters: Filters = (),
    ) -> AnswerSetup:
        """Return the set-up by which a question to the site is answered. Raises as :meth:`of` does."""
        key = (site.key, site.preset)
        if key not in self._setups:
            preset = self.preset_of(site)
            contents = text_hash(preset.model_dump_json())[:HASH_CHARACTERS]
            prompts = "" if self.model is None else self.prompts.fingerprint()[:HASH_CHARACTERS]
            self._setups[key] = AnswerSetup(preset=preset.name, preset_hash=contents, prompts=prompts)
        return replace(self._setups[key], sources=sources, language=language, time=time, filters=filters)

    def default(self) -> RagPipeline:
        """Return the pipeline of the installation's preset, for callers without a site."""
        return self._build(SiteSettings(key=DEFAULT_KEY))

    def _build(self, site: SiteSettings) -> RagPipeline:
        preset = self.preset_of(site)
        if preset.name not in self._retrievers:
            self._retrievers[preset.name] = self.retriever_of(preset)
        retriever = self._retrievers[preset.name]
        pages = self.decisions.site_search(site.key, preset, retriever)
        options = chat_options(self.settings, preset, site)
        answerer = Answerer(
            pages, model=self.model, options=options, prompts=self.prompts, added=self.added(options)
        )
        return RagPipeline(pages=pages, answerer=answerer)


def make_model(settings: Settings) -> ChatModel | None:
    """Return a client for the language model, or None if the settings name no model."""
    if not settings.chat.model:
        return None
    from app.chat.model.client import ChatModel  # noqa: PLC0415 - its client takes half a second to import

    return ChatModel(**model_options(settings.chat))


def model_options(chat: ChatSettings) -> dict[str, Any]:
    """Return the arguments of the client for the chat's model."""
    return {
        "base_url": chat.base_url,
        "api_key": chat.api_key.get_secret_value(),
        "model": chat.model,
        "context_tokens": chat.context_tokens,
        "first_token_seconds": chat.first_token_seconds,
        "idle_seconds": chat.idle_seconds,
        "answer_seconds": chat.answer_seconds,
        "limit_parameter": chat.limit_parameter,
        "temperature": chat.temperature,
    }


def chat_options(settings: Settings, preset: Preset, site: SiteSettings) -> ChatOptions:
    """Return the options of answers: the site's settings first, then the preset's and the installation's."""
    chat, question = settings.chat, preset.question
    return ChatOptions(
        site=SiteDescription(name=site.name, subject=site.subject),
        form=chat.form,
        purpose=question.prompt,
        context=question.context,
        budget_tokens=question.budget_tokens,
        corpus_tokens=question.corpus_tokens,
        linked_share=question.links.share if question.links else 0.0,
        remembered_pages=question.remembered_pages,
        second_search=question.second_search,
        answer_tokens=chat.answer_tokens,
        rephrase=question.rephrase,
        expand=question.expand,
        extract=question.extract,
        translate=question.translate,
        keep_original=question.keep_original,
        rephrase_seconds=chat.rephrase_seconds,
        passages_seconds=chat.passages_seconds,
        question_characters=settings.question_characters,
        contact=site.contact or settings.contact,
        language=site.language or FALLBACK_LANGUAGE,
        time_zone=site.time_zone,
        region=site.region,
        cards=site.cards,
    )
