"""Metrics of retrieval over ranked page ids, and of answers. Pure functions.

With several gold pages, finding any of them is a hit and the first one found gives the reciprocal rank;
recall counts them all, each once, though several pages of one unit of law may be found (Manning et al.,
"Introduction to Information Retrieval", chapter 8). nDCG has binary gains: each gold page counts where it is
found first (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002).

Every figure is the sum of what its questions add by the number of them that count, so that statistics
(:mod:`app.features.evaluation.statistics`) need to know no single one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, get_args

from app.features.evaluation.answers import CONTEXT_CHARACTERS, JudgedAnswer
from app.features.evaluation.pool import PoolQuestion, is_page_of
from app.features.evaluation.spans import Grade
from app.search.analysis import folded
from app.search.types import Degradation

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
        ranks = self.gold_ranks
        return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)

    def reciprocal_rank(self, depth: int) -> float:
        """Return 1 / rank of the first gold page, 0 if it is not among the first ``depth``."""
        return 1 / self.rank if self.rank and self.rank <= depth else 0.0

    def ndcg(self, depth: int) -> float:
        """Return the discounted gain of the first ``depth`` by that of the best order."""
        ranks = {rank for rank in self.gold_ranks if rank is not None and rank <= depth}
        best = range(1, min(len(self.gold_ranks), depth) + 1)
        return _discounted(ranks) / _discounted(best)

    @property
    def gold_ranks(self) -> list[int | None]:
        """The rank of each different gold, from 1; ``None`` for those that were not found."""
        return [
            next((n for n, page in enumerate(self.found, 1) if is_page_of(gold, page)), None)
            for gold in dict.fromkeys(self.question.gold)
        ]


def _discounted(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)


class Score(NamedTuple):
    """What a question adds to a figure: that is the sum of all ``total`` by the sum of all ``weight``."""

    total: float
    weight: int = 1


Scores = Mapping[str, Score]
"""What a question adds to the figures that it counts for, by their names."""

Figures = dict[str, float | int | None]

PAGE_FIGURES: Final = (
    "hit@1",
    "hit@5",
    "hit@10",
    "recall@5",
    "recall@10",
    "recall@20",
    "1-recall@20",
    "mrr@10",
    "ndcg@10",
    "none",
)
ANSWER_FIGURES: Final = (
    "good",
    "ok",
    "bad",
    "honest",
    "named",
    "hedged",
    "shown",
    "shown_characters",
    *(f"context@{limit}" for limit in CONTEXT_CHARACTERS),
    "links",
    "citation_precision",
    "citation_recall",
    "refused",
    "refusal_precision",
    "lost",
    "milliwatt_hours",
)
CHARACTERS: Final = "shown_characters"
ENERGY: Final = "milliwatt_hours"


def page_scores(item: JudgedQuestion) -> Scores:
    """Score what was found for a question: hits, recall, MRR and nDCG of answerable ones, ``none`` of
    others: 1 if they rightly found nothing."""
    if not item.question.answerable:
        return {"none": Score(float(not item.found))}
    recall = {f"recall@{depth}": Score(item.recall(depth)) for depth in (5, 10, DEPTH)}
    return {
        **{f"hit@{depth}": Score(item.hit(depth)) for depth in (1, 5, 10)},
        **recall,
        "1-recall@20": Score(1 - recall["recall@20"].total),
        "mrr@10": Score(item.reciprocal_rank(10)),
        "ndcg@10": Score(item.ndcg(10)),
    }


def answer_scores(answer: JudgedAnswer) -> Scores:
    """Score an answer.

    ``good``, ``ok``, ``bad``: the grade, of questions with gold spans. ``honest``: 1 for an unanswerable
    question whose answer does not pass for one; ``named``: 1 for one about a word that no page has whose
    answer says so; ``hedged``: 1 for an answerable one whose answer is said
    to come near only. ``shown`` and ``context@N``, of questions with gold spans: 1 if the answer, or its
    context's first N characters, holds the gold answer; ``shown_characters``: the length. ``links``:
    links to cited web pages that open the passage quoted. ``citation_precision``: the share of cited
    pages that are gold, of answerable questions whose answer cites any; ``citation_recall``: the share
    of gold that is cited, of all that were answered. ``refused``: 1 for an unanswerable question that
    was not answered (recall of refusals), ``refusal_precision``: 1 for a refusal that was right,
    ``lost``: 1 for an answerable question that was not answered. ``milliwatt_hours``: what it took,
    where that is known.
    """
    scores: dict[str, Score] = {}
    if answer.energy is not None:
        scores[ENERGY] = Score(1_000 * answer.energy.watt_hours)
    if answer.grade is not None:
        scores |= {grade: Score(float(grade == answer.grade)) for grade in get_args(Grade)}
    if answer.is_right is not None:
        scores["shown"] = Score(float(answer.is_right))
        scores[CHARACTERS] = Score(len(answer.shown))
        scores |= {f"context@{limit}": Score(float(held)) for limit, held in answer.within.items()}
    if answer.links:
        scores["links"] = Score(sum(answer.links), len(answer.links))
    answerable = answer.question.answerable
    scores["lost" if answerable else "refused"] = Score(float(answer.is_refused))
    if answerable:
        scores["hedged"] = Score(float(answer.certainty == "near"))
    else:
        scores["honest"] = Score(float(answer.certainty != "sure"))
        if answer.question.word:
            scores["named"] = Score(float(_names(answer.absent_words, answer.question.word)))
    if answer.is_refused:
        scores["refusal_precision"] = Score(float(not answerable))
    elif answerable:
        scores |= _citation_scores(answer)
    return scores


def _names(absent: Iterable[str], word: str) -> bool:
    """True if one of the words is ``word``, or one of the words that it has."""
    wanted = set(folded(word))
    return any(not wanted.isdisjoint(folded(each)) for each in absent)


def _citation_scores(answer: JudgedAnswer) -> Scores:
    gold = set(answer.question.gold)
    cited = {source.page for source in answer.sources if source.cited}
    right = [page for page in cited if any(is_page_of(each, page) for each in gold)]
    named = [each for each in gold if any(is_page_of(each, page) for page in cited)]
    precision = {"citation_precision": Score(len(right) / len(cited))} if cited else {}
    return {**precision, "citation_recall": Score(len(named) / len(gold))}


def means(names: Iterable[str], scores: Sequence[Scores]) -> Figures:
    """Compute the named figures. Three decimals, whole characters; ``None`` where no question counts."""
    return {name: _mean(name, scores) for name in names}


def _mean(name: str, scores: Sequence[Scores]) -> float | int | None:
    counted = [each[name] for each in scores if name in each]
    if not (weight := sum(score.weight for score in counted)):
        return None
    mean = math.fsum(score.total for score in counted) / weight
    return round(mean) if name == CHARACTERS else round(mean, 3)


def summary(judged: Sequence[JudgedQuestion]) -> Figures:
    """Compute the figures of what was found: see :func:`page_scores`."""
    return {
        "questions": len(judged),
        "answerable": sum(item.question.answerable for item in judged),
        **means(PAGE_FIGURES, [page_scores(item) for item in judged]),
    }
