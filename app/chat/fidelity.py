"""Whether a question that a model rewrote still asks what the visitor asked.

A rewrite keeps the question's language, figures and names, adds no figures, and is near in meaning: to the
question, or, as it puts in what the conversation was about, to the visitor's last questions and this one
together. A small model answers, refuses, translates or invents instead; such a rewrite is rejected, and the
question is searched for as it was asked.

Measured with multilingual-e5-small, 0 being unrelated text and 1 the same: 20 good rewrites of first
questions lie at .52 to .92 and 20 bad ones at -.05 to .39; 12 good ones of follow-ups, compared with the
conversation, at .60 to .94 and 17 bad ones at .03 to .48. What stays within the subject (another document,
another animal) cannot be told from a good rewrite: what the question finds itself is kept for that.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from difflib import SequenceMatcher
from typing import Final, Literal

from app.chat.guessed_time import is_relative
from app.chat.history import recent
from app.chat.types import Turn
from app.search import analysis
from app.search.types import TimeFilter

Objection = Literal["too_short", "language", "figures", "names", "previous", "meaning"]
"""What is wrong with a rewrite; ``previous``: it is the question before."""

Similarity = Callable[[str, Sequence[str]], list[float] | None]
"""How near a question is in meaning to each of some texts (``Retriever.similarity``)."""

LEAST_SIMILARITY: Final = 0.5
SAME_QUESTION: Final = 0.8
"""Of a follow-up itself: two follow-ups of few words are near each other whatever they are about."""

SAME_WORDS: Final = 0.95
"""Of the previous question: a model that only repeats it has not understood."""

LEAST_KNOWN_WORDS: Final = 0.5
"""Where no embedder is available: this share of the rewrite's words is in what it rewrites."""

LAST_QUESTIONS: Final = 3
"""So many of the visitor's earlier questions may be what a follow-up is about."""

TYPING_ERROR: Final = 0.88
"""Two words this similar (difflib's ratio) are one with a typing error; Austria and Australia are not."""

_MONTHS: Final = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"}
)
"""No names: what is to be kept of a day are its figures."""

_I: Final = re.compile(r"I(?:['’]\w+)?")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_FIGURE: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SEPARATOR: Final = re.compile(r"[.,'’\u00a0\u202f]")
_SENTENCE: Final = re.compile(r"[.!?…:]\s+")


def objection(
    rewrite: str,
    question: str,
    history: Sequence[Turn],
    *,
    time: TimeFilter,
    similarity: Similarity,
    today: date,
) -> Objection | None:
    """What is wrong with the rewrite; ``None`` if it may be searched for. ``time``: what was read out of the
    question, so that the rewrite need not say it again. Raises what ``similarity`` does."""
    if rewrite == question:
        return None
    if analysis.is_short(rewrite) and not analysis.is_short(question):
        return "too_short"
    spoken, rewritten = (analysis.question_language(text) for text in (question, rewrite))
    if spoken and rewritten and spoken != rewritten:
        return "language"
    if not _keeps_figures(rewrite, question, history, time, today):
        return "figures"
    if not _keeps_names(rewrite, question, spoken):
        return "names"
    return _strayed(rewrite, question, recent(history), similarity, spoken or "")


def _strayed(
    rewrite: str, question: str, history: Sequence[Turn], similarity: Similarity, language: str
) -> Objection | None:
    """What the rewrite asks instead of the question; ``None`` if it asks that."""
    earlier = [turn.content for turn in history if turn.role == "user"][-LAST_QUESTIONS:]
    if not earlier:
        (near,) = _nearness(rewrite, [question], similarity, language)
        return None if near >= LEAST_SIMILARITY else "meaning"
    said = [" ".join([*earlier[-count:], question]) for count in range(1, len(earlier) + 1)]
    answers = [turn.content for turn in history[-1:] if turn.role == "assistant"]
    said += [f"{question} {answer}" for answer in answers if len(answer) > len(question)]
    itself, previous, *in_context = _nearness(rewrite, [question, earlier[-1], *said], similarity, language)
    if itself >= SAME_QUESTION:
        return None
    if previous >= SAME_WORDS:
        return "previous"
    return None if max(in_context) >= LEAST_SIMILARITY else "meaning"


def _nearness(rewrite: str, texts: Sequence[str], similarity: Similarity, language: str) -> Sequence[float]:
    """How near the rewrite is to each text; by the words that they share where nothing else is known."""
    measured = similarity(rewrite, texts)
    if measured is not None:
        return measured
    words = set(analysis.tokens(" ".join(analysis.content_words(rewrite, language)), language))
    return [len(words & set(analysis.tokens(text, language))) / len(words) for text in texts]


def _keeps_figures(
    rewrite: str, question: str, history: Sequence[Turn], time: TimeFilter, today: date
) -> bool:
    """True if no figure is lost, but for those of ``time``, and none is new, but for what "last year" is."""
    asked, written = _figures(question), _figures(rewrite)
    known = asked.union(*(_figures(turn.content) for turn in history))
    if is_relative(question):
        known |= _years(today)
    for day in (time.at, time.published_from, time.published_before):
        asked -= {str(day.day), str(day.month), *_years(day)} if day else set()
    return asked <= written <= known


def _years(day: date) -> set[str]:
    return {str(day.year + years) for years in (-1, 0, 1)}


def _figures(text: str) -> set[str]:
    """The text's numbers in ASCII digits, without leading zeros and what groups their thousands; the parts of
    a date each."""
    found: set[str] = set()
    for figure in _FIGURE.findall(text):
        parts = _SEPARATOR.split("".join(map(_ascii, figure)))
        if _GROUPED.fullmatch(figure):
            parts = ["".join(parts)]
        elif len(parts) == 2:
            parts = [".".join(parts)]
        found |= {part.lstrip("0") or "0" for part in parts}
    return found


def _ascii(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _keeps_names(rewrite: str, question: str, language: str | None) -> bool:
    """True if every name is kept; of German words with a capital, which may be any noun, half of them."""
    names, nouns = _names(question, language)
    words = [_folded(word) for word in analysis.words(rewrite)]
    kept = sum(_is_among(noun, words) for noun in nouns)
    return 2 * kept >= len(nouns) and all(_is_among(name, words) for name in names)


def _names(question: str, language: str | None) -> tuple[set[str], set[str]]:
    """The question's names, and its words that may be names: none in one that is written in capitals."""
    words = [
        word for word in analysis.words(question) if not _I.fullmatch(word) and word.casefold() not in _MONTHS
    ]
    capital = {word for word in words if word[0].isupper()}
    if question.isupper() or len(capital) == len(set(words)):
        return set(), set()
    first = {found[0] for part in _SENTENCE.split(question) if (found := analysis.words(part))}
    sure = {word for word in words if len(word) > 1 and word[1:] != word[1:].lower()}
    maybe = capital - first - sure
    names, nouns = (sure, maybe) if language == "de" else (sure | maybe, set())
    return {_folded(name) for name in names}, {_folded(noun) for noun in nouns}


def _is_among(name: str, words: Sequence[str]) -> bool:
    """True if one of the words is the name, declined, compounded or with a typing error, or if their initials
    are."""
    if name in words or name in "".join(word[0] for word in words):
        return True
    if len(name) < 4:
        return False
    return any(
        word.startswith(name) or word.endswith(name) or _is_misspelt(name, word) for word in set(words)
    )


def _is_misspelt(name: str, word: str) -> bool:
    near = abs(len(name) - len(word)) <= 2
    return near and SequenceMatcher(None, name, word).ratio() >= TYPING_ERROR


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())
