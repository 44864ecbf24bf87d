"""``auskunft reindex --queue``: others do the work."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.services import Services
from app.settings.settings import load_settings
from tests.fakes.command import Command
from tests.faults.worker_group import wait_until


@contextmanager
def embedded_worker(town: Command) -> Iterator[None]:
    """Run an embedded worker, as `auskunft serve` does."""
    with Services(load_settings(data=town.data, embedder="hashing", retry_seconds=0.1)) as services:
        services.background.worker.start()
        wait_until(lambda: services.background.worker.state() == "here")
        yield


def test_the_work_is_left_to_who_serves_and_waited_for(town: Command) -> None:
    with embedded_worker(town):
        result = town.run("reindex", "--queue", "--wait")
        assert (result.code, result.err) == (0, "")
        assert re.fullmatch(r"3 pages, 0 failed in [\d.]+ s: generation 2 is live\n", result.out)
        source = town.run("reindex", "--queue", "--wait", "--source", "town")
        assert re.fullmatch(r"3 pages, 0 failed in [\d.]+ s: written again in place\n", source.out)


def test_where_nobody_works_it_says_so_and_waits(town: Command) -> None:
    result = town.run("reindex", "--queue")
    assert result.code == 0
    assert "auskunft status" in result.out
    assert result.err == "note: nobody works in the background: start `auskunft serve`\n"
    status = town.run("status")
    assert re.search(r"ok  rebuild: 0 of 0 pages, [0-9a-f]{16} is queued\n", status.out)
    again = town.run("reindex", "--queue")
    assert (again.code, again.err.count("\n")) == (2, 1)
    by_hand = town.run("reindex")
    assert by_hand.code == 2
    assert "auskunft reindex --cancel" in by_hand.err


def test_it_is_cancelled_also_where_nobody_works(town: Command) -> None:
    town.run("reindex", "--queue")
    result = town.run("reindex", "--cancel")
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(r"rebuild [0-9a-f]{16} has ended; the index is unchanged\n", result.out)
    assert town.run("reindex").code == 0
    nothing = town.run("reindex", "--cancel")
    assert (nothing.code, nothing.err) == (2, "auskunft: no rebuild is under way in the queue\n")


def test_one_that_did_not_end_well_is_told_with_the_reason(town: Command) -> None:
    town.run("reindex", "--queue")
    with Services(load_settings(data=town.data, embedder="hashing")) as services:
        services.indexing.rebuild_queue.advance()
        services.indexing.index.drop(2)
    with embedded_worker(town):
        waiting = threading.Event()
        while "failed" not in (status := town.run("status").out):
            waiting.wait(0.05)
    assert re.search(
        r"BAD rebuild: [0-9a-f]{16} is failed: generation 2, which was being built, is gone", status
    )


def test_wrong_options_are_one_line(town: Command) -> None:
    for arguments in (("--wait",), ("--queue", "--source", "nowhere")):
        result = town.run("reindex", *arguments)
        assert (result.code, result.err.count("\n")) == (2, 1)
