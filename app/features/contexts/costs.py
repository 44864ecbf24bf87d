"""Costs of contexts: the tokens that they took, and will take."""

from collections.abc import Mapping
from typing import Final

from app.chat.model.tokens import Tokens
from app.features.contexts.feature import CONTEXT_TOKENS
from app.features.contexts.store import SourceContexts
from app.pages.counters import Key

BYTES_PER_TOKEN: Final = 3.5
PROMPT_TOKENS: Final = 500
"""Of a prompt beside the document: instructions and chunk."""

REPLY_TOKENS: Final = 80


def used(amounts: Mapping[Key, float], source: str) -> Tokens:
    """The tokens that the contexts of a source took so far."""
    prompt, cached, output = (
        amounts.get((CONTEXT_TOKENS, source, kind), 0.0) for kind in ("prompt", "cached", "output")
    )
    return Tokens(prompt=prompt, cached=cached, output=output)


def expected(found: SourceContexts, so_far: Tokens, replies: float) -> Tokens:
    """The tokens that what is missing will take: as many for each as the ``replies`` so far did, or by the
    length of the documents while there are none."""
    if replies:
        return so_far.times(found.missing / replies)
    read = found.missing_bytes / BYTES_PER_TOKEN + found.missing * PROMPT_TOKENS
    return Tokens(prompt=read, output=found.missing * REPLY_TOKENS)
