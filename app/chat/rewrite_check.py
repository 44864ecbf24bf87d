"""Checks that a question rewritten by a model still asks what the visitor asked.

A good rewrite is a question, keeps the language, figures and names, adds none, and has nearly the same
meaning as the question, or, for a follow-up, as the visitor's last questions and this one together. A small
model may answer, refuse, translate or invent instead. Such a rewrite is rejected, and the original question
is searched for.

A question in more detail may be far from the visitor's ("ein riesiges Loch im Asphalt"). If they share a
word, both are searched for.

Measured with multilingual-e5-small (0: unrelated text, 1: the same): 20 good rewrites of first questions have
similarities of .52 to .92 and 20 bad ones -.05 to .39; 12 good rewrites of follow-ups, compared with the
conversation, .60 to .94 and 17 bad ones .03 to .48. A rewrite that changes a detail of the same subject
(another document, another animal) cannot be detected; therefore the hits of the original question are kept,
too. Of 122 questions in more detail (``rewrites.jsonl`` among the tests), 24 of 30 good ones of the held-out
half are accepted and 30 of 31 bad ones rejected (the other one is searched for in addition to the question as
asked); of the half used for tuning, 29 of 31 and 29 of 30.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from app.chat.history import recent
from app.chat.rewrite_details import (
    digits,
    invents_figures,
    invents_names,
    keeps_figures,
    keeps_names,
    spelled,
)
from app.chat.types import Turn
from app.search import analysis
from app.search.languages import question_language
from app.search.retrieval import ANY_TIME, TimeFilter

Rejection = Literal["too_short", "language", "statement", "figures", "names", "previous", "meaning"]
"""Reasons to reject a rewrite. ``statement``: it asks nothing, or contains an address or tags; ``previous``:
it repeats the previous question."""

Similarity = Callable[[str, Sequence[str]], list[float] | None]
"""Returns the similarity of texts to a question, 1 for the same (``Retriever.similarity``); None without an
embedder."""

MIN_SIMILARITY: Final = 0.5
"""The similarity to the question, or to the conversation with it, that a rewrite needs."""

SAME_QUESTION: Final = 0.8
"""A rewrite this similar to the follow-up itself is accepted. The value is high because short follow-ups are
similar to each other, whatever their subject."""

SAME_WORDS: Final = 0.95
"""A rewrite this similar to the previous question only repeats it."""

MIN_DOUBTFUL: Final = 0.28
"""The similarity that a question in more detail needs to be searched for in addition to the one asked, if
both share a word. It is low because everyday and official words are far apart."""

SHARED_CHARACTERS: Final = 4
"""The length of a word, or of its beginning, that counts as shared."""

MIN_TRANSLATED: Final = 0.3
"""The similarity that a translation needs to the question: good ones have .37 to .72, refusals and remarks
up to -.02, other questions up to .49 and mostly less than .3."""

LAST_QUESTIONS: Final = 3
"""A follow-up is compared with at most so many of the visitor's earlier questions."""

