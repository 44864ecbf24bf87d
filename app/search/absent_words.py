"""Finds the words that carry a question and that its pages neither have nor express in other words.

"Wo kann ich einen Bauantrag stellen?" comes near every page on which something is applied for. A word that no
page has is absent if

* the question means something else without it,
* the best block is no nearer to the question with it than without it, and
* no word of the best blocks is a synonym.

All three are measured with the embedder, because greetings and the story around a question change its meaning
little. Only words for days, for ways to reach somebody, and for whom somebody asks ("my husband") are listed:
pages state hours and numbers, and who may do something, without these words.

Several words may carry a question together: each word of "pothole on our road wrecked my tyre" can be left
out, because the others still say it. So all words without a synonym are also left out at once.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from time import monotonic
from typing import Final

import structlog

from app.presets import Thresholds
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.block_comparison import BlockComparison
from app.search.blocks import READ_CHARACTERS, ranked_blocks
from app.search.languages import question_language
from app.search.query import Meaning, Query
from app.search.recorder import WordEvidence, WordsUnknown, record
from app.search.retrieval import Hit
from ingest.errors import EmbedderUnavailableError, PluginError
from ingest.text import sentences
from ingest.types import Vectors

BLOCKS: Final = 6
"""The number of best blocks in which a synonym is looked for."""

MOST_WORDS: Final = 6
"""With more unknown words, a question is in another language or a story, and no word is checked."""

SECONDS: Final = 1.0
"""The longest time to look for a synonym of a word."""

ENDING_LETTERS: Final = 4
BEGINNING_LETTERS: Final = 5
"""A word with at least this many letters is not absent if a word of the best blocks ends, or begins, with
it."""

HEAD_LETTERS: Final = 6
"""A word with at least this many letters is not absent if a word on any page found ends with it. Shorter
words end others by chance."""

COMPOUND_LETTERS: Final = 8

SAYS_ALL: Final = 0.8
"""From this likelihood up (:mod:`app.search.block_reader`) a block answers, whatever words it has: a block
about leaves answers a question about an apple tree's leaves."""

TOGETHER: Final = 2
"""Words carry a question together if without them it loses this many times the relevance that it loses
without a single carrying word. At most this many are named, those whose loss is greatest."""

_REACH: Final = re.compile(
    r"(?:telefon|ruf|fax|handy)?nummern?|telefon|durchwahl|(?:post|mail|e-mail)?adressen?|(?:post)?anschrift|e?mail"
    r"|kontakt|kontaktdaten|kontaktieren?|erreich(?:en?|bar|t)?|an(?:zu)?rufen|ansprechpartner(?:in|innen)?|(?:öffnungs|sprech)zeiten|phone|telephone|address|contact|reach",
    re.IGNORECASE,
)
"""Words for ways to reach somebody, which pages state without these words."""

_DAY: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tage?s?|mittwochs?|sonnabende?s?|heiligabend|silvester|neujahr|karfreitag|(?:oster|pfingst)(?:sonn|mon)tag|feiertage?n?",
    re.IGNORECASE,
)
"""Words for days, for which pages state the date or that it is a holiday."""

_FOR_WHOM: Final = re.compile(
    r"\b(?:mein|unser|my|our)(?:e[mnrs]?)?\s+(?:\w+e[mnrs]?\s+)?(?P<whom>(?:ehe|schwieger|groß|stief)?"
    r"(?:mann|frau|vater|mutter|söhn|sohn|tochter|töchter|eltern)e?[ns]?|partner(?:in)?s?|freund(?:in)?(?:es)?"
    r"|br[uü]ders?|schwestern?|papas?|mamas?|omas?|opas?|onkels?|tanten?|neffen?|nichten?|enkel(?:in)?s?"
    r"|nachbar(?:in|n|s)?|kolleg(?:en?|in)|chef(?:in)?s?|husband|wife|boyfriend|girlfriend|friend|father|mother"
    r"|dad|mum|mom|parents?|brother|sister|son|daughter|grand(?:ma|pa|father|mother|son|daughter)|aunt|uncle"
    r"|neighbou?r|colleague|boss)\b",
    re.IGNORECASE,
)
"""The person on whose behalf somebody asks, apart from the matter of the question."""

_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")

log: Final = structlog.get_logger(__name__)


