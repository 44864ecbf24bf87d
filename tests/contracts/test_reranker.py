"""What every reranker does, whatever it computes with."""

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from ingest import registry
from ingest.protocols import Reranker
from tests.fakes.models import write_bge_reranker
from tests.fakes.rerank_server import FakeReranker

QUESTION = "When is the dog tax due?"
TEXTS = [
    "# Dog tax\n\nthe dog tax is due on 15 May",
    "the pool opens",
    "",
    " \n",
    "\0",
    "the \0 dog",
    "כלב 犬 🐕 \U000e0041",
    "| a | b |\n|---|---|\n| dog | 80 euros |",
]
TOLERANCE = 1e-5
THREADS = 4


@contextmanager
def lexical_blocks(_folder: Path) -> Iterator[Reranker]:
    yield registry.create("rerankers", "lexical-blocks")


@contextmanager
def endpoint(_folder: Path) -> Iterator[Reranker]:
    with FakeReranker() as server:
        yield registry.create("rerankers", "endpoint", base_url=server.base_url, model="m", batch=3)


@contextmanager
def bge_reranker(folder: Path) -> Iterator[Reranker]:
    model = write_bge_reranker(folder / "tiny")
    yield registry.create("rerankers", "bge-reranker", model=str(model), device="cpu", batch=3, seconds=60)


MAKERS = {
    "bge-reranker": bge_reranker,
    "endpoint": endpoint,
    "lexical-blocks": lexical_blocks,
}

MARKS = {"bge-reranker": pytest.mark.bge}
PARAMETERS = [pytest.param(name, marks=MARKS.get(name, ())) for name in registry.names("rerankers")]


@pytest.fixture(params=PARAMETERS, scope="module")
def reranker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reranker]:
    with MAKERS[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


def test_each_text_has_a_finite_score(reranker: Reranker) -> None:
    scores = reranker.scores(QUESTION, TEXTS)
    assert len(scores) == len(TEXTS)
    assert all(math.isfinite(score) for score in scores)


def test_no_texts_have_no_scores(reranker: Reranker) -> None:
    assert list(reranker.scores(QUESTION, [])) == []


def test_one_text_has_one(reranker: Reranker) -> None:
    assert len(reranker.scores(QUESTION, TEXTS[:1])) == 1


@pytest.mark.parametrize("question", ["", " \n", "\0", "???", "犬" * 2_000, "dog " * 500])
def test_any_question_is_scored(reranker: Reranker, question: str) -> None:
    assert len(reranker.scores(question, TEXTS)) == len(TEXTS)


def test_a_long_text_has_a_score_too(reranker: Reranker) -> None:
    [score] = reranker.scores(QUESTION, ["dog tax " * 12_500])
    assert math.isfinite(score)


def test_the_same_texts_have_the_same_scores_again(reranker: Reranker) -> None:
    first = reranker.scores(QUESTION, TEXTS)
    assert list(reranker.scores(QUESTION, TEXTS)) == pytest.approx(list(first), abs=TOLERANCE)


def test_threads_get_what_one_thread_gets(reranker: Reranker) -> None:
    expected = list(reranker.scores(QUESTION, TEXTS))
    with ThreadPoolExecutor(THREADS) as pool:
        for scores in pool.map(partial(reranker.scores, QUESTION), [TEXTS] * (2 * THREADS)):
            assert list(scores) == pytest.approx(expected, abs=TOLERANCE)


def test_the_recipe_names_the_plugin_and_stays_what_it_is_in_json(reranker: Reranker) -> None:
    before = dict(reranker.recipe)
    reranker.scores(QUESTION, TEXTS)
    assert json.loads(json.dumps(dict(reranker.recipe))) == before
    assert before["name"] in registry.names("rerankers")
