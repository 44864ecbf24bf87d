"""Embeddings from any OpenAI-compatible ``/v1/embeddings``: Ollama, Text Embeddings Inference, vLLM, hosted
services.

The protocol is OpenAI's "Create embeddings". Responses are validated, because a proxy or another model would
otherwise corrupt the index silently. Every failure, even a refusal, is an ``EmbedderUnavailableError``: while
the operator corrects key, model or address, pages wait and questions fall back to keywords; no page fails
permanently.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
from pydantic import NonNegativeFloat, PositiveFloat, PositiveInt

from ingest.availability import CHECK_SECONDS, Availability, listed_names
from ingest.errors import EmbedderUnavailableError
from ingest.json_client import JsonClient, ServerError, TransientError, checked_key, server_name
from ingest.normalise import unit_rows
from ingest.options import validate_options
from ingest.protocols import Recipe
from ingest.said import Said
from ingest.types import Vectors

QUERY_RETRY_SECONDS: Final = 2.0
"""Shorter than for pages, because a visitor waits and the question can fall back to keywords."""


class EndpointEmbedder:
    """One model at one endpoint.

    ``dims``: checked if given, otherwise taken from the first response. ``query_prefix``,
    ``document_prefix``: the prefixes in the model's card. ``batch_size``: texts in a request.
    ``timeout_seconds``: limit of one request; ``retry_seconds``: how long requests for pages are retried. The
    recipe has no ``dims``, because they follow from the model and a recipe must not need the server.
    """

    recipe_options: ClassVar[tuple[str, ...]] = ("model", "query_prefix", "document_prefix")

    @validate_options
    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        dims: PositiveInt | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        batch_size: PositiveInt = 16,
        timeout_seconds: PositiveFloat = 30.0,
        retry_seconds: NonNegativeFloat = 60.0,
        max_tokens: PositiveInt = 512,
    ) -> None:
        self.max_tokens = max_tokens
        self.recipe: Recipe = {
            "name": "endpoint",
            "model": model,
            "query_prefix": query_prefix,
            "document_prefix": document_prefix,
        }
        self._dims = self._given_dims = dims
        self.batch_size = batch_size
        self._retry_seconds = retry_seconds
        server = server_name(base_url, "http://127.0.0.1:11434/v1")
        self._label = Said("embedding model {model!r} at {server}", model=model, server=server)
        self.availability = Availability(self._check)
        self._client = JsonClient(
            self._label,
            base_url,
            api_key=checked_key(api_key),
            seconds=timeout_seconds,
            seconds_option="timeout_seconds",
            texts_option="batch_size",
        )

    @property
    def dims(self) -> int:
        """The length of the model's vectors. Raises ``EmbedderUnavailableError``."""
        return self._dims or len(self.embed_query("dimensions"))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return vectors ``(n, dims)``."""
        prefix, size = str(self.recipe["document_prefix"]), self.batch_size
        batches = [
            self._embed([prefix + text for text in texts[start : start + size]], self._retry_seconds)
            for start in range(0, len(texts), size)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, self.dims), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return a vector ``(dims,)``."""
        prefixed = str(self.recipe["query_prefix"]) + text
        vector: Vectors = self._embed([prefixed], min(QUERY_RETRY_SECONDS, self._retry_seconds))[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _check(self) -> None:
        """Look for the model in the server's list, which costs nothing; if there is no list, or the model is
        not in it, embed a word. Raises ``ServerError``."""
        try:
            listed = listed_names(self._client.get("models", seconds=CHECK_SECONDS))
        except TransientError:
            raise
        except ServerError:
            listed = set()
        if self.recipe["model"] not in listed:
            self._vectors(["hello"], 0, CHECK_SECONDS)

    def _embed(self, texts: Sequence[str], retry_seconds: float) -> Vectors:
        try:
            with self.availability.in_use():
                vectors = self._vectors(texts, retry_seconds)
        except ServerError as error:
            self.availability.record(error)
            raise EmbedderUnavailableError(error.template, **error.values) from error
        self.availability.record()
        return vectors

    def _vectors(self, texts: Sequence[str], retry_seconds: float, seconds: float | None = None) -> Vectors:
        # Servers refuse empty input, and some stop reading at NUL.
        clean = [text.replace("\0", " ") or " " for text in texts]
        body = {"model": self.recipe["model"], "input": clean}
        reply = self._client.post("embeddings", body, retry_seconds=retry_seconds, seconds=seconds)
        try:
            vectors = unit_rows(_rows(reply, len(clean)))
        except (KeyError, TypeError, ValueError) as error:
            raise ServerError(f"{self._label} sent no usable vectors: {error}") from error
        if self._dims is None:
            self._dims = vectors.shape[1]
        if vectors.shape[1] != self._dims:
            expected, self._dims = self._dims, self._given_dims  # ask the server again next time
            raise ServerError(
                f"{self._label} sent {vectors.shape[1]:,} dimensions instead of {expected:,}: "
                "has the model changed?"
            )
        return vectors


def _rows(reply: Any, expected: int) -> list[list[float]]:
    """Return a response's vectors in the order of the texts; a server may send them in another order."""
    data = reply["data"] if isinstance(reply, dict) else None
    if not isinstance(data, list) or len(data) != expected:
        found = len(data) if isinstance(data, list) else "no list"
        raise ValueError(f"{found} for {expected} texts")
    rows = {item["index"]: item["embedding"] for item in data}
    if rows.keys() != set(range(expected)):
        raise ValueError("their indexes do not match those of the texts")
    return [rows[position] for position in range(expected)]
