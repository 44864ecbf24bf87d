"""Vectors are grouped as the slow textbook method groups them."""

import numpy as np
import pytest

from app.features.questions.grouping import Labels, by_centrality, grouped, joined
from ingest.types import Vectors


def random_vectors(count: int, centres: int, seed: int) -> Vectors:
    chance = np.random.default_rng(seed)
    middle = chance.normal(size=(centres, 16))
    vectors = middle[chance.integers(0, centres, count)] + 0.4 * chance.normal(size=(count, 16))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def textbook(vectors: Vectors, least: float) -> set[frozenset[int]]:
    """Merge the two groups with the highest mean cosine until none reaches ``least``."""
    groups = [frozenset((number,)) for number in range(len(vectors))]
    cosines = vectors @ vectors.T

    def nearness(one: frozenset[int], other: frozenset[int]) -> float:
        return float(cosines[np.ix_(sorted(one), sorted(other))].mean())

    while len(groups) > 1:
        best, one, other = max(
            (nearness(one, other), sorted(one), sorted(other))
            for place, one in enumerate(groups)
            for other in groups[:place]
        )
        if best < least:
            break
        groups = [each for each in groups if sorted(each) not in (one, other)]
        groups.append(frozenset((*one, *other)))
    return set(groups)


def as_sets(labels: Labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in labels}


@pytest.mark.parametrize("least", [0.3, 0.6, 0.8])
@pytest.mark.parametrize("seed", range(4))
def test_the_groups_are_those_of_average_linkage(seed: int, least: float) -> None:
    vectors = random_vectors(40, 6, seed)
    assert as_sets(grouped(vectors, least)) == textbook(vectors, least)


def test_groups_do_not_depend_on_blocks_nor_on_the_order() -> None:
    vectors = random_vectors(700, 30, 1)
    order = np.random.default_rng(2).permutation(len(vectors))
    moved = {frozenset(order[sorted(group)].tolist()) for group in as_sets(grouped(vectors[order], 0.7))}
    assert moved == as_sets(grouped(vectors, 0.7))


def test_what_is_alone_or_nothing_is_grouped_too() -> None:
    assert grouped(random_vectors(1, 1, 0), 0.9).tolist() == [0]
    assert grouped(np.empty((0, 16), dtype=np.float32), 0.9).tolist() == []


def test_the_most_central_member_comes_first() -> None:
    angles = np.radians([0, 10, 25, 90, 91])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    labels = np.array([0, 0, 0, 1, 1])
    assert by_centrality(vectors, labels).tolist() == [1, 0, 2, 0, 1]


def test_groups_of_which_most_have_the_same_key_become_one() -> None:
    labels = np.array([0, 1, 0, 2, 3, 3, 4, 4, 4, 5])
    keys = ["sauna", "sauna", "sauna", "", "sauna", "", "pool", "pool", "", "pool"]
    assert joined(labels, keys).tolist() == [0, 0, 0, 1, 2, 2, 3, 3, 3, 3]
    assert joined(labels, [""] * len(keys)).tolist() == labels.tolist()
