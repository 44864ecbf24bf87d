"""Ranks candidates by their cosines and their coverage, levelled between languages. Pure functions.

Each ranking returns all candidates of a question with their scores, best first, ties by source, then id.
Cosines of different models mean different things, so relevance is measured from the cosine that unrelated
text has in that model: ``rel(cos) = max(0, (cos - base) / (1 - base))``.

Multilingual models place texts in the question's own language nearer than texts in another language that say
the same or more, and such texts also share more words with it. The gap is estimated from the nearest pages of
both languages, and ``LEVELLED_SHARE`` of it is added to pages in another language.

If no page is in the question's language, shared words are names, numbers, translations or chance. Their
coverage is then multiplied by ``FOREIGN_WORDS``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from app.presets import Ranking, Thresholds
from app.search.retrieval import Hit
from app.search.types import Candidate
from ingest.types import FIELDS, UNDETERMINED, FieldName, PageRef

SIDE_FIELD_WEIGHT: Final = 0.3
RECIPROCAL_RANK_K: Final = 60

LEVELLED_SHARE: Final = 0.6
"""Measured on two websites in several languages (docs/quality.md): a smaller share gains less, the whole gap
is too much."""

FOREIGN_WORDS: Final = 0.3
"""Chosen on half of the questions of a public test set (docs/quality.md)."""

WORDS: Final = "words"
"""The name of the part of a page's score that comes from its coverage."""

LEVELLED_PAGES: Final = 5
"""The number of nearest pages that the gap of a language is estimated from."""

Scored = tuple[float, Candidate]
Parts = Mapping[str, float]
"""The summands of a score by name: a field, ``words``, or ``title and description``."""

PartsOf = Callable[[Sequence[Candidate], Thresholds], list[Parts]]
Rank = Callable[[Sequence[Candidate], Thresholds], list[Scored]]


def ranked(candidates: Iterable[Candidate], score: Callable[[Candidate], float]) -> list[Scored]:
    """Sort the candidates by a function of each alone."""
    scored = [(score(candidate), candidate) for candidate in candidates]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].page.ref))


def relevance_sum(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Scored]:
    """Rank by :func:`relevance_score`."""
    return _by_parts(candidates, _relevance_sum_parts(candidates, thresholds))


def relevance_score(
    similarity: Mapping[FieldName, float],
    added: Mapping[str, float],
    coverage: float,
    thresholds: Thresholds,
) -> float:
    """Return ``rel(content) + coverage + 0.3 (rel(title) + rel(description))``, where ``added`` amounts are
    first added to cosines and coverage; a missing field counts 0."""
    return sum(_relevance_parts(similarity, added, coverage, thresholds).values())


def _relevance_parts(
    similarity: Mapping[FieldName, float],
    added: Mapping[str, float],
    coverage: float,
    thresholds: Thresholds,
) -> Parts:
    def relevance(field: FieldName) -> float:
        if field not in similarity:
            return 0.0
        return max(0.0, thresholds.relevance(similarity[field] + added.get(field, 0.0)))

    side = relevance("title") + relevance("description")
    return {
        "content": relevance("content"),
        "words": coverage + added.get("words", 0.0),
        "title and description": SIDE_FIELD_WEIGHT * side,
    }


def _relevance_sum_parts(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Parts]:
    return [
        _relevance_parts(candidate.similarity, candidate.added, candidate.coverage, thresholds)
        for candidate in candidates
    ]


def clause_sum(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Scored]:
    """Rank by the sum of ``(1 + cos) / 2`` over the kNN clauses that returned the page above their
    threshold."""

    return _by_parts(candidates, _clause_sum_parts(candidates, thresholds))


def _clause_sum_parts(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Parts]:
    return [
        {
            field: (1 + cosine) / 2
            for field, cosine in candidate.similarity.items()
            if field in candidate.near_fields and thresholds.passes(field, cosine)
        }
        for candidate in candidates
    ]


def cosine(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Scored]:
    """Rank by the content's best cosine; pages without content come last, with 0."""
    return _by_parts(candidates, _cosine_parts(candidates, thresholds))


def _cosine_parts(candidates: Sequence[Candidate], _thresholds: Thresholds) -> list[Parts]:
    return [{"content": _content_cosine(candidate)} for candidate in candidates]


def reciprocal_rank(candidates: Sequence[Candidate], thresholds: Thresholds) -> list[Scored]:
    """Rank by the sum of ``1 / (60 + rank)`` over two lists: the pages of the content's kNN clause by cosine,
    and those of the keyword clause by coverage (Cormack, Clarke and Büttcher, "Reciprocal rank fusion
    outperforms Condorcet and individual rank learning methods", SIGIR 2009)."""
    return _by_parts(candidates, _reciprocal_rank_parts(candidates, thresholds))