class AbsentWords:
    """Finds the absent words of questions. Thread-safe; keeps no state of its own."""

    def __init__(self, comparison: BlockComparison) -> None:
        self._comparison = comparison

    def found(self, query: Query, hits: Sequence[Hit], meaning: Meaning) -> tuple[str, ...]:
        """Return the absent words of the question, as they are written in it; empty if a block that was read
        surely answers, or if the embedder fails."""
        if any(answers >= SAYS_ALL for hit in hits for answers in hit.likelihoods.values()):
            return ()
        try:
            unknown = self._unknown(query, hits, meaning)
            record(WordsUnknown, words=unknown)
            absent = [each for each in unknown if is_absent(each, meaning.thresholds)]
            return tuple(each.word for each in absent or _absent_together(unknown, meaning.thresholds))
        except (EmbedderUnavailableError, PluginError) as error:
            log.warning("absent_words_unknown", message=str(error))
            return ()

    def _unknown(self, query: Query, hits: Sequence[Hit], meaning: Meaning) -> list["UnknownWord"]:
        """Return the words that may be absent. Accessing their evidence may raise
        ``EmbedderUnavailableError``."""
        question = query.question
        words = _candidates(question, query.unknown)
        if not words:
            return []
        best = ranked_blocks(question, question, query.language or "", hits, BLOCKS)
        texts = [
            " ".join((block.page.title, *block.headings, analysis.without_targets(block.markdown)))
            for block in best
        ]
        site = _Site(
            words=_content_words(" ".join(texts)),
            hits=hits,
            blocks=tuple(self._comparison.vectors(best, meaning.embedder)),
        )
        return [
            UnknownWord(word=word, part=part, question=question, meaning=meaning, site=site)
            for part, word in words
        ]


def is_absent(word: WordEvidence, thresholds: Thresholds) -> bool:
    """Return True if the word carries the question and the best blocks do not express it in other words."""
    return (
        word.without <= thresholds.carrying
        and word.explained <= thresholds.explained
        and not _is_said(word, thresholds)
    )


def _is_said(word: WordEvidence, thresholds: Thresholds) -> bool:
    """Return True if the best blocks have the word in another form, or a synonym."""
    return word.is_part or word.nearest >= (thresholds.same_compound if word.is_compound else thresholds.same)


def _absent_together(unknown: Sequence["UnknownWord"], thresholds: Thresholds) -> list["UnknownWord"]:
    """Return the absent words if the unknown words only carry the question together, otherwise nothing.
    Synonyms, which take longest, are looked for last."""
    words = [each for each in unknown if not each.is_part]
    if not _carry(words, thresholds):
        return []
    unsaid = [each for each in words if not _is_said(each, thresholds)]
    if len(unsaid) < len(words) and not _carry(unsaid, thresholds):
        return []
    named = {each.word for each in sorted(unsaid, key=lambda each: each.without)[:TOGETHER]}
    return [each for each in unsaid if each.word in named]


def _carry(words: Sequence["UnknownWord"], thresholds: Thresholds) -> bool:
    """Return True if the words carry the question together, and the best block is no nearer because of
    them."""
    if len(words) < TOGETHER:
        return False
    site, whole = words[0].site, words[0].meaning
    rest = whole.of(_without(words[0].question, *(each.word for each in words)))
    is_lost = whole.relevance(rest.vector) <= 1 - TOGETHER * (1 - thresholds.carrying)
    return is_lost and site.explained(whole, rest) <= thresholds.explained


@dataclass(frozen=True)
class _Site:
    """The pages found. ``words``: the content words of the best blocks as they are written; ``blocks``: the
    vectors of these blocks, each ``(dims,)``."""

    words: Sequence[str]
    hits: Sequence[Hit]
    blocks: Sequence[Vectors]

    def has_ending(self, word: str) -> bool:
        """Return True if a longer word of the pages ends with this case-folded one."""
        ending = re.compile(rf"[^\W\d_]{re.escape(word)}\b")
        return any(word in text and ending.search(text) for text in self._texts)

    @cached_property
    def _texts(self) -> Sequence[str]:
        """The case-folded texts of the pages, computed once for all unknown words."""
        texts = (text[:READ_CHARACTERS] for hit in self.hits for text in hit.page.fields.values())
        return [analysis.without_targets(text).casefold() for text in texts]

    def explained(self, question: Meaning, rest: Meaning) -> float:
        """Return how much less relevant the best block is to the ``rest`` of the question, as a share of what
        the question itself loses."""
        lost = 1 - question.relevance(rest.vector)
        return (self._relevance(question) - self._relevance(rest)) / lost if lost > 0 else 1.0

    def _relevance(self, meaning: Meaning) -> float:
        """Return the relevance of the best block; 0 without blocks."""
        return max(map(meaning.relevance, self.blocks), default=0.0)


