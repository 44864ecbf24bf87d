"""Wishes that no page answers and that get a fixed reply: somebody wants a person, asks whether this is one,
complains, is in an emergency, or asks what the chat can do.

They are told by examples (``intent_examples/``, a file for each language of the chat), compared by their
meaning, so that other words and other languages are recognised too. The examples ``other`` are questions
that pages may answer although they are like a wish ("Mit wem kann ich über einen Kindergartenplatz
sprechen?"). In a conversation, ``follow_up`` counts with them: questions that go back to what was said ("Wie
funktioniert das?").
"""

from functools import cache
from operator import itemgetter
from typing import Final, Literal, NamedTuple, get_args

import numpy as np

from app.search import analysis
from app.search.examples import Examples
from app.search.wish_examples import by_language
from ingest.protocols import Embedder, VectorCache
from ingest.types import Vectors

Intent = Literal["emergency", "person", "machine", "complaint", "abilities"]


class Wish(NamedTuple):
    """What somebody wishes, and the language of the example that is nearest to the words (ISO 639-1)."""

    intent: Intent
    language: str


MOST_WORDS: Final = 16
"""A longer text tells a story, and is searched for."""

LEAST_RELEVANCE: Final = 0.44
"""How near the nearest example must be: 1 the same, 0 unrelated."""

MARGIN: Final = 0.04
"""How much nearer it must be than the nearest one of the others."""

PLAIN_MARGIN: Final = 0.12
"""So much nearer, it is a wish whatever its words are: "Ich will keinen Automaten" says nothing of the one
for photos."""

_OTHER: Final = "other"
_FOLLOW_UP: Final = "follow_up"


class Intents:
    """Compares questions with the examples. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        told = sorted(examples(), key=itemgetter(2), reverse=True)
        names = np.array([name for _, name, _ in told])
        self._languages = [language for _, _, language in told]
        self._numbers = {name: np.flatnonzero(names == name) for name in {name for _, name, _ in told}}
        self._examples = Examples([text for text, _, _ in told], cache)

    def nearest(
        self, question: Vectors, embedder: Embedder, *, is_follow_up: bool = False
    ) -> tuple[Wish, float, float]:
        """Return the wish that a question's vector, shape ``(dims,)``, is nearest to, its cosine, and the
        nearest of the other examples'. ``is_follow_up``: it was asked in a conversation.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        cosines = self._examples.cosines(question, embedder)
        best = {name: int(numbers[cosines[numbers].argmax()]) for name, numbers in self._numbers.items()}
        cosine_of = {name: float(cosines[number]) for name, number in best.items()}
        intent = max(get_args(Intent), key=lambda name: cosine_of[name])
        others = (_OTHER, _FOLLOW_UP) if is_follow_up else (_OTHER,)
        wish = Wish(intent, self._languages[best[intent]])
        return wish, cosine_of[intent], max(cosine_of[name] for name in others)


def may_be_wish(question: str) -> bool:
    """True if the question is short enough for one; a single word has to be one of the examples'."""
    words = analysis.folded(question)
    return len(words) <= MOST_WORDS and (len(words) != 1 or words[0] in said_words())


def said_words(language: str | None = None) -> frozenset[str]:
    """The words of the examples of wishes in a language, of all where there are none in it, folded: those
    that say nothing of what a page is about."""
    return _said_words(language if language in by_language() else None)


@cache
def _said_words(language: str | None) -> frozenset[str]:
    read = [by_language()[language]] if language else by_language().values()
    wishes = (text for each in read for intent in get_args(Intent) for text in each[intent])
    return frozenset(word for text in wishes for word in analysis.folded(text))


def examples() -> tuple[tuple[str, str, str], ...]:
    """Return the examples, each with its intent, ``other`` or ``follow_up``, and its language."""
    return tuple(
        (text, name, language)
        for language, read in by_language().items()
        for name, texts in read.items()
        for text in texts
    )
