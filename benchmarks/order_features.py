"""Features of a question's candidate pages, for :mod:`benchmarks.learned_order`.

All come from the index and the page's text. Only the question is embedded.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from app.features.evaluation.pool import PoolQuestion, is_page_of
from app.law.catalogue import Catalogue
from app.law.scope import LawScopes
from app.law.units import law_unit
from app.pages.acts import ActPages
from app.presets import Thresholds
from app.search import analysis
from app.search.answer_kinds import asked_kinds, share_of_kinds
from app.search.blocks import block_relevance, word_score
from app.search.coverage import QuestionWords
from app.search.fusion import levelled
from app.search.languages import question_language
from app.search.page_blocks import ParsedBlock, parsed_blocks
from app.search.query import near_chunks, passage_query
from app.search.types import Candidate, Generation, IndexedPage, QuerySpec
from app.services import Services
from benchmarks import pages
from ingest.types import FieldName

FEATURES: Final = (
    "content",
    "coverage",
    "title",
    "description",
    "name",
    "block",
    "blocks",
    "chunks",
    "heading words",
    "own words",
    "kind asked",
    "recital",
    "annex",
    "length",
    "act",
    "language",
    "years",
)
"""The features of a page.

* ``content``, ``title``, ``description``, ``name``: the relevance of the field's best chunk
* ``coverage``: as the search counts it
* ``block``, ``blocks``: the score of the best block, and the mean of the best two
* ``chunks``: the mean relevance of the best three chunks
* ``heading words``, ``own words``: the share of the question's word weight in title, name, description and
  headings, and in the text below them
