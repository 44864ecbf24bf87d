"""Finds the words that carry a question and that its pages neither have nor say in other words.

"Wo kann ich einen Bauantrag stellen?" comes near every page on which something is applied for. A word that no
page has is named if the question means something else without it, and if no word of the best blocks is a
synonym. Both are asked of the embedder, so that no list of words is needed: greetings and what people tell
around a question change its meaning little.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from time import monotonic
from typing import Final

import structlog

from app.search import analysis
from app.search.block_comparison import BlockComparison
from app.search.blocks import FoundBlock, ranked_blocks
from app.search.meaning import Meaning
from app.search.query import Query
from app.search.types import Hit
from ingest.errors import EmbedderUnavailableError, PluginError

BLOCKS: Final = 6
"""The best blocks, among whose words a synonym is looked for."""

MOST_WORDS: Final = 6
"""A question with more unknown words is in another language, or a story."""

CARRYING: Final = 0.89
"""How relevant the question without a word is to the whole question, at most, if the word carries it."""

SAME: Final = 0.66
"""From which relevance on two words mean the same."""

SAME_COMPOUND: Final = 0.84
"""The same for compounds with a common part, which are near each other whatever they mean: "Grundsteuer" is
not "Hundesteuer"."""

EXPLAINED: Final = 0.05
"""How much less relevant the best block becomes without a word that it says in other words."""

SECONDS: Final = 1.0
"""For a synonym is looked no longer."""

COMMON_LETTERS: Final = 4
COMPOUND_LETTERS: Final = 8

_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")

log: Final = structlog.get_logger(__name__)


class AbsentWords:
    """Looks for them in the blocks found. Thread-safe; keeps no state of its own."""

    def __init__(self, comparison: BlockComparison) -> None:
        self._comparison = comparison

    def found(self, query: Query, hits: Sequence[Hit], meaning: Meaning) -> tuple[str, ...]:
        """Return the words that carry the question and that neither its pages nor the best blocks of the
        ``hits`` have, as they are written in it; none if the embedder fails.
        """
        question, candidates = query.question, _candidates(query.question, query.unknown)
        if not candidates:
            return ()
        best = ranked_blocks(question, question, query.language or "", hits)[:BLOCKS]
        words = _words_of(best)
        try:
            return tuple(
                word
                for word in candidates
                if self._carries(word, question, best, words, meaning)
                and not _has_synonym(word, words, meaning)
            )
        except (EmbedderUnavailableError, PluginError) as error:
            log.warning("absent_words_unknown", message=str(error))
            return ()

    def _carries(
        self, word: str, question: str, best: Sequence[FoundBlock], words: Sequence[str], meaning: Meaning
    ) -> bool:
        """True if the question means something else without the word, and the blocks do not explain it."""
        without = meaning.of(_without(question, word))
        if meaning.relevance(without.vector) > CARRYING:
            return False
        if _shares_part(word, words):
            return True
        vectors = self._comparison.vectors(best, meaning.embedder)
        with_word, lost = (max(map(each.relevance, vectors), default=0.0) for each in (meaning, without))
        return with_word - lost <= EXPLAINED


def _has_synonym(word: str, words: Sequence[str], meaning: Meaning) -> bool:
    """True if a word of the blocks means the same, or ends with the word."""
    folded = word.casefold()
    if len(word) >= COMMON_LETTERS and any(other.casefold().endswith(folded) for other in words):
        return True
    same = SAME_COMPOUND if _shares_part(word, words) else SAME
    of_word, until = meaning.of(word), monotonic() + SECONDS
    nouns = [other for other in words if other[0].isupper()] if word[0].isupper() else words
    known = takewhile(lambda _: monotonic() < until, nouns)
    return any(of_word.relevance(meaning.of(other).vector) >= same for other in known)


def _candidates(question: str, unknown: Sequence[str]) -> list[str]:
    """The unknown words as they are written in the question. Where it has capitals within, German nouns have
    them, and other words are left out; none if there are too many."""
    if not unknown or len(unknown) > MOST_WORDS:
        return []
    written = _WORD.findall(question)
    has_nouns = (
        any(word[0].isupper() for word in written[1:]) and analysis.question_language(question) == "de"
    )
    wanted = set(unknown)
    found = (word for word in written if not wanted.isdisjoint(analysis.folded(word)) and len(word) > 1)
    return list(dict.fromkeys(word for word in found if word[0].isupper() or not has_nouns))


def _without(question: str, word: str) -> str:
    return re.sub(rf"\b{re.escape(word)}\b", "", question)


def _words_of(blocks: Sequence[FoundBlock]) -> list[str]:
    """The content words of blocks, with those of titles and headings, as they are written."""
    functional = frozenset[str]().union(*map(analysis.stop_words, analysis.LISTED_LANGUAGES))
    texts = (
        (block.page.title, *block.headings, analysis.without_targets(block.markdown)) for block in blocks
    )
    words = (word for parts in texts for part in parts for word in _LETTERS.findall(part))
    return [word for word in dict.fromkeys(words) if word.casefold() not in functional]


def _shares_part(word: str, others: Sequence[str]) -> bool:
    """True if the word may be a compound with a part that one of the others has."""
    if len(word) < COMPOUND_LETTERS:
        return False
    folded = word.casefold()
    return any(
        folded.startswith(other)
        or folded.endswith(other)
        or (len(other) > COMMON_LETTERS + 2 and folded[-5:] == other[-5:])
        for other in (each.casefold() for each in others if len(each) >= COMMON_LETTERS)
    )
