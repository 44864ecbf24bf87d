"""Wishes that no page answers and that get a fixed reply: somebody wants to talk to a person, asks if this is
one, complains, is in an emergency, or asks what the chat can do.

They are recognised by examples (``intent_examples/``, a file for each language of the chat), compared by
meaning, so that other words and other languages are recognised too. The examples ``other`` are questions that
pages may answer although they resemble a wish ("Mit wem kann ich über einen Kindergartenplatz sprechen?").
In a conversation, the examples ``follow_up`` count as ``other`` too: questions that refer back to an earlier
answer ("Wie funktioniert das?").
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
from app.search.answer_kinds import asked_kinds
from app.search.examples import Examples, QuestionDocuments, nearest_mean
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
    """A visitor's intent, and the language of the nearest example (ISO 639-1)."""

    intent: Intent
    language: str


MOST_WORDS: Final = 16
"""A longer text is not a wish but a story, and is searched for."""

LEAST_RELEVANCE: Final = 0.44
"""The least mean relevance of the nearest examples: 1 the same, 0 unrelated."""

MARGIN: Final = 0.04
"""The nearest examples must exceed the nearest of the others by at least this relevance, on average."""

PLAIN_MARGIN: Final = 0.09
"""From this margin up, a text is a wish whatever words of pages it has: "Ich will keinen Automaten" is not
about a photo booth (*Fotoautomat*)."""

_OTHER: Final = "other"
_FOLLOW_UP: Final = "follow_up"


class Intents:
    """The examples of wishes, with which questions are compared. Thread-safe."""

    def __init__(self, cache: VectorCache) -> None:
        told = sorted(examples(), key=itemgetter(2), reverse=True)
        names = np.array([name for _, name, _ in told])
        self._languages = [language for _, _, language in told]
        self._numbers = {name: np.flatnonzero(names == name) for name in {name for _, name, _ in told}}
        self._examples = Examples([text for text, _, _ in told], cache)

    def nearest(
        self, question: Vectors, embedder: Embedder, *, is_follow_up: bool = False
    ) -> tuple[Wish, float, float]:
        """Return the wish that a question's vector, shape ``(dims,)``, is nearest to, its mean cosine with
        the ``NEAREST`` examples, and that of the other examples. ``is_follow_up``: it was asked in a
        conversation, where a single near example of ``follow_up`` counts, because these are set phrases.

        Raises ``EmbedderUnavailableError``, and what the cache raises, until the examples are embedded.
        """
        cosines = self._examples.cosines(question, QuestionDocuments(embedder))
        mean_of = {name: nearest_mean(cosines[numbers]) for name, numbers in self._numbers.items()}
        intent = max(get_args(Intent), key=lambda name: mean_of[name])
        numbers = self._numbers[intent]
        wish = Wish(intent, self._languages[int(numbers[cosines[numbers].argmax()])])
        other = mean_of[_OTHER]
        if is_follow_up:
            other = max(other, float(cosines[self._numbers[_FOLLOW_UP]].max()))
        return wish, mean_of[intent], other


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
        """Return the wish that the question expresses; ``None`` if it is none, and without an index or an
        embedder that knows meanings.

        * A question with a word of its own that a page of ``sources`` has is no wish, unless it is plainly a
          wish of more than two words.
        * An emergency of more than two words always counts if it asks for no kind of answer ("May my son swim
          alone?"), because people name a place or a thing that pages may have too.
        * After a story without a question, the last sentence may wish for a person, if it has no word of
          pages.

        ``is_follow_up``: see :meth:`Intents.nearest`.
        """
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
        """Return the wish that a text as a whole expresses. Raises ``_UNAVAILABLE``."""
        nearest = self._nearest(text, is_follow_up=is_follow_up) if may_be_wish(text) else None
        if nearest is None:
            return None
        wish, margin = nearest
        says_so = wish.intent == "emergency" and not asked_kinds(text)
        is_plain = says_so or margin >= PLAIN_MARGIN
        if is_plain and not analysis.is_short(text):
            return wish
        return None if self._is_about_pages(text, language, sources) else wish

    def _nearest(self, question: str, *, is_follow_up: bool) -> tuple[Wish, float] | None:
        """Return the wish that the question is near to, and the margin to the other examples."""
        generation = live_generation(self.index, self.owner)
        if not knows_meaning(str(generation.recipe.embedder["name"])):
            return None  # this embedder finds any short question similar to a wish
        embedder = self.embedder_of(generation)
        relevance = self.preset.thresholds(generation.recipe.embedder).relevance
        vector = embedder.embed_query(question)
        wish, own, other = self.intents.nearest(vector, embedder, is_follow_up=is_follow_up)
        margin = relevance(own) - relevance(other)
        return (wish, margin) if relevance(own) >= LEAST_RELEVANCE and margin >= MARGIN else None

    def _is_about_pages(self, question: str, language: str | None, sources: frozenset[str]) -> bool:
        """Return True if a page has a word of the question that is not used in wishes, or all words of a
        short question, which may be a name."""
        words = analysis.content_words(question, language or "")
        pages = ShownWords(self.index, self.hidden, sources, frozenset()).frequencies(words)
        if analysis.is_short(question):
            return all(pages)
        return any(
            found for word, found in zip(words, pages, strict=True) if word not in said_words(language)
        )


def may_be_wish(question: str) -> bool:
    """Return True if the question is short enough for a wish; a single word must be one of the examples'."""
    words = analysis.folded(question)
    return len(words) <= MOST_WORDS and (len(words) != 1 or words[0] in said_words())


def said_words(language: str | None = None) -> frozenset[str]:
    """Return the folded words of the examples of wishes in a language, or in all languages if there are none
    in it. They do not show what a page is about."""
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
