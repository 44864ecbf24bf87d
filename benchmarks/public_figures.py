"""Figures of searches on public test sets, as a table in Markdown and for JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from app.features.evaluation.metrics import JudgedQuestion, page_scores
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.statistics import Estimate, estimates
from benchmarks.public_sets import half

FIGURES: Final = ("ndcg@10", "mrr@10", "recall@10", "hit@1")
NAMED: Final = ("nDCG@10", "MRR@10", "recall@10", "hit@1")
FIRST: Final = 10
PARTS: Final = ("all", "half 0", "half 1")

PUBLISHED: Final[Mapping[str, tuple[str, Mapping[str, float]]]] = {
    "xquad-en": ("multilingual-e5-small, published", {"ndcg@10": 0.975, "mrr@10": 0.966}),
    "cranfield": ("BM25, published", {"ndcg@10": 0.382}),
}
"""Published figures, by set: their origin and values."""

Ranked = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The pages found for every question of a set. ``way``: the preset, or the part of the search;
    ``engine``: the index's."""

    name: str
    way: str
    engine: str
    found: Ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of two engines on the first ten pages of each question. ``same``: the share of questions
    with the same ids in the same order; ``alike``: in any order; ``overlap``: the mean share of ids that both
    found."""

    same: float
    alike: float
    overlap: float


def figures(questions: Sequence[PoolQuestion], found: Ranked) -> dict[str, dict[str, Estimate]]:
    """Estimate the figures of all questions and of either half, with 95 % intervals."""
    scores = [
        page_scores(JudgedQuestion(question=question, found=tuple(pages)))
        for question, pages in zip(questions, found, strict=True)
    ]
    halves = [half(question) for question in questions]
    chosen = (scores, *([s for s, own in zip(scores, halves, strict=True) if own == n] for n in (0, 1)))
    return {part: estimates(some) for part, some in zip(PARTS, chosen, strict=True)}


def agreement(first: Ranked, second: Ranked) -> Agreement:
    """Compare the first ten pages of each question."""
    pairs = [(list(a[:FIRST]), list(b[:FIRST])) for a, b in zip(first, second, strict=True)]
    return Agreement(
        same=fmean(a == b for a, b in pairs),
        alike=fmean(set(a) == set(b) for a, b in pairs),
        overlap=fmean(len(set(a) & set(b)) / max(len(a), len(b)) if a or b else 1.0 for a, b in pairs),
    )


def table(questions: Mapping[str, Sequence[PoolQuestion]], lines: Sequence[Line]) -> Iterator[str]:
    """Yield the figures of each line, and published ones. ``questions``: by the set's name."""
    yield f"| set | | {' | '.join(NAMED)} | half 0, half 1: nDCG@10 |"
    yield "|---" * (len(NAMED) + 3) + "|"
    for name in dict.fromkeys(line.name for line in lines):
        if name in PUBLISHED:
            by, known = PUBLISHED[name]
            cells = (_short(known[figure]) if figure in known else "" for figure in FIGURES)
            yield f"| {name} | {by} | {' | '.join(cells)} | |"
        for line in lines:
            if line.name == name:
                yield _row(line, figures(questions[name], line.found))


def agreements(lines: Sequence[Line]) -> Iterator[str]:
    """Yield how far each engine finds the same pages as the first engine."""
    by_place = {(line.name, line.way, line.engine): line.found for line in lines}
    engines = list(dict.fromkeys(line.engine for line in lines))
    if len(engines) < 2:
        return
    yield f"| set | | engine, beside {engines[0]} | same ids in the same order | same ids | ids in common |"
    yield "|---|---|---|---|---|---|"
    for (name, way, engine), found in by_place.items():
        if engine != engines[0]:
            shared = agreement(by_place[name, way, engines[0]], found)
            shares = " | ".join(_short(share) for share in (shared.same, shared.alike, shared.overlap))
            yield f"| {name} | {way} | {engine} | {shares} |"


def document(questions: Mapping[str, Sequence[PoolQuestion]], line: Line) -> dict[str, Any]:
    """Return a line for JSON: its figures with their intervals, and the ids of the pages found."""
    measured = figures(questions[line.name], line.found)
    return {
        "set": line.name,
        "way": line.way,
        "engine": line.engine,
        "figures": {
            part: {
                name: {"value": round(each[name].value, 4), "interval": each[name].interval}
                for name in FIGURES
                if name in each
            }
            for part, each in measured.items()
        },
        "found": {
            question.id: list(pages) for question, pages in zip(questions[line.name], line.found, strict=True)
        },
    }


def _row(line: Line, measured: Mapping[str, Mapping[str, Estimate]]) -> str:
    cells = " | ".join(_cell(measured["all"][name]) for name in FIGURES)
    halves = ", ".join(
        _short(each["ndcg@10"].value) for part, each in measured.items() if part != "all" and each
    )
    return f"| {line.name} | {line.way}, {line.engine} | {cells} | {halves} |"


def _cell(figure: Estimate) -> str:
    between = figure.interval
    shown = f" ({_short(between[0])} to {_short(between[1])})" if between else ""
    return f"{_short(figure.value)}{shown}"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
