"""Tokens of prompts and replies: estimated without the model's tokenizer, as endpoints tell them, and their
price where the settings name one.

Endpoints do not share a way to ask for them: the protocol of OpenAI and Ollama have none, llama.cpp and vLLM
each their own beside the base URL, which proxies hide. So before a reply they are estimated, by ratios
measured with the tokenizers of Llama 3.1, Qwen 3, Gemma 3, gpt-oss and Mistral (Tekken) on acts of EU law,
pages of a government and the sample site. In every language the sum over the texts is at least what the most
wasteful of the five counts, because a server may cut a prompt that is too long without a word. Older models
with 32,000 different tokens need up to 20 % more than these five.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Self

BYTES_PER_TOKEN: Final[Mapping[str, float]] = {"en": 5.0, "de": 3.8, "fr": 4.0}
"""Of letters and spaces, in UTF-8."""

OTHER_BYTES_PER_TOKEN: Final = 2.5
"""Of other languages: measured on Welsh and Urdu, which need the most tokens; Spanish needs far fewer."""

MOST_CHARACTERS: Final = 6
"""More than the estimate ever gives to a token."""

MESSAGE_TOKENS: Final = 8
"""Tokens that a chat format adds to each message."""

MOST_TOKENS: Final = 10**9
"""More, or infinity, is no count."""

MILLION: Final = 1_000_000

_OTHERS: Final = re.compile(r"[\W\d_]+")


def estimate(text: str, language: str = "") -> int:
    """An upper estimate of the tokens of a text in ``language`` (ISO 639-1): letters and spaces by the
    language's ratio, every digit, mark and line break as a token of its own."""
    return tokens_of([counted(text)], language)


def counted(text: str) -> tuple[int, int]:
    """Return the bytes of letters and spaces, and the number of other characters."""
    others = "".join(_OTHERS.findall(text.replace(" ", "")))
    return len(text.encode()) - len(others.encode()), len(others)


def tokens_of(counts: Iterable[tuple[int, int]], language: str) -> int:
    """Return the estimate of texts that follow each other, each :func:`counted`."""
    letters, others = map(sum, zip(*counts, strict=True))
    return ceil(letters / BYTES_PER_TOKEN.get(language, OTHER_BYTES_PER_TOKEN)) + others


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of prompts, of which so many were ``cached`` by the endpoint, and of replies."""

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
        """So many times as many."""
        return Tokens(prompt=self.prompt * factor, cached=self.cached * factor, output=self.output * factor)

    def document(self) -> dict[str, int]:
        """The tokens for JSON."""
        return {"prompt": round(self.prompt), "cached": round(self.cached), "output": round(self.output)}


Report = Callable[[Tokens], object]


def usage_of(chunk: Any) -> Tokens | None:
    """The usage that a chunk of a stream tells; ``None`` for one without. Nothing of a chunk is validated, so
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
        """The prices that are given: cached input costs as much as other input unless that is given, too.
        ``None`` where none is."""
        if given is None and output is None:
            return None
        paid = given or 0.0
        return cls(input=paid, cached=paid if cached is None else cached, output=output or 0.0)

    def cost(self, tokens: Tokens) -> float:
        """What so many tokens cost."""
        fresh = tokens.prompt - tokens.cached
        return (fresh * self.input + tokens.cached * self.cached + tokens.output * self.output) / MILLION
