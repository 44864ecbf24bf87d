"""Tokens that a reply took, as endpoints tell them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MOST_TOKENS: Final = 10**9
"""More, or infinity, is no count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of the ``prompt``, of which so many were ``cached`` by the endpoint, and of the ``output``."""

    prompt: int
    cached: int
    output: int


Report = Callable[[Usage], object]


def usage_of(chunk: Any) -> Usage | None:
    """The usage that a chunk of a stream tells; ``None`` for one without. Nothing of a chunk is validated, so
    any type may occur."""
    told = _of(chunk, "usage")
    prompt, output = _number(told, "prompt_tokens"), _number(told, "completion_tokens")
    if not prompt and not output:
        return None
    cached = _number(_of(told, "prompt_tokens_details"), "cached_tokens")
    return Usage(prompt=prompt, cached=min(cached, prompt), output=output)


def _number(told: Any, name: str) -> int:
    value = _of(told, name)
    return int(value) if isinstance(value, int | float) and 0 < value < MOST_TOKENS else 0


def _of(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else None
