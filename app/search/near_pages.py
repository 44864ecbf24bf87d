"""Finds pages by meaning alone.

Questions of one or two words are searched for by their words: "swimming" finds the leisure centre that has
the word. This search shows what else may be meant, such as the lido.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from app.errors import EmbedderUnavailableError, GenerationChangedError, PluginError, SettingsError
from app.presets import Preset
from app.search.filters import Filters
from app.search.fusion import relevance_sum
from app.search.index import SearchIndex, live_generation
from app.search.query import has_meaning, passage_query
from app.search.retrieval import Hit
from app.search.types import Generation, QuerySpec
from app.search.visibility import Hidden, hidden_now
from ingest.protocols import Embedder

PAGES: Final = 8

_NOT_COMPARED: Final = (EmbedderUnavailableError, GenerationChangedError, PluginError, SettingsError)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPages:
    """Compares a question with the pages of the live generation. Thread-safe. ``owner``: the page store whose
    pages the index must contain."""

    index: SearchIndex
    hidden: Hidden
    embedder_of: Callable[[Generation], Embedder]
    preset: Preset
    owner: str = ""

    def find(
        self, question: str, *, sources: frozenset[str], without: frozenset[str], filters: Filters = ()
    ) -> tuple[Hit, ...]:
        """Return the nearest pages by content that may be shown, at most ``PAGES``, ranked by the relevance
        of content, title and description. Empty without an embedder that knows meanings. Raises
        ``IndexUnavailableError`` and ``PageStoreUnavailableError``."""
        generation = live_generation(self.index, self.owner)
        if not has_meaning(generation):
            return ()
        try:
            embedder = self.embedder_of(generation)
            spec = QuerySpec(
                words=(),
                sources=sources,
                vector=passage_query(question, embedder),
                k=dict.fromkeys(self.preset.question.k, 1) | {"content": PAGES},
                keyword="none",
                generation=generation.number,
                without=without,
                filters=filters,
            )
            found = self.index.search(spec)
        except _NOT_COMPARED as error:
            log.warning("near_pages_unknown", message=str(error))
            return ()
        hidden = hidden_now(self.hidden, [each.page.ref for each in found])
        shown = [each for each in found if each.page.ref not in hidden and "content" in each.near_fields]
        ranked = relevance_sum(shown, self.preset.thresholds(generation.recipe.embedder))
        return tuple(
            Hit(rank=rank, page=each.page, score=score, coverage=0.0, similarity=each.similarity, passages=())
            for rank, (score, each) in enumerate(ranked, start=1)
        )
