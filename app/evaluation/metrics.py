"""Retrieval metrics over ranked page ids. Pure functions.

With several gold pages, finding any of them is a hit and the first one found gives the reciprocal rank;
recall counts them all, each once, though several pages of one unit of law may be found (Manning et al.,
"Introduction to Information Retrieval", chapter 8).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from app.evaluation.pool import PoolQuestion, is_page_of
from ingest.types import UNDETERMINED

DEPTH: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question of the pool with the ids it found, best first."""

    question: PoolQuestion
    found: tuple[str, ...]

    @property
    def rank(self) -> int | None:
        """The rank of the first gold page, from 1; ``None`` if none was found."""
        gold = self.question.gold
        ranks = (n for n, page in enumerate(self.found, 1) if any(is_page_of(each, page) for each in gold))
        return next(ranks, None)

    def hit(self, depth: int) -> float:
        """Return 1 if a gold page is among the first ``depth``, else 0."""
        rank = self.rank
        return float(rank is not None and rank <= depth)

    def recall(self, depth: int) -> float:
        """Return the share of gold pages that are among the first ``depth``."""
        gold = set(self.question.gold)
        found = [each for each in gold if any(is_page_of(each, page) for page in self.found[:depth])]
        return len(found) / len(gold)

    def reciprocal_rank(self, depth: int) -> float:
        """Return 1 / rank of the first gold page, 0 if it is not among the first ``depth``."""
        return 1 / self.rank if self.rank and self.rank <= depth else 0.0


Figures = dict[str, float | int | None]


def summary(judged: Sequence[JudgedQuestion]) -> Figures:
    """Compute a pool's figures: hits, recall and MRR of answerable questions, ``none`` of unanswerable ones.

    ``none`` is the share of unanswerable questions that rightly found nothing. Three decimals; ``None``
    where the pool has no such question.
    """
    answerable = [item for item in judged if item.question.answerable]
    others = [item for item in judged if not item.question.answerable]

    def mean(figure: Callable[[JudgedQuestion], float], items: Sequence[JudgedQuestion]) -> float | None:
        return round(fmean(figure(item) for item in items), 3) if items else None

    return {
        "questions": len(judged),
        "answerable": len(answerable),
        "hit@1": mean(lambda item: item.hit(1), answerable),
        "hit@5": mean(lambda item: item.hit(5), answerable),
        "hit@10": mean(lambda item: item.hit(10), answerable),
        "recall@20": mean(lambda item: item.recall(DEPTH), answerable),
        "mrr@10": mean(lambda item: item.reciprocal_rank(10), answerable),
        "none": mean(lambda item: float(not item.found), others),
    }


def by_language(judged: Sequence[JudgedQuestion]) -> dict[str, Figures]:
    """Compute the figures of each language, ``und`` for questions without; empty if there is only one."""
    languages = sorted({item.question.language or UNDETERMINED for item in judged})
    if len(languages) < 2:
        return {}
    return {
        language: summary([item for item in judged if (item.question.language or UNDETERMINED) == language])
        for language in languages
    }


def worst(judged: Sequence[JudgedQuestion], count: int) -> list[JudgedQuestion]:
    """Return the ``count`` questions with the lowest reciprocal rank, then unanswerable ones with results."""
    answerable = [item for item in judged if item.question.answerable and item.reciprocal_rank(10) < 1]
    wrong = [item for item in judged if not item.question.answerable and item.found]
    return [*sorted(answerable, key=lambda item: item.reciprocal_rank(10)), *wrong][:count]