* ``kind asked``: the share of the kinds of text asked for that the best block has
* ``recital``, ``annex``: 1 or 0
* ``length``: a tenth of the logarithm of the content's characters
* ``act``: the best ``content`` of another page of the same document
* ``language``: 1 for the question's
* ``years``: the share of the question's years that the page has
"""

TODAY: Final[Mapping[str, float]] = {"content": 1.0, "coverage": 1.0, "title": 0.3, "description": 0.3}
"""The weights of ranking ``relevance_sum``."""

DEPTH: Final = 50
"""Pages of each arm. The preset asks for fewer; the further ones are for the ceiling."""

_K: Final[Mapping[FieldName, int]] = {"content": DEPTH, "title": 20, "description": 20, "name": 10}
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """A question of a pool with its candidate pages. ``features``: shape ``(pages, len(FEATURES))``.
    ``gold``: True by page if it answers. ``units``: by page, the number of its unit, the same for all
    versions and languages of a unit of law. ``about``: the gold pages, by which questions are grouped."""

    pool: str
    language: str
    question: str
    about: tuple[str, ...]
    features: Matrix
    gold: npt.NDArray[np.bool_]
    units: npt.NDArray[np.int64]


def collect(services: Services, pool: str, questions: Sequence[PoolQuestion]) -> Iterator[Candidates]:
    """Search for every question whose answer is in the index, except follow-ups and short questions."""
    live = services.indexing.index.live()
    if live is None:
        return
    collector = _Collector(services, live)
    for question in questions:
        is_alone = not question.history and not analysis.is_short(question.question)
        if is_alone and collector.has_answer(question):
            yield collector.candidates(pool, question)


def write(path: Path, collected: Sequence[Candidates]) -> None:
    """Write candidates as JSON Lines. Their only texts are ids, and questions that have no id."""
    with path.open("w", encoding="utf-8") as file:
        for each in collected:
            record = {
                "pool": each.pool,
                "language": each.language,
                "question": each.question,
                "about": each.about,
                "features": each.features.round(5).tolist(),
                "gold": each.gold.tolist(),
                "units": each.units.tolist(),
            }
            file.write(json.dumps(record) + "\n")


def read(path: Path) -> list[Candidates]:
    """Return the candidates in a file of :func:`write`."""
    return [
        Candidates(
            pool=record["pool"],
            language=record["language"],
            question=record["question"],
            about=tuple(record["about"]),
            features=np.array(record["features"], np.float64).reshape(-1, len(FEATURES)),
            gold=np.array(record["gold"], np.bool_),
            units=np.array(record["units"], np.int64),
        )
        for record in pages.read(path)
    ]


class _Collector:
    def __init__(self, services: Services, live: Generation) -> None:
        self._index = services.indexing.index
        self._sources = frozenset(services.store.sources())
        self._generation = live.number
        self._ids = [ref.id for ref, _ in self._index.refs(live.number)]
        self._embedder = services.indexing.embedders.of(live)
        self._thresholds = services.preset.thresholds(live.recipe.embedder)
        scopes = LawScopes(Catalogue(ActPages(services.engine)).versions)
        self._hidden = scopes.scope(self._sources).hidden

    def has_answer(self, question: PoolQuestion) -> bool:
        return any(is_page_of(gold, page) for gold in question.gold for page in self._ids)

    def candidates(self, pool: str, question: PoolQuestion) -> Candidates:
        language = question.language or question_language(question.question) or ""
        spec = QuerySpec(
            words=analysis.content_words(question.question, language),
            sources=self._sources,
            vector=passage_query(question.question, self._embedder),
            k=_K,
            keyword="any",
            keyword_limit=DEPTH,
            generation=self._generation,
            without=self._hidden,
        )
        found = levelled(self._index.search(spec), language)
        units = {
            unit: number for number, unit in enumerate(dict.fromkeys(_unit(each.page) for each in found))
        }
        return Candidates(
            pool=pool,
            language=language,
            question=question.id or question.question,
            about=tuple(map(str, question.gold)),
            features=_features(question.question, language, found, self._thresholds),
            gold=np.array(
                [any(is_page_of(gold, each.page.ref.id) for gold in question.gold) for each in found],
                np.bool_,
            ),
            units=np.array([units[_unit(each.page)] for each in found], np.int64),
        )


def _unit(page: IndexedPage) -> tuple[str, ...]:
    unit = law_unit(page)
    return (unit.celex, unit.unit) if unit else (page.ref.source, page.ref.id, page.ref.language)


def _features(question: str, language: str, found: Sequence[Candidate], thresholds: Thresholds) -> Matrix:
    blocks = [_blocks(each.page) for each in found]
    pairs = [
        (each.page.ref.language, block.words)
        for each, own in zip(found, blocks, strict=True)
        for block in own
    ]
    words = QuestionWords(question, language, pairs)
    acts = _best_of_acts(found, thresholds)
    rows = [
        _row(question, language, each, blocks=own, words=words, thresholds=thresholds) | {"act": acts[number]}
        for number, (each, own) in enumerate(zip(found, blocks, strict=True))
    ]
    return np.array([[row[name] for name in FEATURES] for row in rows], np.float64).reshape(-1, len(FEATURES))


def _row(
    question: str,
    language: str,
    candidate: Candidate,
    *,
    blocks: Sequence[ParsedBlock],
    words: QuestionWords,
    thresholds: Thresholds,
) -> dict[str, float]:
    page, own_language = candidate.page, candidate.page.ref.language
    kinds, near = asked_kinds(question), near_chunks(candidate, thresholds)
    scored = sorted(
        (
            (block_relevance(block.passage, near) + word_score(block, own_language, words, kinds), number)
            for number, block in enumerate(blocks)
        ),
        reverse=True,
    )
    scores = [score for score, _ in scored[:2]] or [0.0]
    best = blocks[scored[0][1]] if scored else None
    held = [page.fields.get(name, "") for name in ("title", "name", "description")]
    above = frozenset(analysis.tokens(" ".join(held), own_language)).union(*(block.above for block in blocks))
    own = frozenset[str]().union(*(block.words for block in blocks))
    years = set(_YEAR.findall(question))
    text = " ".join(page.fields.values())
    chunks = [chunk.relevance for chunk in near[:3]] or [0.0]
    return {
        **{name: _relevance(candidate, name, thresholds) for name in _K},
        "coverage": candidate.coverage,
        "block": scores[0],
        "blocks": sum(scores) / len(scores),
        "chunks": sum(chunks) / len(chunks),
        "heading words": words.share(words.among(own_language, above)),
        "own words": words.share(words.among(own_language, own)),
        "kind asked": share_of_kinds(kinds, f"{best.before}\n{best.passage.text}") if best else 0.0,
        "recital": float(page.kind == "recital"),
        "annex": float(page.kind == "annex"),
        "length": float(np.log1p(len(page.fields.get("content", "")))) / 10,
        "language": float(own_language == language),
        "years": sum(year in text for year in years) / len(years) if years else 0.0,
    }


def _relevance(candidate: Candidate, field: FieldName, thresholds: Thresholds) -> float:
    if not candidate.chunks.get(field):
        return 0.0
    cosine = candidate.chunks[field][0].cosine + candidate.added.get(field, 0.0)
    return max(0.0, thresholds.relevance(cosine))


def _best_of_acts(found: Sequence[Candidate], thresholds: Thresholds) -> list[float]:
    """Return for each candidate the best content relevance of another unit of the same document."""
    relevances = [_relevance(each, "content", thresholds) for each in found]
    by_act: dict[str, list[tuple[float, tuple[str, ...]]]] = defaultdict(list)
    for each, relevance in zip(found, relevances, strict=True):
        by_act[each.page.document].append((relevance, _unit(each.page)))
    return [
        max((other for other, unit in by_act[each.page.document] if unit != _unit(each.page)), default=0.0)
        for each in found
    ]


def _blocks(page: IndexedPage) -> tuple[ParsedBlock, ...]:
    return _parsed(page.fields.get("content", ""), "content", page.title, page.ref.language)


_parsed = cache(parsed_blocks)
