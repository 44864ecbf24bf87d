"""Groups vectors of questions by meaning: agglomerative clustering with average linkage. Pure functions.

Two groups are merged while the mean cosine between their members reaches a threshold, the nearest first. Only
vectors that a chain of cosines above the threshold connects can meet in a group: these components are found
first, block by block, and each is clustered alone, so that no matrix of all pairs is needed.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ingest.types import Vectors

Labels = npt.NDArray[np.int64]

BLOCK: Final = 256
"""The number of rows that are compared with all others at once."""

_GONE: Final = -2.0
"""Marks groups that are merged or finished; lower than every cosine."""


def grouped(vectors: Vectors, least: float) -> Labels:
    """Return the group of each row of ``vectors``, shape ``(n, dims)``, unit length: numbers from 0, in the
    order of their first members. ``least``: the lowest mean cosine of groups that are merged."""
    labels = _components(vectors, least)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        if len(members) > 1:
            labels[members] = members[_average_linkage(vectors[members] @ vectors[members].T, least)]
    return _numbered(labels)


def joined(labels: Labels, keys: Sequence[str]) -> Labels:
    """Return the group of each member after groups with the same key became one. ``keys``: each member's. A
    group's key is that of more than half of its members; an empty one joins nothing."""
    sizes = Counter(labels.tolist())
    counts = Counter(zip(labels.tolist(), keys, strict=True))
    key_of = {label: key for (label, key), count in counts.items() if key and 2 * count > sizes[label]}
    first = dict[str, int]()
    kept = [first.setdefault(key_of[label], label) if label in key_of else label for label in labels.tolist()]
    return _numbered(np.array(kept, dtype=np.int64))


def by_centrality(vectors: Vectors, labels: Labels) -> Labels:
    """Return each vector's place within its group, from 0: the nearest to the group's mean first, equally
    near ones in their order."""
    ranks = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        nearness = vectors[members] @ vectors[members].sum(axis=0)
        ranks[members[np.argsort(-nearness, kind="stable")]] = np.arange(len(members))
    return ranks


def _numbered(labels: Labels) -> Labels:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


def _components(vectors: Vectors, least: float) -> Labels:
    """Return for each vector the lowest index that it is connected with."""
    labels = np.arange(len(vectors))
    for start in range(0, len(vectors), BLOCK):
        for near in vectors[start : start + BLOCK] @ vectors.T >= least:
            met = np.unique(labels[near])
            if len(met) > 1:
                labels[np.isin(labels, met)] = met[0]
    return labels


def _average_linkage(cosines: npt.NDArray[np.float32], least: float) -> Labels:
    """Return for each row of the matrix the lowest index in its group.

    A chain leads from each group to its nearest neighbour, until two are each other's nearest. These are
    merged, which leaves other mutual nearest neighbours as they are.
    """
    labels = np.arange(len(cosines))
    sizes = np.ones(len(cosines), dtype=np.float32)
    np.fill_diagonal(cosines, _GONE)
    waiting, chain = set(range(len(cosines))), list[int]()
    while waiting:
        if not chain:
            chain = [min(waiting)]
        last = chain[-1]
        nearest = int(cosines[last].argmax())
        if len(chain) > 1 and cosines[last, chain[-2]] >= cosines[last, nearest]:
            kept, merged = sorted(chain[-2:])
            _merge(cosines, sizes, kept, merged)
            labels[labels == merged] = kept
            waiting.discard(merged)
            del chain[-2:]
        elif cosines[last, nearest] >= least:
            chain.append(nearest)
        else:  # merging others brings no group nearer to it
            cosines[last, :] = cosines[:, last] = _GONE
            waiting.discard(last)
            chain.clear()
    return labels


def _merge(cosines: npt.NDArray[np.float32], sizes: npt.NDArray[np.float32], kept: int, merged: int) -> None:
    """Give ``kept`` the mean cosines of both groups, weighted by size, and remove ``merged``."""
    total = sizes[kept] + sizes[merged]
    mean = (cosines[kept] * sizes[kept] + cosines[merged] * sizes[merged]) / total
    mean[(cosines[kept] == _GONE) | (cosines[merged] == _GONE)] = _GONE
    cosines[kept] = cosines[:, kept] = mean
    cosines[merged] = cosines[:, merged] = _GONE
    sizes[kept] = total
