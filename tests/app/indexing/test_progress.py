"""How far work is: exact where the chunks are known, else estimated from the pages that are."""

from app.indexing.progress import BatchProgress, Progress, ProgressCounter


def batch(pages: int, chunks: int, embedded: int, cached: int = 0) -> BatchProgress:
    return BatchProgress(pages=pages, chunks=chunks, cached=cached, embedded=embedded)


def test_the_chunks_of_pages_that_were_not_cut_yet_are_estimated_from_the_others() -> None:
    shown: list[Progress] = []
    counter = ProgressCounter(shown.append)
    counter.expect(40)
    assert shown == [Progress(done=0, total=40, is_exact=False)]
    counter.show_batch(batch(16, 160, 80))
    assert shown[-1] == Progress(done=0, total=40, chunks=80, total_chunks=400, is_exact=False, computed=80)
    counter.settle(16)
    counter.show_batch(batch(16, 320, 0))
    assert (shown[-1].done, shown[-1].chunks, shown[-1].total_chunks) == (16, 160, 600)
    counter.settle(16)
    counter.show_batch(batch(8, 20, 20))
    assert (shown[-1].total_chunks, shown[-1].is_exact) == (500, True)
    counter.settle(8)
    assert shown[-1] == Progress(done=40, total=40, chunks=500, total_chunks=500, computed=100)


def test_pages_that_were_given_back_are_counted_when_they_are_done() -> None:
    shown: list[Progress] = []
    counter = ProgressCounter(shown.append)
    counter.expect(1)
    counter.show_batch(batch(1, 100, 60))
    counter.settle(0)
    assert (shown[-1].done, shown[-1].chunks) == (0, 0)
    counter.show_batch(batch(1, 100, 100, cached=60))
    counter.settle(1)
    assert shown[-1] == Progress(done=1, total=1, chunks=100, total_chunks=100, computed=100)


def test_pages_that_others_did_count_as_done_and_their_chunks_are_not_waited_for() -> None:
    shown: list[Progress] = []
    counter = ProgressCounter(shown.append)
    counter.expect(10)
    counter.show_batch(batch(2, 20, 20))
    counter.settle(2, left=0)
    assert shown[-1] == Progress(done=10, total=10, chunks=20, total_chunks=20, computed=20)