@dataclass(frozen=True)
class UnknownWord:
    """A word of a question that no page has, with its :class:`WordEvidence`, computed when it is first
    accessed. ``part``: the part of the question that asks."""

    word: str
    part: str
    question: str
    meaning: Meaning
    site: _Site

    @cached_property
    def without(self) -> float:
        """The relevance of the asking part without the word to the whole part."""
        if self.part == self.question:
            return self.meaning.relevance(self._rest.vector)
        whole, rest = (self.meaning.of(text) for text in (self.part, _without(self.part, self.word)))
        return whole.relevance(rest.vector)

    @cached_property
    def explained(self) -> float:
        """How much less relevant the best block becomes without the word (:meth:`_Site.explained`)."""
        return self.site.explained(self.meaning, self._rest)

    @cached_property
    def nearest(self) -> float:
        """The relevance of the nearest word of the blocks. A noun is compared only with nouns."""
        own, until = self.meaning.of(self.word), monotonic() + SECONDS
        is_noun = self.word[0].isupper()
        others = [other for other in self.site.words if other[0].isupper() or not is_noun]
        known = takewhile(lambda _: monotonic() < until, others)
        return max((own.relevance(self.meaning.of(other).vector) for other in known), default=0.0)

    @cached_property
    def is_part(self) -> bool:
        """True if a word of the blocks begins or ends with it, or a longer word of the pages ends with it: a
        Stadtbücherei is a Bücherei, wherever it is named."""
        word, others = self.word.casefold(), [other.casefold() for other in self.site.words]
        if len(word) >= BEGINNING_LETTERS and any(other.startswith(word) for other in others):
            return True
        if len(word) >= ENDING_LETTERS and any(other.endswith(word) for other in others):
            return True
        return len(word) >= HEAD_LETTERS and self.site.has_ending(word)

    @cached_property
    def is_compound(self) -> bool:
        """True if it may be a compound that shares a part with a word of the blocks."""
        return _shares_part(self.word, self.site.words)

    @cached_property
    def _rest(self) -> Meaning:
        return self.meaning.of(_without(self.question, self.word))


def _candidates(question: str, unknown: Sequence[str]) -> list[tuple[str, str]]:
    """Return the unknown words as they are written, each with the part of the question that it is in; empty
    if there are more than ``MOST_WORDS``. If a German question has capitals at its beginning and within, it
    capitalises nouns, and other words are left out."""
    if not unknown or len(unknown) > MOST_WORDS:
        return []
    capitals = [word[0].isupper() for word in _WORD.findall(question) if word[0].isalpha()]
    has_nouns = any(capitals[1:]) and capitals[0] and question_language(question) == "de"
    found = dict[str, str]()
    for part in _asking(question, has_nouns=has_nouns):
        for word in _WORD.findall(part):
            is_unknown = len(word) > 1 and not set(unknown).isdisjoint(analysis.folded(word))
            if is_unknown and (word[0].isupper() or not has_nouns) and not _is_said_otherwise(word, question):
                found[word] = part
    return [(part, word) for word, part in found.items()]


def _is_said_otherwise(word: str, question: str) -> bool:
    """Return True for a word for something that pages state without it, or for a person asked for."""
    if _REACH.fullmatch(word) or any(found["whom"] == word for found in _FOR_WHOM.finditer(question)):
        return True
    return bool(_DAY.fullmatch(word)) and any(kind.name == "hours" for kind in asked_kinds(question))


def _asking(question: str, *, has_nouns: bool) -> list[str]:
    """Return the sentences that ask, without the story around them; the question as a whole if they only
    refer to the story: "Wer entfernt das?"."""
    told = [sentence.strip() for sentence in sentences(question)]
    asking = [sentence for sentence in told if sentence.endswith("?")]
    if len(asking) == len(told):
        return asking if len(asking) > 1 else [question]
    names = [word for sentence in asking for word in _content_words(" ".join(sentence.split()[1:]))]
    return asking if any(word[0].isupper() or not has_nouns for word in names) else [question]


def _without(question: str, *words: str) -> str:
    return re.sub(rf"\b(?:{'|'.join(map(re.escape, words))})\b", "", question)


def _content_words(text: str) -> list[str]:
    """Return the content words of a text as they are written, each once."""
    words = dict.fromkeys(_LETTERS.findall(text))
    return [word for word in words if word.casefold() not in analysis.function_words()]


def _shares_part(word: str, others: Sequence[str]) -> bool:
    """Return True if the word may be a compound that shares a part with one of the others."""
    if len(word) < COMPOUND_LETTERS:
        return False
    folded = word.casefold()
    return any(
        folded.startswith(other)
        or folded.endswith(other)
        or (len(other) > ENDING_LETTERS + 2 and folded[-5:] == other[-5:])
        for other in (each.casefold() for each in others if len(each) >= ENDING_LETTERS)
    )
