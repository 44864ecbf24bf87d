"""Metrics of retrieval over ranked page ids, and of answers. Pure functions.

With several gold pages, finding any of them is a hit and the first one found gives the reciprocal rank;
recall counts them all, each once, though several pages of one unit of law may be found (Manning et al.,
"Introduction to Information Retrieval", chapter 8).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from app.evaluation.answers import CONTEXT_CHARACTERS, JudgedAnswer
from app.evaluation.pool import PoolQuestion, is_page_of
from app.search.types import Degradation
from ingest.types import UNDETERMINED

DEPTH: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question of the pool with the ids it found, best first. ``degraded``: what did not work as it
    should."""

    question: PoolQuestion
    found: tuple[str, ...]
    degraded: tuple[Degradation, ...] = ()

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
        return _mean([figure(item) for item in items])

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


def answer_summary(answers: Sequence[JudgedAnswer]) -> Figures:
    """Compute the figures of a pool's answers.

    ``shown`` and ``context@N``: the share of questions with gold spans whose answer, or whose context's first
    N characters, hold the gold answer. ``shown_characters``: the mean length of these answers. ``links``: the
    share of links to cited web pages that open the passage quoted. ``refused``: of unanswerable questions,
    ``lost``: of answerable ones, the share that was not answered. ``None`` where nothing counts.
    """
    spanned = [answer for answer in answers if answer.is_right is not None]
    length = _mean([len(answer.shown) for answer in spanned])
    return {
        "spans": len(spanned),
        "shown": _mean([bool(answer.is_right) for answer in spanned]),
        "shown_characters": None if length is None else round(length),
        **{f"context@{limit}": _mean([a.within[limit] for a in spanned]) for limit in CONTEXT_CHARACTERS},
        "links": _mean([opens for answer in answers for opens in answer.links]),
        "refused": _mean([a.is_refused for a in answers if not a.question.answerable]),
        "lost": _mean([a.is_refused for a in answers if a.question.answerable]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 3) if values else None


def of_language(question: PoolQuestion) -> str:
    """The question's language, ``und`` if it has none."""
    return question.language or UNDETERMINED


def of_kind(question: PoolQuestion) -> str:
    """The question's kind, ``other`` if it has none."""
    return question.kind or "other"


def by_group(
    judged: Sequence[JudgedQuestion], answers: Sequence[JudgedAnswer], group: Callable[[PoolQuestion], str]
) -> dict[str, Figures]:
    """Compute the figures of each group of questions; empty if there is only one."""
    groups = sorted({group(item.question) for item in judged})
    if len(groups) < 2:
        return {}
    return {
        name: summary([item for item in judged if group(item.question) == name])
        | answer_summary([answer for answer in answers if group(answer.question) == name])
        for name in groups
    }


def worst(
    judged: Sequence[JudgedQuestion], answers: Sequence[JudgedAnswer], count: int
) -> list[tuple[JudgedQuestion, JudgedAnswer]]:
    """Return the ``count`` questions with the lowest reciprocal rank or a wrong answer, then unanswerable
    ones that were answered."""
    pairs = list(zip(judged, answers, strict=True))
    answerable = [
        (item, answer)
        for item, answer in pairs
        if item.question.answerable and (item.reciprocal_rank(10) < 1 or answer.is_right is False)
    ]
    answerable.sort(key=lambda pair: (pair[0].reciprocal_rank(10), pair[1].is_right is not False))
    wrong = [pair for pair in pairs if not (pair[0].question.answerable or pair[1].is_refused)]
    return [*answerable, *wrong][:count]
