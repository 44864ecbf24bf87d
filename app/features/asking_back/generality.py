"""Distinguishes general questions, to which a clerk responds with a question, from those that a clerk answers
at once.

They are compared by meaning with examples in German and English (``questions.json``). "Ich brauche eine
Bescheinigung" says nothing about the case, "Kann mein Mann den Pass für mich abholen?" does, whatever pages
there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from app.document import package_json
from app.search.examples import QuestionExamples
from ingest.protocols import VectorCache

if TYPE_CHECKING:
    from app.services import Services

GENERAL: Final = 0.11
"""A question is general if its mean similarity to the general examples exceeds that to the clear ones by this
much.

Measured with the embedder ``e5`` (docs/quality.md); at .08 several times as many clear questions were asked
back.
"""

Similarity = Callable[[str, QuestionExamples], list[float] | None]


class Generality:
    """Compares questions with the examples. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        kinds: Mapping[str, Sequence[str]] = package_json(__package__, "questions.json")
        self._general = len(kinds["general"])
        self.examples = QuestionExamples((*kinds["general"], *kinds["clear"]), cache)

    def is_general(self, question: str, similarity: Similarity) -> bool:
        """Return True for a general question.

        ``similarity``: as :meth:`SiteSearch.similarity`. Without meanings, and until the examples are
        embedded, no question is general.
        """
        near = similarity(question, self.examples)
        if near is None:
            return False
        return fmean(near[: self._general]) - fmean(near[self._general :]) >= GENERAL


def generality(services: Services) -> Generality:
    """Return the installation's instance, whose vectors all sites share."""
    return Generality(services.indexing.vector_cache)


def warm_up(services: Services) -> None:
    """Start embedding the examples."""
    services.feature(generality).is_general(
        "A question to warm up", services.chat.default.retriever.similarity
    )
