"""Checks that a question rewritten by a model still asks what the visitor asked.

A good rewrite keeps the question's language, figures and names, adds no figures, and has nearly the same
meaning: as the question, or, for a follow-up, as the visitor's last questions and this one together. A small
model may answer, refuse, translate or invent instead. Such a rewrite is rejected, and the original question
is searched.

Measured with multilingual-e5-small (0: unrelated text, 1: the same): 20 good rewrites of first questions have
similarities of .52 to .92 and 20 bad ones -.05 to .39; 12 good rewrites of follow-ups, compared with the
conversation, .60 to .94 and 17 bad ones .03 to .48. A rewrite that changes a detail of the same subject
(another document, another animal) cannot be detected; therefore the hits of the original question are kept as
well.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from difflib import SequenceMatcher
from typing import Final, Literal

from app.chat.history import recent
from app.chat.question_time import names_relative_time
from app.chat.types import Turn
from app.search import analysis
from app.search.types import ANY_TIME, TimeFilter

Rejection = Literal["too_short", "language", "figures", "names", "previous", "meaning"]
"""Why a rewrite is rejected; ``previous``: it repeats the previous question."""

Similarity = Callable[[str, Sequence[str]], list[float] | None]
"""How near texts are to a question, 1 for the same (``Retriever.similarity``); ``None`` without
an embedder."""

MIN_SIMILARITY: Final = 0.5
"""The similarity to the question, or to the conversation with it, that a rewrite needs."""

SAME_QUESTION: Final = 0.8
"""A rewrite this similar to a follow-up itself is accepted. It is high because short follow-ups are similar
to each other whatever they are about."""

SAME_WORDS: Final = 0.95
"""A rewrite this similar to the previous question only repeats it."""

MIN_TRANSLATED: Final = 0.3
"""The similarity that a translation needs to the question: good ones have .37 to .72, refusals and remarks
up to -.02, other questions up to .49 and mostly less than .3."""

MIN_KNOWN_WORDS: Final = 0.5
"""Without an embedder: the share of the rewrite's words that the original must contain."""

LAST_QUESTIONS: Final = 3
"""How many of the visitor's earlier questions a follow-up is compared with."""

TYPO_SIMILARITY: Final = 0.88
"""From this similarity on (difflib's ratio) two words are the same one with a typo; Austria and Australia are
not."""

_MONTHS: Final = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember"}
)
"""Not treated as names: of a date only the figures must be kept."""

_I: Final = re.compile(r"I(?:['’]\w+)?")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_FIGURE: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SEPARATOR: Final = re.compile(r"[.,'’\u00a0\u202f]")
_SENTENCE: Final = re.compile(r"[.!?…:]\s+")


def rejection(
    rewrite: str,
    question: str,
    history: Sequence[Turn],
    *,
    time: TimeFilter,
    similarity: Similarity,
    today: date,
) -> Rejection | None:
    """Why the rewrite is rejected; ``None`` if it is good. ``time``: extracted from the question, so that the
    rewrite need not contain it. Raises what ``similarity`` raises."""
    if rewrite == question:
        return None
    if analysis.is_short(rewrite) and not analysis.is_short(question):
        return "too_short"
    language, rewritten = (analysis.question_language(text) for text in (question, rewrite))
    if language and rewritten and language != rewritten:
        return "language"
    if not _keeps_figures(rewrite, question, history, time, today):
        return "figures"
    if not _keeps_names(rewrite, question, language):
        return "names"
    return _meaning_rejection(rewrite, question, recent(history), similarity, language or "")


def is_translation(text: str, question: str, language: str, *, similarity: Similarity, today: date) -> bool:
    """True if the text is the question in this language, as far as figures and meaning tell. Raises what
    ``similarity`` raises."""
    detected = analysis.question_language(text)
    if detected not in (None, language) or not _keeps_figures(text, question, (), ANY_TIME, today):
        return False
    measured = similarity(text, [question])
    return measured is not None and measured[0] >= MIN_TRANSLATED


def _meaning_rejection(
    rewrite: str, question: str, history: Sequence[Turn], similarity: Similarity, language: str
) -> Rejection | None:
    """Compare the meanings: ``"meaning"``, ``"previous"``, or ``None`` if they are near enough."""
    questions = [turn.content for turn in history if turn.role == "user"][-LAST_QUESTIONS:]
    if not questions:
        (similarity_to_question,) = _similarities(rewrite, [question], similarity, language)
        return None if similarity_to_question >= MIN_SIMILARITY else "meaning"
    contexts = [" ".join([*questions[-count:], question]) for count in range(1, len(questions) + 1)]
    answers = [turn.content for turn in history[-1:] if turn.role == "assistant"]
    contexts += [f"{question} {answer}" for answer in answers if len(answer) > len(question)]
    to_question, to_previous, *to_contexts = _similarities(
        rewrite, [question, questions[-1], *contexts], similarity, language
    )
    if to_question >= SAME_QUESTION:
        return None
    if to_previous >= SAME_WORDS:
        return "previous"
    return None if max(to_contexts) >= MIN_SIMILARITY else "meaning"


def _similarities(
    rewrite: str, texts: Sequence[str], similarity: Similarity, language: str
) -> Sequence[float]:
    """The rewrite's similarity to each text: of embeddings, or without an embedder the share of common
    words."""
    measured = similarity(rewrite, texts)
    if measured is not None:
        return measured
    words = set(analysis.tokens(" ".join(analysis.content_words(rewrite, language)), language))
    return [len(words & set(analysis.tokens(text, language))) / len(words) for text in texts]


def _keeps_figures(
    rewrite: str, question: str, history: Sequence[Turn], time: TimeFilter, today: date
) -> bool:
    """True if the rewrite has every figure except those of ``time``, and no new ones except the year that a
    phrase such as "last year" means."""
    asked, written = _figures(question), _figures(rewrite)
    known = asked.union(*(_figures(turn.content) for turn in history))
    if names_relative_time(question):
        known |= _years(today)
    for day in (time.at, time.published_from, time.published_before):
        asked -= {str(day.day), str(day.month), *_years(day)} if day else set()
    return asked <= written <= known


def _years(day: date) -> set[str]:
    return {str(day.year + years) for years in (-1, 0, 1)}


def _figures(text: str) -> set[str]:
    """The text's numbers in ASCII digits, without leading zeros and thousands separators. A date gives the
    numbers of its parts."""
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
    """True if the rewrite has every name, and half of the capitalised German words, which may be any noun."""
    names, nouns = _names(question, language)
    words = [_folded(word) for word in analysis.words(rewrite)]
    kept = sum(_contains_name(noun, words) for noun in nouns)
    return 2 * kept >= len(nouns) and all(_contains_name(name, words) for name in names)


def _names(question: str, language: str | None) -> tuple[set[str], set[str]]:
    """The question's names, and its German nouns that may be names. Both are empty for a question in
    capitals."""
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


def _contains_name(name: str, words: Sequence[str]) -> bool:
    """True if one of the words is the name (inflected, compounded or with a typo), or if the words' initials
    spell it."""
    if name in words or name in "".join(word[0] for word in words):
        return True
    if len(name) < 4:
        return False
    return any(word.startswith(name) or word.endswith(name) or _is_typo(name, word) for word in set(words))


def _is_typo(name: str, word: str) -> bool:
    is_near = abs(len(name) - len(word)) <= 2
    return is_near and SequenceMatcher(None, name, word).ratio() >= TYPO_SIMILARITY


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())
