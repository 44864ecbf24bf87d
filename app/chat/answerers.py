"""How the settings, a site and its preset have questions answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.answer import Answerer
from app.chat.options import ChatOptions
from app.chat.sites import DEFAULT_KEY
from app.chat.text.phrases import FALLBACK_LANGUAGE
from app.law.retriever import LawRetriever
from app.presets import Preset, load_preset
from app.settings.settings import Settings
from app.settings.sites import SiteSettings

if TYPE_CHECKING:
    from app.chat.model.client import ChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class RagPipeline:
    """What answers the questions of one site."""

    retriever: LawRetriever
    answerer: Answerer


class Answerers:
    """Those of the sites, each preset's retriever made once."""

    def __init__(
        self, settings: Settings, model: ChatModel | None, retriever_of: Callable[[Preset], LawRetriever]
    ) -> None:
        self._settings = settings
        self._model = model
        self._retriever_of = retriever_of
        self._retrievers: dict[str, LawRetriever] = {}
        self._known: dict[str, RagPipeline] = {}

    def of(self, site: SiteSettings) -> RagPipeline:
        """The site's. Raises ``UnknownPresetError``, and ``SettingsError`` where its preset has no thresholds
        for the index's embedder."""
        if site.key not in self._known:
            self._known[site.key] = self._made(site)
        return self._known[site.key]

    def default(self) -> RagPipeline:
        """The installation's own."""
        return self._made(SiteSettings(key=DEFAULT_KEY))

    def _made(self, site: SiteSettings) -> RagPipeline:
        preset = load_preset(site.preset or self._settings.preset).with_thresholds(self._settings.thresholds)
        if preset.name not in self._retrievers:
            self._retrievers[preset.name] = self._retriever_of(preset)
        retriever = self._retrievers[preset.name]
        options = chat_options(self._settings, preset, site)
        return RagPipeline(
            retriever=retriever,
            answerer=Answerer(
                retrieve=retriever.retrieve,
                look_up=retriever.look_up,
                similarity=retriever.similarity,
                model=self._model,
                options=options,
            ),
        )


def make_model(settings: Settings) -> ChatModel | None:
    """The language model, if the settings name one."""
    chat = settings.chat
    if not chat.model:
        return None
    from app.chat.model.client import ChatModel  # noqa: PLC0415 - its client takes half a second to import

    return ChatModel(
        chat.base_url,
        chat.api_key.get_secret_value(),
        chat.model,
        context_tokens=chat.context_tokens,
        first_token_seconds=chat.first_token_seconds,
        idle_seconds=chat.idle_seconds,
        answer_seconds=chat.answer_seconds,
        limit_parameter=chat.limit_parameter,
    )


def chat_options(settings: Settings, preset: Preset, site: SiteSettings) -> ChatOptions:
    """What an answer may take and is made of."""
    chat, question = settings.chat, preset.question
    return ChatOptions(
        purpose=question.prompt,
        budget_tokens=question.budget_tokens,
        answer_tokens=chat.answer_tokens,
        rephrase=question.rephrase,
        extract=question.extract,
        keep_original=question.keep_original,
        rephrase_seconds=chat.rephrase_seconds,
        question_characters=settings.question_characters,
        contact=site.contact or settings.contact,
        language=site.language or FALLBACK_LANGUAGE,
    )
