"""Tokens of prompts and replies: estimated without the model's tokenizer, or as endpoints report them; and
their price if the settings give one.

There is no common way to ask an endpoint for a count: OpenAI's protocol and Ollama have none; llama.cpp and
vLLM have their own outside the base URL, which proxies hide. So tokens are estimated before a reply, by
ratios measured with the tokenizers of Llama 3.1, Qwen 3, Gemma 3, gpt-oss and Mistral (Tekken) on acts of EU
law, pages of a government and the sample site. In every language the sum over the texts is at least the
highest of the five counts, because a server may silently cut a prompt that is too long. Older models with a
vocabulary of 32,000 tokens need up to 20 % more than these five.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Self

BYTES_PER_TOKEN: Final[Mapping[str, float]] = {"en": 5.0, "de": 3.8, "fr": 4.0}
"""Bytes per token of letters and spaces, in UTF-8."""

OTHER_BYTES_PER_TOKEN: Final = 2.5
"""The same for other languages: measured on Welsh and Urdu, which need the most tokens; Spanish needs far
fewer."""

MOST_CHARACTERS: Final = 6
"""More characters than the estimate ever counts for one token."""

MESSAGE_TOKENS: Final = 8
"""Tokens that a chat format adds to each message."""

MOST_TOKENS: Final = 10**9
"""A reported number from here up, or infinity, is not a count."""

MILLION: Final = 1_000_000

_OTHERS: Final = re.compile(r"[\W\d_]+")


def estimate(text: str, language: str = "") -> int:
    """Return an upper estimate of the tokens of a text in ``language`` (ISO 639-1): letters and spaces by the
    language's ratio; every digit, mark and line break as a token of its own."""
    return tokens_of([counted(text)], language)


def counted(text: str) -> tuple[int, int]:
    """Return the bytes of letters and spaces, and the number of other characters."""
    others = "".join(_OTHERS.findall(text.replace(" ", "")))
    return len(text.encode()) - len(others.encode()), len(others)


def tokens_of(counts: Iterable[tuple[int, int]], language: str) -> int:
    """Return the estimate for a sequence of texts, each :func:`counted`."""
    letters, others = map(sum, zip(*counts, strict=True))
    return ceil(letters / BYTES_PER_TOKEN.get(language, OTHER_BYTES_PER_TOKEN)) + others


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of prompts (some of them ``cached`` by the endpoint) and of replies."""

    prompt: float = 0
    cached: float = 0
    output: float = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            output=self.output + other.output,
        )

    def times(self, factor: float) -> "Tokens":
        """Return the tokens multiplied by ``factor``."""
        return Tokens(prompt=self.prompt * factor, cached=self.cached * factor, output=self.output * factor)

    def document(self) -> dict[str, int]:
        """Return the tokens for JSON."""
        return {"prompt": round(self.prompt), "cached": round(self.cached), "output": round(self.output)}


Report = Callable[[Tokens], object]


def usage_of(chunk: Any) -> Tokens | None:
    """Return the usage that a chunk of a stream reports, or None if it has none. Chunks are not validated, so
    any type may occur."""
    told = _of(chunk, "usage")
    prompt, output = _number(told, "prompt_tokens"), _number(told, "completion_tokens")
    if not prompt and not output:
        return None
    cached = _number(_of(told, "prompt_tokens_details"), "cached_tokens")
    return Tokens(prompt=prompt, cached=min(cached, prompt), output=output)


def _number(told: Any, name: str) -> int:
    value = _of(told, name)
    return int(value) if isinstance(value, int | float) and 0 < value < MOST_TOKENS else 0


def _of(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices per million tokens, in any currency."""

    input: float
    cached: float
    output: float

    @classmethod
    def of(cls, given: float | None, cached: float | None, output: float | None) -> Self | None:
        """Return the given prices, or None if there are none. Cached input costs as much as other input
        unless its price is given."""
        if given is None and output is None:
            return None
        paid = given or 0.0
        return cls(input=paid, cached=paid if cached is None else cached, output=output or 0.0)

    def cost(self, tokens: Tokens) -> float:
        """Return the cost of the tokens."""
        fresh = tokens.prompt - tokens.cached
        return (fresh * self.input + tokens.cached * self.cached + tokens.output * self.output) / MILLION
