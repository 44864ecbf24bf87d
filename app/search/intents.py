"""Wishes that no page answers and that get a fixed reply: somebody wants a person, asks whether this is one,
complains, is in an emergency, or asks what the chat can do.

They are told by examples (``intent_examples/``, a file for each language of the chat), compared by their
meaning, so that other words and other languages are recognised too. The examples ``other`` are questions
that pages may answer although they are like a wish ("Mit wem kann ich über einen Kindergartenplatz
sprechen?"). In a conversation, ``follow_up`` counts with them: questions that go back to what was said ("Wie
funktioniert das?").
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
import structlog

from app.errors import (
    EmbedderUnavailableError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
    SettingsError,
)
from app.presets import Preset
from app.search import analysis
from app.search.examples import Examples
from app.search.index import SearchIndex, live_generation
from app.search.languages import wish_examples
from app.search.query import knows_meaning
from app.search.types import Generation
from app.search.visibility import Hidden, ShownWords
from ingest.protocols import Embedder, VectorCache
from ingest.text import sentences
from ingest.types import Vectors

_UNAVAILABLE: Final = (
    EmbedderUnavailableError,
    IndexUnavailableError,
    PageStoreUnavailableError,
    PluginError,
    SettingsError,
)

log = structlog.get_logger(__name__)

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


@dataclass(kw_only=True, eq=False)
class IntentFinder:
    """Compares questions with the examples of wishes and with the words of pages. ``owner``: the page store
    whose pages the index must contain."""

    intents: Intents
    index: SearchIndex
    hidden: Hidden
    embedder_of: Callable[[Generation], Embedder]
    preset: Preset
    owner: str = ""

    def find(
        self, question: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool = False
    ) -> Wish | None:
        """Return the wish that the question is; ``None`` for a question about something that a page of
        ``sources`` has a word of, unless it is plainly a wish of more than two words, and without index or
        an embedder that knows meanings. Whoever is in an emergency names the place or the thing, which pages
        may have a word of, too. Whoever tells a story, and asks nothing in it, may wish for a person in the
        last sentence: it has to say nothing of pages. ``is_follow_up``: see :meth:`Intents.nearest`."""
        try:
            found = self._found(question, language, sources, is_follow_up=is_follow_up)
            *told, last = "", *sentences(question.strip())
            if found or not any(told) or "?" in "".join(told):
                return found
            wish = self._found(last, language, sources, is_follow_up=is_follow_up)
            is_person = wish is not None and wish.intent == "person"
            return wish if is_person and not self._is_about_pages(last, language, sources) else None
        except _UNAVAILABLE as error:
            log.warning("intent_unknown", message=str(error))
            return None

    def _found(
        self, text: str, language: str | None, sources: frozenset[str], *, is_follow_up: bool
    ) -> Wish | None:
        """The wish that a text as a whole is. Raises ``_UNAVAILABLE``."""
        nearest = self._nearest(text, is_follow_up=is_follow_up) if may_be_wish(text) else None
        if nearest is None:
            return None
        wish, margin = nearest
        is_plain = wish.intent == "emergency" or margin >= PLAIN_MARGIN
        if is_plain and not analysis.is_short(text):
            return wish
        return None if self._is_about_pages(text, language, sources) else wish

    def _nearest(self, question: str, *, is_follow_up: bool) -> tuple[Wish, float] | None:
        """The wish that the question is near to, and how much nearer than to the other examples."""
        generation = live_generation(self.index, self.owner)
        if not knows_meaning(str(generation.recipe.embedder["name"])):
            return None  # to it any short question is like a wish
        embedder = self.embedder_of(generation)
        relevance = self.preset.thresholds(generation.recipe.embedder).relevance
        vector = embedder.embed_query(question)
        wish, own, other = self.intents.nearest(vector, embedder, is_follow_up=is_follow_up)
        margin = relevance(own) - relevance(other)
        return (wish, margin) if relevance(own) >= LEAST_RELEVANCE and margin >= MARGIN else None

    def _is_about_pages(self, question: str, language: str | None, sources: frozenset[str]) -> bool:
        """True if a page has a word of the question that wishes have not, or all words of a short one: that
        may be a name."""
        words = analysis.content_words(question, language or "")
        pages = ShownWords(self.index, self.hidden, sources, frozenset()).frequencies(words)
        if analysis.is_short(question):
            return all(pages)
        return any(
            found for word, found in zip(words, pages, strict=True) if word not in said_words(language)
        )


def may_be_wish(question: str) -> bool:
    """True if the question is short enough for one; a single word has to be one of the examples'."""
    words = analysis.folded(question)
    return len(words) <= MOST_WORDS and (len(words) != 1 or words[0] in said_words())


def said_words(language: str | None = None) -> frozenset[str]:
    """The words of the examples of wishes in a language, of all where there are none in it, folded: those
    that say nothing of what a page is about."""
    return _said_words(language if language in wish_examples() else None)


@cache
def _said_words(language: str | None) -> frozenset[str]:
    read = [wish_examples()[language]] if language else wish_examples().values()
    wishes = (text for each in read for intent in get_args(Intent) for text in each[intent])
    return frozenset(word for text in wishes for word in analysis.folded(text))


def examples() -> tuple[tuple[str, str, str], ...]:
    """Return the examples, each with its intent, ``other`` or ``follow_up``, and its language."""
    return tuple(
        (text, name, language)
        for language, read in wish_examples().items()
        for name, texts in read.items()
        for text in texts
    )
