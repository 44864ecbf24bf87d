"""One kind of background work: what makes it rest."""

import pytest

from app.background.steps import BackgroundStep
from app.errors import IndexUnavailableError
from app.indexing.stopping import Stop, never


@pytest.mark.parametrize("error", [IndexUnavailableError("away"), MemoryError()])
def test_it_rests_after_what_may_end_by_itself(error: Exception) -> None:
    tried = []

    def fail(stop: Stop) -> bool:
        tried.append(stop)
        raise error

    step = BackgroundStep("work", fail, rest_seconds=60)
    assert (step(never), step(never)) == (False, False)
    assert len(tried) == 1


def test_a_fault_of_ours_is_shown() -> None:
    def fail(_stop: Stop) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        BackgroundStep("work", fail, rest_seconds=60)(never)
