"""Judgement of the best page found: it answers a question, comes near, or is far. Pure functions.

Near misses cannot be told from answers by the cosines of small models. Small talk and nonsense can: by the
best page's score less the question's relevance to what visitors ask of no website
(:mod:`app.search.off_topic`).
"""

from typing import Final

from app.presets import Thresholds
from app.search.types import Certainty, Retrieval

SURE_SHARE: Final = 1.08
"""The share of ``Thresholds.answer`` from which on a question passes for answered, as far as the score tells:
words that no page has are found by :mod:`app.search.absent_words`."""

FOREIGN_SHARE: Final = 0.5
FOREIGN_SURE_SHARE: Final = 0.88
"""The shares from which on a question in a language that no page found has comes near one, and passes for
answered: none of its words can be on it. Measured on a website (docs/quality.md)."""

OFF_TOPIC_WEIGHT: Final = 0.5
"""Measured on two websites (docs/quality.md)."""


def answer_score(score: float, off_topic: float) -> float:
    """Return the best page's score less the question's ``off_topic`` relevance, 0 to 1."""
    return score - OFF_TOPIC_WEIGHT * max(0.0, off_topic)


def needed_score(thresholds: Thresholds, *, is_foreign: bool) -> float:
    """Return the score that a question needs to come near the best page. ``is_foreign``: it is in a language
    that no page found has."""
    return thresholds.answer * (FOREIGN_SHARE if is_foreign else 1.0)


def certainty(
    score: float, off_topic: float, thresholds: Thresholds, *, is_foreign: bool = False
) -> Certainty:
    """Say if the best page answers the question, comes near or is far; always "answered" where no threshold
    is known."""
    reached = answer_score(score, off_topic)
    sure = thresholds.answer * (FOREIGN_SURE_SHARE if is_foreign else SURE_SHARE)
    if not thresholds.answer or reached >= sure:
        return "answered"
    return "near" if reached >= needed_score(thresholds, is_foreign=is_foreign) else "far"


def is_unsure(retrieval: Retrieval) -> bool:
    """True if the pages found may not answer the question. What is calibrated on websites does not call law
    far."""
    if retrieval.certainty == "far":
        return not any(hit.page.is_law for hit in retrieval.hits[:1])
    return retrieval.certainty == "near"
