"""Finds the pages of some collections whose content is nearest to a question, or to another text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.search.block_comparison import BlockComparison
from app.search.fusion import Scored, cosine
from app.search.meaning import Meaning
from app.search.types import Candidate, QuerySpec
from ingest.types import Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """``search``: finds the candidates of ``spec``, the question's. ``blocks``: embeds other texts; without
    it none are compared."""

    search: Callable[[QuerySpec], list[Candidate]]
    spec: QuerySpec
    meaning: Meaning
    blocks: BlockComparison | None

    def to_question(self, collections: frozenset[str], k: int) -> list[Scored]:
        """Return the ``k`` nearest pages of ``collections``, best first."""
        return self._of(self.spec, collections, k)

    def to_text(self, text: str, collections: frozenset[str], k: int) -> list[Scored]:
        """Return those nearest to ``text``; none where it cannot be embedded."""
        vectors = self._embedded([text])
        return self._of(replace(self.spec, vector=vectors[0]), collections, k) if vectors else []

    def relevance(self, texts: Sequence[str]) -> list[float]:
        """Return how relevant texts are to the question; of fewer where the time is up."""
        return [self.meaning.relevance(each) for each in self._embedded(texts)]

    def _embedded(self, texts: Sequence[str]) -> list[Vectors]:
        return self.blocks.embedded(texts, self.meaning.embedder) if self.blocks else []

    def _of(self, spec: QuerySpec, collections: frozenset[str], k: int) -> list[Scored]:
        if not collections:
            return []
        thresholds = self.meaning.thresholds
        found = self.search(replace(spec, k={"content": k}, keyword="none", within=collections))
        near = [page for page in found if thresholds.passes("content", page.similarity["content"])]
        return cosine(near, thresholds)
