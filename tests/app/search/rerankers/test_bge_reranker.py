"""BGE-Reranker through FlagEmbedding, with a tiny model of its architecture."""

from pathlib import Path

import numpy as np
import pytest

from app.errors import PluginError, RerankerUnavailableError
from app.search.rerankers.bge_reranker import MAX_TOKENS, BgeReranker
from ingest import registry
from tests.fakes.models import installed, write_bge_m3, write_bge_reranker

QUESTION = "the dog tax"
TEXTS = ["the dog tax is due", "the pool opens", "", "tax " * 300, "dog"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bge_reranker(tmp_path_factory.mktemp("models") / "Tiny-Reranker")


@pytest.fixture(scope="module")
def reranker(folder: Path) -> BgeReranker:
    return BgeReranker(model=str(folder), device="cpu", batch=2, seconds=60)


@pytest.mark.bge
def test_batches_give_the_scores_that_flag_embedding_gives(folder: Path, reranker: BgeReranker) -> None:
    from FlagEmbedding import FlagReranker  # noqa: PLC0415

    reference = FlagReranker(str(folder), devices="cpu", use_fp16=False)
    texts = [text for text in TEXTS if text]  # it reads a pair with an empty text as the question alone
    expected = reference.compute_score([(QUESTION, text) for text in texts], max_length=MAX_TOKENS)
    assert np.allclose(reranker.scores(QUESTION, texts), expected, atol=1e-6)


@pytest.mark.bge
def test_the_recipe_tells_what_decides_the_scores_and_not_where_the_model_is(reranker: BgeReranker) -> None:
    assert reranker.recipe == {
        "name": "bge-reranker",
        "model": "Tiny-Reranker",
        "max_tokens": 1_024,
        "fp16": False,
    }


@pytest.mark.bge
def test_too_slow_a_model_is_left(folder: Path) -> None:
    slow = BgeReranker(model=str(folder), device="cpu", batch=1, seconds=1e-6)
    with pytest.raises(RerankerUnavailableError, match="too slow"):
        slow.scores(QUESTION, TEXTS)


@pytest.mark.bge
def test_words_beyond_1024_tokens_do_not_count_those_before_do(reranker: BgeReranker) -> None:
    longest = "dog " * (MAX_TOKENS - len(QUESTION.split()) - 4)  # the first, two between, and the last token
    cut, inside = reranker.scores(QUESTION, [longest + "tax " * 500, longest])
    assert cut == pytest.approx(inside, abs=1e-6)
    [other] = reranker.scores(QUESTION, [longest[: -len("dog " * 100)] + "tax " * 100])
    assert other != pytest.approx(inside, abs=1e-4)


@pytest.mark.bge
def test_nothing_is_printed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    BgeReranker(model=str(folder), batch=2, seconds=60).scores(QUESTION, TEXTS)
    assert capfd.readouterr() == ("", "")


@pytest.mark.bge
def test_a_model_that_cannot_be_had_is_told_in_one_line_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="give the model's folder as option 'model'") as caught:
        registry.create("rerankers", "bge-reranker", model=str(tmp_path), device="cpu")
    assert "\n" not in str(caught.value)


@pytest.mark.bge
def test_an_embedders_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="returns 2 numbers for a text, not one score; set a reranker"):
        registry.create("rerankers", "bge-reranker", model=str(write_bge_m3(tmp_path / "m3")), device="cpu")


@pytest.mark.skipif(installed("FlagEmbedding"), reason="FlagEmbedding is installed")
def test_without_its_package_the_command_that_installs_it_is_told() -> None:
    with pytest.raises(PluginError, match=r"needs the package FlagEmbedding: pip install 'auskunft\[bge\]'"):
        registry.create("rerankers", "bge-reranker")
