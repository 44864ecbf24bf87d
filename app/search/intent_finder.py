"""Tells wishes that no page answers from questions about what pages are about."""

from collections.abc import Callable
from typing import Final

import structlog

from app.errors import (
    EmbedderUnavailableError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
    SettingsError,
)
from app.presets import Preset
from app.search import analysis
from app.search.generations import live_generation
from app.search.index import SearchIndex
from app.search.intents import LEAST_RELEVANCE, MARGIN, PLAIN_MARGIN, Intents, Wish, may_be_wish, said_words
from app.search.meaning import knows_meaning
from app.search.shown_words import Hidden, ShownWords
from app.search.types import Generation
from ingest.protocols import Embedder

_UNAVAILABLE: Final = (
    EmbedderUnavailableError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
    SettingsError,
)

log = structlog.get_logger(__name__)


class IntentFinder:
    """Compares questions with the examples of wishes and with the words of pages. Keeps no state."""

    def __init__(
        self,
        *,
        intents: Intents,
        index: SearchIndex,
        hidden: Hidden,
        embedder_of: Callable[[Generation], Embedder],
        preset: Preset,
        owner: str = "",
    ) -> None:
        """``owner``: the page store whose pages the index must contain."""
        self._intents = intents
        self._index = index
        self._hidden = hidden
        self._embedder_of = embedder_of
        self._preset = preset
        self._owner = owner

    def find(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool = False
    ) -> Wish | None:
        """Return the wish that the question is; ``None`` for a question about something that a page of
        ``sources`` has a word of, unless it is plainly a wish, and without index or an embedder that knows
        meanings. Whoever is in an emergency names the place or the thing, which pages may have a word of,
        too. ``is_follow_up``: see :meth:`Intents.nearest`."""
        if not may_be_wish(question):
            return None
        try:
            nearest = self._nearest(question, is_follow_up=is_follow_up)
            if nearest is None:
                return None
            wish, margin = nearest
            is_plain = wish.intent == "emergency" or margin >= PLAIN_MARGIN
            if is_plain and not analysis.is_short(question):
                return wish
            return None if self._is_about_pages(question, language, sources) else wish
        except _UNAVAILABLE as error:
            log.warning("intent_unknown", message=str(error))
            return None

    def _nearest(self, question: str, *, is_follow_up: bool) -> tuple[Wish, float] | None:
        """The wish that the question is near to, and how much nearer than to the other examples."""
        generation = live_generation(self._index, self._owner)
        if not knows_meaning(str(generation.recipe.embedder["name"])):
            return None  # to it any short question is like a wish
        embedder = self._embedder_of(generation)
        relevance = self._preset.thresholds(generation.recipe.embedder).relevance
        vector = embedder.embed_query(question)
        wish, own, other = self._intents.nearest(vector, embedder, is_follow_up=is_follow_up)
        margin = relevance(own) - relevance(other)
        return (wish, margin) if relevance(own) >= LEAST_RELEVANCE and margin >= MARGIN else None

    def _is_about_pages(self, question: str, language: str | None, sources: frozenset[str]) -> bool:
        """True if a page has a word of the question that wishes have not, or all words of a short one: that
        may be a name."""
        words = analysis.content_words(question, language or "")
        pages = ShownWords(self._index, self._hidden, sources, frozenset()).frequencies(words)
        if analysis.is_short(question):
            return all(pages)
        return any(
            found for word, found in zip(words, pages, strict=True) if word not in said_words(language)
        )