_ASKS: Final = ("?", "？", "؟", ";")
_TELLS: Final = (".", "!", "…")
_MARKUP: Final = re.compile(r"://|<[/\w]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteDecision:
    """The decision on a rewrite. ``rejected``: why it is not used, None if it is searched for. ``doubtful``:
    it may ask something else, so the hits for the question as asked count, too."""

    rejected: Rejection | None = None
    doubtful: bool = False


def judged(
    rewrite: str,
    question: str,
    history: Sequence[Turn],
    *,
    time: TimeFilter,
    similarity: Similarity,
    today: date,
    expand: bool = False,
) -> RewriteDecision:
    """Judge the rewrite. ``time``: extracted from the question, so the rewrite need not contain it.
    ``expand``: the model was asked for a whole question in more detail. Raises the errors of
    ``similarity``."""
    if rewrite == question:
        return RewriteDecision()
    language = question_language(question)
    earlier = [turn.content for turn in history]
    rejected = _form_rejection(rewrite, question, language, expand=expand)
    if rejected:
        return RewriteDecision(rejected=rejected)
    written = digits(rewrite) | spelled(rewrite)
    if not keeps_figures(rewrite, question, time) or invents_figures(written, question, earlier, today):
        return RewriteDecision(rejected="figures")
    if not keeps_names(rewrite, question, language) or invents_names(rewrite, [question, *earlier]):
        return RewriteDecision(rejected="names")
    return _compared(rewrite, question, recent(history), similarity, language or "", expand=expand)


def is_translation(text: str, question: str, language: str, *, similarity: Similarity, today: date) -> bool:
    """Return True if the text is the question in this language, judged by its language, figures and meaning.
    Raises the errors of ``similarity``."""
    if question_language(text) not in (None, language):
        return False
    if not keeps_figures(text, question, ANY_TIME) or invents_figures(digits(text), question, (), today):
        return False
    measured = similarity(text, [question])
    return measured is not None and measured[0] >= MIN_TRANSLATED


def _form_rejection(rewrite: str, question: str, language: str | None, *, expand: bool) -> Rejection | None:
    """Return the reason for rejection by length, language or kind of sentence, or None."""
    if analysis.is_short(rewrite) and not analysis.is_short(question):
        return "too_short"
    rewritten = question_language(rewrite)
    if language and rewritten and language != rewritten:
        return "language"
    if _MARKUP.search(rewrite) and not _MARKUP.search(question):
        return "statement"
    if expand:
        return None if rewrite.endswith(_ASKS) else "statement"
    return "statement" if rewrite.endswith(_TELLS) and not question.endswith(_TELLS) else None


def _compared(
    rewrite: str,
    question: str,
    history: Sequence[Turn],
    similarity: Similarity,
    language: str,
    *,
    expand: bool,
) -> RewriteDecision:
    """Judge by meaning: accepted, rejected (``"meaning"`` or ``"previous"``), or doubtful."""
    questions = [turn.content for turn in history if turn.role == "user"][-LAST_QUESTIONS:]
    if not questions:
        (nearest,) = _similarities(rewrite, [question], similarity, language)
        if nearest >= MIN_SIMILARITY:
            return RewriteDecision()
        is_doubtful = expand and nearest >= MIN_DOUBTFUL and _shares_word(rewrite, question, language)
        return RewriteDecision(doubtful=True) if is_doubtful else RewriteDecision(rejected="meaning")
    contexts = [" ".join([*questions[-count:], question]) for count in range(1, len(questions) + 1)]
    answers = [turn.content for turn in history[-1:] if turn.role == "assistant"]
    contexts += [f"{question} {answer}" for answer in answers if len(answer) > len(question)]
    to_question, to_previous, *to_contexts = _similarities(
        rewrite, [question, questions[-1], *contexts], similarity, language
    )
    if to_question >= SAME_QUESTION:
        return RewriteDecision()
    if to_previous >= SAME_WORDS:
        return RewriteDecision(rejected="previous")
    return RewriteDecision() if max(to_contexts) >= MIN_SIMILARITY else RewriteDecision(rejected="meaning")


def _shares_word(rewrite: str, question: str, language: str) -> bool:
    """Return True if a word of one is within a word of the other ("Loch", "Schlagloch"), or they begin
    alike."""
    first, second = (analysis.content_words(text, language) for text in (rewrite, question))
    return any(
        one[:SHARED_CHARACTERS] == other[:SHARED_CHARACTERS] or one in other or other in one
        for one in first
        for other in second
        if one == other or min(len(one), len(other)) >= SHARED_CHARACTERS
    )


def _similarities(
    rewrite: str, texts: Sequence[str], similarity: Similarity, language: str
) -> Sequence[float]:
    """Return the rewrite's similarity to each text: that of embeddings, or, without an embedder, the share of
    its words that the text has."""
    measured = similarity(rewrite, texts)
    if measured is not None:
        return measured
    words = set(analysis.tokens(" ".join(analysis.content_words(rewrite, language)), language))
    return [len(words & set(analysis.tokens(text, language))) / len(words) for text in texts]
