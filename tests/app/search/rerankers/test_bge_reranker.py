"""BGE-Reranker through FlagEmbedding, with a tiny model of its architecture."""

from pathlib import Path

import numpy as np
import pytest

from app.errors import PluginError, RerankerUnavailableError
from app.search.rerankers.bge_reranker import MAX_TOKENS, BgeReranker
from ingest import registry
from tests.fakes.models import installed, write_bge_reranker

needs_flag_embedding = pytest.mark.skipif(
    not installed("FlagEmbedding"), reason="needs FlagEmbedding: pip install 'auskunft[bge]'"
)
QUESTION = "the dog tax"
TEXTS = ["the dog tax is due", "the pool opens", "", "tax " * 300, "dog"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bge_reranker(tmp_path_factory.mktemp("models") / "Tiny-Reranker")


@pytest.fixture(scope="module")
def reranker(folder: Path) -> BgeReranker:
    return BgeReranker(model=str(folder), device="cpu", batch=2, seconds=60)


@needs_flag_embedding
def test_batches_give_the_scores_that_flag_embedding_gives(folder: Path, reranker: BgeReranker) -> None:
    from FlagEmbedding import FlagReranker  # noqa: PLC0415

    reference = FlagReranker(str(folder), devices="cpu", use_fp16=False)
    expected = reference.compute_score([(QUESTION, text) for text in TEXTS], max_length=MAX_TOKENS)
    assert np.allclose(reranker.scores(QUESTION, TEXTS), expected, atol=1e-6)


@needs_flag_embedding
def test_the_recipe_tells_what_decides_the_scores_and_not_where_the_model_is(reranker: BgeReranker) -> None:
    assert reranker.recipe == {
        "name": "bge-reranker",
        "model": "Tiny-Reranker",
        "max_tokens": 1_024,
        "fp16": False,
    }


@needs_flag_embedding
def test_too_slow_a_model_is_left(folder: Path) -> None:
    slow = BgeReranker(model=str(folder), device="cpu", batch=1, seconds=1e-6)
    with pytest.raises(RerankerUnavailableError, match="too slow"):
        slow.scores(QUESTION, TEXTS)


@needs_flag_embedding
def test_nothing_is_printed(reranker: BgeReranker, capfd: pytest.CaptureFixture[str]) -> None:
    reranker.scores(QUESTION, TEXTS)
    assert capfd.readouterr() == ("", "")


@needs_flag_embedding
def test_a_model_that_cannot_be_had_is_told_in_one_line_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(PluginError, match="give the model's folder as option 'model'") as caught:
        registry.create("rerankers", "bge-reranker", model=str(tmp_path), device="cpu")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(installed("FlagEmbedding"), reason="FlagEmbedding is installed")
def test_without_its_package_the_command_that_installs_it_is_told() -> None:
    with pytest.raises(PluginError, match=r"needs the package FlagEmbedding: pip install 'auskunft\[bge\]'"):
        registry.create("rerankers", "bge-reranker")