def _reciprocal_rank_parts(candidates: Sequence[Candidate], _thresholds: Thresholds) -> list[Parts]:
    lists = {
        "content": ranked((c for c in candidates if "content" in c.near_fields), _content_cosine),
        "words": ranked((c for c in candidates if c.keyword), lambda candidate: candidate.coverage),
    }
    parts: dict[PageRef, dict[str, float]] = {candidate.page.ref: {} for candidate in candidates}
    for name, each in lists.items():
        for rank, (_, candidate) in enumerate(each, start=1):
            parts[candidate.page.ref][name] = 1 / (RECIPROCAL_RANK_K + rank)
    return [parts[candidate.page.ref] for candidate in candidates]


def fused_hits(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """Merge two lists of hits by the sum of ``1 / rank``, ties as in ``first``; as long as the longer list.

    The sum falls so steeply that the first page is always first in one of the lists. A page's hit is taken
    from the list that ranks it higher.
    """
    scores: dict[PageRef, float] = {}
    hits: dict[PageRef, Hit] = {}
    for each in (first, second):
        for hit in each:
            ref = hit.page.ref
            scores[ref] = scores.get(ref, 0.0) + 1 / hit.rank
            hits[ref] = min(hits.get(ref, hit), hit, key=lambda one: one.rank)
    best = sorted(hits.values(), key=lambda hit: -scores[hit.page.ref])[: max(len(first), len(second))]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(best, start=1))


def _by_parts(candidates: Sequence[Candidate], parts: Sequence[Parts]) -> list[Scored]:
    scores = {
        candidate.page.ref: sum(each.values(), 0.0) for candidate, each in zip(candidates, parts, strict=True)
    }
    return ranked(candidates, lambda candidate: scores[candidate.page.ref])


def _content_cosine(candidate: Candidate) -> float:
    return candidate.similarity.get("content", 0.0)


RANKINGS: Final[Mapping[Ranking, Rank]] = {
    "relevance_sum": relevance_sum,
    "clause_sum": clause_sum,
    "cosine": cosine,
    "reciprocal_rank": reciprocal_rank,
}

PARTS: Final[Mapping[Ranking, PartsOf]] = {
    "relevance_sum": _relevance_sum_parts,
    "clause_sum": _clause_sum_parts,
    "cosine": _cosine_parts,
    "reciprocal_rank": _reciprocal_rank_parts,
}
"""The summands of each ranking's scores, for candidates in their order."""


def levelled(candidates: Sequence[Candidate], language: str | None) -> list[Candidate]:
    """Return the candidates, with the amounts to add to those that are in another language than the
    question's ``language`` (``Candidate.added``). If none is in that language, these are instead negative
    amounts for the coverage of all."""
    if is_foreign(candidates, language):
        return [
            replace(candidate, added={WORDS: (FOREIGN_WORDS - 1) * candidate.coverage})
            for candidate in candidates
        ]
    gaps = _gaps(candidates, language)
    return [
        replace(candidate, added=gaps[own]) if (own := candidate.page.ref.language) in gaps else candidate
        for candidate in candidates
    ]


def is_foreign(candidates: Sequence[Candidate], language: str | None) -> bool:
    """Return True if none of the pages is in the question's ``language``, as far as that is known."""
    languages = {candidate.page.ref.language for candidate in candidates}
    return language is not None and languages.isdisjoint({language, UNDETERMINED})


def _gaps(candidates: Sequence[Candidate], language: str | None) -> dict[str, dict[str, float]]:
    """Return the amounts to add to the parts of pages in other languages, by language and part. They are
    smaller for a language of few pages, which may be far because they are about something else."""
    pages = Counter(candidate.page.ref.language for candidate in candidates)
    if language is None or language not in pages:
        return {}
    nearness = {each: _nearness(candidates, each) for each in pages}
    own = nearness.pop(language)
    share = {each: LEVELLED_SHARE * min(1.0, count / LEVELLED_PAGES) for each, count in pages.items()}
    return {
        other: {part: share[other] * max(0.0, own[part] - found[part]) for part in own.keys() & found.keys()}
        for other, found in nearness.items()
    }


def _nearness(candidates: Sequence[Candidate], language: str) -> Mapping[str, float]:
    """Return the mean cosine by field of a language's nearest pages, and as ``words`` the mean coverage of
    the pages with the highest coverage."""
    pages = [candidate for candidate in candidates if candidate.page.ref.language == language]
    parts = [{**candidate.similarity, WORDS: candidate.coverage} for candidate in pages]
    nearest = {
        part: sorted((each[part] for each in parts if part in each), reverse=True)[:LEVELLED_PAGES]
        for part in (*FIELDS, WORDS)
    }
    return {part: fmean(found) for part, found in nearest.items() if found}
