"""Tells general questions, which a clerk asks back, from those that a clerk answers at once.

They are told by examples (``questions.json``, German and English), compared by their meaning: "Ich brauche
eine Bescheinigung" says nothing of the case, "Kann mein Mann den Pass für mich abholen?" does, whatever pages
there are.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Final

GENERAL: Final = 0.11
"""So much nearer to the general examples than to the clear ones, both on average, a question is general.
Measured with the embedder ``e5`` (docs/quality.md); at .08 several times as many clear questions were asked
back."""

Similarity = Callable[[str, Sequence[str]], list[float] | None]


def is_general(question: str, similarity: Similarity) -> bool:
    """Return True for a general question. ``similarity``: as :meth:`SiteSearch.similarity`, which embeds
    the examples once and remembers them; without meanings no question is general."""
    general, clear = (_examples()[kind] for kind in ("general", "clear"))
    near = similarity(question, (*general, *clear))
    return near is not None and fmean(near[: len(general)]) - fmean(near[len(general) :]) >= GENERAL


@cache
def _examples() -> Mapping[str, Sequence[str]]:
    """The examples, ``general`` and ``clear`` ones."""
    examples: Mapping[str, Sequence[str]] = json.loads(
        files(__package__).joinpath("questions.json").read_text("utf-8")
    )
    return examples
