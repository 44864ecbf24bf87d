"""Groups visitors' questions by meaning when that was requested."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from app.chat.reactions import SAME_MEANING
from app.features.questions.groups import AskedQuestion, QuestionGroups, group
from app.indexing.stopping import Stop
from app.presets import Thresholds
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.protocols import Embedder
from ingest.types import Vectors

EMBEDDED_AT_ONCE: Final = 1_000
"""The most questions without a vector, such as those searched by words alone, that one grouping embeds."""

log = structlog.get_logger(__name__)


@dataclass(eq=False)
class GroupingStep:
    """A :data:`app.background.steps.StepFunction`. ``embedding``: returns the index's embedder and its
    thresholds. ``done``: called when the questions were grouped."""

    groups: QuestionGroups
    embedding: Callable[[], tuple[Embedder, Thresholds]]
    done: Callable[[], None]

    def __call__(self, stop: Stop) -> bool:
        """Group the questions if that was requested. Return False: there is never more to do at once."""
        if self.groups.is_requested() and not stop():
            self.run(stop)
        return False

    def run(self, stop: Stop) -> None:
        """Group the questions. Raises ``IndexUnavailableError``, ``EmbedderUnavailableError``,
        ``PluginError`` and ``PageStoreUnavailableError``."""
        started = time.monotonic()
        embedder, thresholds = self.embedding()
        recipe = recipe_hash(embedder_recipe(embedder))
        asked = self.groups.candidates(recipe)
        if self._embed(asked, recipe, embedder, stop):
            asked = self.groups.candidates(recipe)
        least = thresholds.base + SAME_MEANING * (1 - thresholds.base)
        groups = group(asked, least)
        self.groups.keep(groups, left=len(asked) - len(groups))
        self.done()
        log.info("questions_grouped", questions=len(groups), seconds=round(time.monotonic() - started, 1))

    def _embed(self, asked: list[AskedQuestion], recipe: str, embedder: Embedder, stop: Stop) -> bool:
        """Embed questions that have no vector, and store the vectors. Return True if there were any."""
        missing = [each.answer for each in asked if each.vector is None][:EMBEDDED_AT_ONCE]
        vectors: dict[str, Vectors] = {}
        known: dict[str, Vectors] = {}
        for answer, text in self.groups.texts(missing).items():
            if stop():
                break
            if text not in known:
                known[text] = embedder.embed_query(text)
            vectors[answer] = known[text]
        self.groups.keep_vectors(recipe, vectors)
        return bool(vectors)
