"""Scores of a cross-encoder behind a server's ``/rerank``.

Two forms of requests and replies are in use:

* ``cohere``, of Cohere, Jina, vLLM, llama.cpp and Infinity: ``{model, query, documents, top_n}`` returns
  ``{results: [{index, relevance_score}]}``.
* ``tei``, of Text Embeddings Inference: ``{query, texts}`` returns ``[{index, score}]``.

Replies are validated, because a wrong score would put a wrong page first.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import PositiveFloat, PositiveInt

from ingest.availability import CHECK_SECONDS, Availability, listed_names
from ingest.errors import RerankerUnavailableError
from ingest.json_client import JsonClient, ServerError, TransientError, checked_key, server_name
from ingest.options import validate_options
from ingest.protocols import Recipe
from ingest.said import Said

FormName = Literal["cohere", "tei"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """Names in requests and replies. ``results``: the key of a reply's results; empty if it is their list."""

    documents: str
    results: str
    score: str

    def request(self, model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the body of a request for the scores of all texts."""
        body: dict[str, Any] = {"query": question, self.documents: texts}
        if self is _TEI:
            return {**body, "truncate": True}  # otherwise one text that is too long fails the request
        return {**body, "top_n": len(texts), **({"model": model} if model else {})}

    def scores(self, reply: Any, expected: int) -> list[float]:
        """Return the scores of a reply in the order of the texts; a server sends the best first. Raises
        ``ValueError``."""
        results = reply
        if self.results:
            results = reply.get(self.results) if isinstance(reply, dict) else None
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise ValueError("no list of results")
        if len(results) != expected:
            raise ValueError(f"{len(results)} for {expected} texts")
        scores = {_index(each): self._score(each) for each in results}
        if scores.keys() != set(range(expected)):
            raise ValueError("their indexes do not match those of the texts")
        return [scores[position] for position in range(expected)]

    def _score(self, result: Mapping[str, Any]) -> float:
        score = result.get(self.score)
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise ValueError(f"{self.score} is not a number")
        return float(score)


def _index(result: Mapping[str, Any]) -> int:
    index = result.get("index")
    if isinstance(index, bool) or not isinstance(index, int):
        raise ValueError("index is not a number")
    return index


_COHERE: Final = _Form(documents="documents", results="results", score="relevance_score")
_TEI: Final = _Form(documents="texts", results="", score="score")
_FORMS: Final[Mapping[FormName, _Form]] = {"cohere": _COHERE, "tei": _TEI}


class EndpointReranker:
    """A model on a server.

    ``form``: of requests and replies. ``seconds``: the limit for all texts of a question; there are no
    retries, because a visitor waits. ``batch``: texts per request; Text Embeddings Inference accepts 32
    unless configured otherwise.
    """

    recipe_options: ClassVar[tuple[str, ...]] = ("model", "form")

    @validate_options
    def __init__(
        self,
        *,
        base_url: str,
        model: str = "",
        api_key: str = "",
        form: FormName = "cohere",
        seconds: PositiveFloat = 4.0,
        batch: PositiveInt = 32,
    ) -> None:
        self.recipe: Recipe = {"name": "endpoint", "model": model, "form": form}
        self._model = model
        self._form = _FORMS[form]
        self._seconds = seconds
        self._batch = batch
        server = server_name(base_url, "http://127.0.0.1:8000/v1")
        self._label = (
            Said("reranker {model!r} at {server}", model=model, server=server)
            if model
            else Said("reranker at {server}", server=server)
        )
        self.availability = Availability(self._check)
        self._client = JsonClient(
            self._label,
            base_url,
            api_key=checked_key(api_key),
            seconds=seconds,
            seconds_option="seconds",
            texts_option="batch",
        )

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text, or raise ``RerankerUnavailableError`` within ``seconds``."""
        if not texts:
            return []
        deadline = time.monotonic() + self._seconds
        try:
            with self.availability.in_use():
                scores = [
                    score
                    for start in range(0, len(texts), self._batch)
                    for score in self._scores(question, texts[start : start + self._batch], deadline)
                ]
        except ServerError as error:
            self.availability.record(error)
            raise RerankerUnavailableError(str(error), retry_seconds=getattr(error, "wait", None)) from error
        self.availability.record()
        return scores

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _check(self) -> None:
        """Check the server by its ``info`` or its list of models, which costs nothing; if it has neither, or
        does not list the model, have one word scored. Raises ``ServerError``."""
        try:
            if self._form is _TEI:
                self._client.get("info", seconds=CHECK_SECONDS)
                return
            if self._model in listed_names(self._client.get("models", seconds=CHECK_SECONDS)):
                return
        except TransientError:
            raise
        except ServerError:
            pass
        self._scores("hello", ["hello"], time.monotonic() + CHECK_SECONDS)

    def _scores(self, question: str, texts: Sequence[str], deadline: float) -> list[float]:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TransientError(f"{self._label} does not answer in time: see seconds, and raise batch")
        # Servers refuse empty input, and some stop reading at NUL.
        clean = [text.replace("\0", " ") or " " for text in texts]
        body = self._form.request(self._model, question.replace("\0", " ") or " ", clean)
        reply = self._client.post("rerank", body, retry_seconds=0, seconds=left)
        try:
            return self._form.scores(reply, len(clean))
        except (OverflowError, ValueError) as error:
            raise ServerError(
                f"{self._label} sent no usable scores: {error}; check the option form"
            ) from error
