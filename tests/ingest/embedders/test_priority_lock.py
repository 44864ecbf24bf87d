"""Who uses an engine that computes for one thread at a time."""

from threading import Thread

import pytest

from ingest.embedders.priority_lock import PriorityLock
from tests.faults.worker_group import wait_until


def test_a_query_that_waits_comes_between_two_batches_of_documents() -> None:
    lock, turns = PriorityLock(), list[str]()

    def ask() -> None:
        with lock.held(first=True):
            turns.append("query")

    asking = Thread(target=ask)
    for batch in ("first batch", "second batch"):
        with lock.held():
            turns.append(batch)
            if batch == "first batch":
                asking.start()
                wait_until(lambda: lock._waiting_first)
    asking.join()
    assert turns == ["first batch", "query", "second batch"]


@pytest.mark.parametrize("first", [False, True])
def test_it_is_free_again_after_an_error(first: bool) -> None:
    lock = PriorityLock()
    with pytest.raises(ZeroDivisionError), lock.held(first=first):
        raise ZeroDivisionError
    with lock.held():
        pass
