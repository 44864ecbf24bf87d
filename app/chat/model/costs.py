"""Costs of language models: tokens, and their price where the settings name one."""

from dataclasses import dataclass
from typing import Final, Self

MILLION: Final = 1_000_000


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
