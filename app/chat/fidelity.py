"""Whether a question that a model rewrote still asks what the visitor asked.

A rewrite keeps the question's language, figures and names, adds no figures, and is near in meaning: to the
question, or, as it puts in what the conversation was about, to the visitor's last questions and this one
together. A small model answers, refuses, translates or invents instead; such a rewrite is rejected, and the
question is searched for as it was asked.

Measured with multilingual-e5-small, 0 being unrelated text and 1 the same: 20 good rewrites of first
questions lie at .52 to .92 and 20 bad ones at -.05 to .39; 12 good ones of follow-ups at .60 to .94 and 17
bad ones at .03 to .48, but for the previous question repeated (.73).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from difflib import SequenceMatcher
from typing import Final, Literal

from app.chat.guessed_time import is_relative
from app.chat.types import Turn
from app.search import analysis
from app.search.retrieve import LISTED_LANGUAGES, SHORT_WORDS
from app.search.types import TimeFilter

Objection = Literal["too_short", "language", "figures", "names", "meaning"]
"""What is wrong with a rewrite."""

Similarity = Callable[[str, str], float | None]
"""How near two questions are in meaning (``Retriever.similarity``)."""

LEAST_SIMILARITY: Final = 0.5
LEAST_KNOWN_WORDS: Final = 0.5
"""Where no embedder is available: this share of the rewrite's words is in what it rewrites."""

LAST_QUESTIONS: Final = 3
"""So many of the visitor's earlier questions may be what a follow-up is about."""

TYPING_ERROR: Final = 0.88
"""Two words this similar (difflib's ratio) are one with a typing error; Austria and Australia are not."""

_FIGURE: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d{3})*(?!\d)|\d+")
_SENTENCE: Final = re.compile(r"[.!?…:]\s+")
_MONTHS: Final = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"}
)
"""No names: what is to be kept of a day are its figures."""

_I: Final = re.compile(r"I(?:['’]\w+)?")


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
    if len(analysis.words(rewrite)) < SHORT_WORDS <= len(analysis.words(question)):
        return "too_short"
    spoken, rewritten = (analysis.question_language(text, LISTED_LANGUAGES) for text in (question, rewrite))
    if spoken and rewritten and spoken != rewritten:
        return "language"
    if not _keeps_figures(rewrite, question, history, time, today):
        return "figures"
    if not _keeps_names(rewrite, question, spoken):
        return "names"
    in_context = _in_context(question, history)
    is_near = any(_is_near(rewrite, text, similarity, spoken or "") for text in in_context)
    return None if is_near else "meaning"


def _in_context(question: str, history: Sequence[Turn]) -> Iterator[str]:
    """The question after the visitor's last one, two and three questions; alone where it is the first."""
    earlier = [turn.content for turn in history if turn.role == "user"][-LAST_QUESTIONS:]
    if not earlier:
        yield question
    for count in range(1, len(earlier) + 1):
        yield " ".join([*earlier[-count:], question])


def _is_near(rewrite: str, text: str, similarity: Similarity, language: str) -> bool:
    measured = similarity(text, rewrite)
    if measured is not None:
        return measured >= LEAST_SIMILARITY
    known = set(analysis.tokens(text, language))
    words = set(analysis.tokens(" ".join(analysis.content_words(rewrite, language)), language))
    return len(words & known) >= LEAST_KNOWN_WORDS * len(words)


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
    """The text's numbers in ASCII digits, without leading zeros and what groups their thousands."""
    digits = (filter(str.isdecimal, figure) for figure in _FIGURE.findall(text))
    return {"".join(str(unicodedata.decimal(each)) for each in some).lstrip("0") for some in digits}


def _keeps_names(rewrite: str, question: str, language: str | None) -> bool:
    """True if every name is kept; of German words with a capital, which may be any noun, half of them."""
    names, nouns = _names(question, language)
    words = [word.casefold() for word in analysis.words(rewrite)]
    kept = sum(_is_among(noun, words) for noun in nouns)
    return 2 * kept >= len(nouns) and all(_is_among(name, words) for name in names)


def _names(question: str, language: str | None) -> tuple[list[str], list[str]]:
    """The question's names, and its words that may be names: none in one that is written in capitals."""
    words = [
        word for word in analysis.words(question) if not _I.fullmatch(word) and word.casefold() not in _MONTHS
    ]
    capital = [word for word in words if word[0].isupper()]
    if question.isupper() or len(capital) == len(words):
        return [], []
    first = {found[0] for part in _SENTENCE.split(question) if (found := analysis.words(part))}
    sure = [word for word in words if len(word) > 1 and word[1:] != word[1:].lower()]
    maybe = [word for word in capital if word not in first and word not in sure]
    return (sure, maybe) if language == "de" else ([*sure, *maybe], [])


def _is_among(name: str, words: Sequence[str]) -> bool:
    """True if one of the words is the name, declined, compounded or with a typing error."""
    wanted = name.casefold()
    return any(
        wanted == word
        or (len(wanted) > 3 and wanted in word)
        or (len(word) > 3 and word in wanted)
        or SequenceMatcher(None, wanted, word).ratio() >= TYPING_ERROR
        for word in words
    )
