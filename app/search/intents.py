"""Wishes that no page answers and that get a fixed reply: somebody wants a person, asks whether this is one,
complains, is in an emergency, or asks what the chat can do.

They are told by examples (``intent_examples/``, German and English), compared by their meaning, so that other
words and other languages are recognised too. The examples ``other`` are questions that pages may answer
although they are like a wish ("Mit wem kann ich über einen Kindergartenplatz sprechen?"). In a conversation,
``follow_up`` counts with them: questions that go back to what was said ("Wie funktioniert das?").
"""

from functools import cache
from importlib.resources import files
from typing import Final, Literal, get_args

from app.search import analysis
from app.search.examples import Examples
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

Intent = Literal["emergency", "person", "machine", "complaint", "abilities"]

MOST_WORDS: Final = 16
"""A longer text tells a story, and is searched for."""

LEAST_RELEVANCE: Final = 0.44
"""How near the nearest example must be: 1 the same, 0 unrelated."""

MARGIN: Final = 0.04
"""How much nearer it must be than the nearest one of the others."""

_OTHER: Final = "other"
_FOLLOW_UP: Final = "follow_up"


class Intents:
    """Compares questions with the examples. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        self._examples = Examples([text for text, _ in _examples()], cache)

    def nearest(
        self, question: Vectors, embedder: Embedder, *, is_follow_up: bool = False
    ) -> tuple[Intent, float, float]:
        """Return the intent that a question's vector, shape ``(dims,)``, is nearest to, its cosine, and the
        nearest of the other examples'. ``is_follow_up``: it was asked in a conversation.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        best: dict[str, float] = {}
        cosines = self._examples.cosines(question, embedder)
        for (_, name), cosine in zip(_examples(), cosines, strict=True):
            best[name] = max(float(cosine), best.get(name, -1.0))
        intent = max(get_args(Intent), key=lambda name: best[name])
        others = (_OTHER, _FOLLOW_UP) if is_follow_up else (_OTHER,)
        return intent, best[intent], max(best[name] for name in others)


def may_be_wish(question: str) -> bool:
    """True if the question is short enough for one."""
    return len(analysis.words(question)) <= MOST_WORDS


@cache
def said_words() -> frozenset[str]:
    """The words of the examples of wishes, folded: those that say nothing of what a page is about."""
    wishes = (text for text, name in _examples() if name not in (_OTHER, _FOLLOW_UP))
    return frozenset(word for text in wishes for word in analysis.folded(text))


@cache
def _examples() -> tuple[tuple[str, str], ...]:
    """The examples, each with its intent, ``other`` or ``follow_up``."""
    folder = files("app.search").joinpath("intent_examples")
    return tuple(
        (line, name)
        for name in (*get_args(Intent), _OTHER, _FOLLOW_UP)
        for line in folder.joinpath(f"{name}.txt").read_text("utf-8").splitlines()
        if line
    )
