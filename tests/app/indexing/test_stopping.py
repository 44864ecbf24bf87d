"""Work on claims: however it ends, every page is settled."""

from typing import Final

import pytest

from app.errors import EmbedderUnavailableError, IndexUnavailableError
from app.indexing.progress import BatchProgress
from app.indexing.stopping import HANDED_BACK, ClaimRunner, StoppedError, WorkControl
from app.pages.types import Indexed, Outcome, Waiting

RUNNER: Final = ClaimRunner(retry_seconds=7)


def test_pages_that_were_not_written_in_time_are_handed_back() -> None:
    settled = RUNNER.run(3, lambda _work: [Indexed()], list)
    assert settled == [Indexed(), HANDED_BACK, HANDED_BACK]


def test_work_that_is_stopped_while_it_embeds_hands_all_pages_back() -> None:
    def write(work: WorkControl) -> list[Outcome]:
        report = work.on_embedded(2)
        for embedded in (1, 3, 6):
            report(embedded, 6)
        return [Indexed()]

    done: list[BatchProgress] = []
    assert RUNNER.run(2, write, list, stop=lambda: True, progress=done.append) == [HANDED_BACK] * 2
    # What was known before, then at least one new batch.
    assert [(batch.cached, batch.embedded, batch.chunks) for batch in done] == [(1, 1, 6), (1, 3, 6)]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (IndexUnavailableError("away"), Waiting(reason="index_unavailable", seconds=7)),
        (EmbedderUnavailableError("away"), Waiting(reason="embedder_unavailable", seconds=7)),
        (KeyboardInterrupt(), HANDED_BACK),
        (MemoryError(), Waiting(reason="internal_error", seconds=7, counted=True)),
    ],
)
def test_an_error_is_raised_after_all_pages_are_settled(error: BaseException, outcome: Outcome) -> None:
    def fail(_work: WorkControl) -> list[Outcome]:
        raise error

    settled: list[Outcome] = []
    with pytest.raises(type(error)):
        RUNNER.run(2, fail, settled.extend)
    assert settled == [outcome] * 2


def test_work_ends_when_its_time_is_up() -> None:
    def write(work: WorkControl) -> list[Outcome]:
        if work.stop():
            raise StoppedError
        return [Indexed()]

    assert ClaimRunner(retry_seconds=7, work_seconds=-1).run(1, write, list) == [HANDED_BACK]
    assert ClaimRunner(retry_seconds=7, work_seconds=60).run(1, write, list) == [Indexed()]
