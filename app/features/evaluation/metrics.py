"""Metrics of retrieval over ranked page ids, and of answers. Pure functions.

With several gold pages, finding any of them is a hit and the first one found gives the reciprocal rank;
recall counts them all, each once, though several pages of one unit of law may be found (Manning et al.,
"Introduction to Information Retrieval", chapter 8). nDCG has binary gains: each gold page counts at its first
rank (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002).

Every figure is the sum of its questions' totals divided by the sum of their weights, so that
:mod:`app.features.evaluation.statistics` needs to know no single figure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, get_args

from app.features.evaluation.answers import CONTEXT_CHARACTERS, JudgedAnswer
from app.features.evaluation.pool import PoolQuestion, is_page_of
from app.features.evaluation.spans import AnswerGrade
from app.search.analysis import folded
from app.search.retrieval import Degradation

DEPTH: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question of the pool with the ids of the pages found, best first. ``degraded``: what failed or was
    left out."""

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
        """Return the discounted gain of the first ``depth``, divided by that of the best order."""
        ranks = {rank for rank in self.gold_ranks if rank is not None and rank <= depth}
        best = range(1, min(len(self.gold_ranks), depth) + 1)
        return _discounted(ranks) / _discounted(best)

    @property
    def gold_ranks(self) -> list[int | None]:
        """The rank of each distinct gold page or unit, from 1; ``None`` if it was not found."""
        return [
            next((n for n, page in enumerate(self.found, 1) if is_page_of(gold, page)), None)
            for gold in dict.fromkeys(self.question.gold)
        ]


def _discounted(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)


class Score(NamedTuple):
    """A question's part in a figure: the sum of all ``total`` divided by the sum of all ``weight``."""

    total: float
    weight: int = 1


Scores = Mapping[str, Score]
"""A question's scores by the names of the figures that it counts for."""

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
    """Score the pages found for a question: hits, recall, MRR and nDCG if it is answerable, otherwise
    ``none``: 1 if rightly nothing was found."""
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

    * with gold spans: ``good``, ``ok``, ``bad``: the grade; ``shown``, ``context@N``: 1 if the answer, or the
      first N characters of its context, contain the gold answer; ``shown_characters``: the answer's length
    * answerable: ``hedged``: 1 if the answer is said to come near only; ``lost``: 1 if it was not answered;
      if it was, ``citation_recall``: the share of gold that is cited, and with any citations
      ``citation_precision``: the share of cited pages that are gold
    * unanswerable: ``honest``: 1 if the answer does not pass for one; ``named``: 1 if it says that no page
      has the question's ``word``; ``refused``: 1 if it was not answered (recall of refusals)
    * refused: ``refusal_precision``: 1 if that was right
    * ``links``: links to cited web pages that open the quoted passage
    * ``milliwatt_hours``: what the answer took, if known
    """
    scores: dict[str, Score] = {}
    if answer.energy is not None:
        scores[ENERGY] = Score(1_000 * answer.energy.watt_hours)
    if answer.grade is not None:
        scores |= {grade: Score(float(grade == answer.grade)) for grade in get_args(AnswerGrade)}
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
    """Return True if an absent word and ``word`` have a word in common."""
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
    """Compute the named figures, to three decimals or whole characters; ``None`` if no question counts."""
    return {name: _mean(name, scores) for name in names}


def _mean(name: str, scores: Sequence[Scores]) -> float | int | None:
    counted = [each[name] for each in scores if name in each]
    if not (weight := sum(score.weight for score in counted)):
        return None
    mean = math.fsum(score.total for score in counted) / weight
    return round(mean) if name == CHARACTERS else round(mean, 3)


def summary(judged: Sequence[JudgedQuestion]) -> Figures:
    """Compute the figures of retrieval: see :func:`page_scores`."""
    return {
        "questions": len(judged),
        "answerable": sum(item.question.answerable for item in judged),
        **means(PAGE_FIGURES, [page_scores(item) for item in judged]),
    }
