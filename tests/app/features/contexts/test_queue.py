"""Contexts by Celery workers: several write at once, one is killed, nothing is lost or asked for twice."""

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from app.features.contexts.services import ContextServices
from tests.app.features.contexts.scripted import document_of, passage_of, writes_contexts
from tests.fakes.llm import FakeLlm, Reply
from tests.faults.conftest import StartInstallation
from tests.faults.worker_group import wait_until

pytestmark = pytest.mark.faults

PAGES = 12
PARALLEL = 2
PROCESSES = 2


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


def test_workers_write_contexts_and_one_that_is_killed_costs_only_what_it_was_writing(
    start_installation: StartInstallation, llm: FakeLlm
) -> None:
    asked: Counter[tuple[str, str]] = Counter()
    lock, killed = threading.Lock(), threading.Event()

    def answer(request: dict[str, object]) -> Reply:
        with lock:
            asked[document_of(request), passage_of(request)] += 1
            first = asked.total() <= PAGES
        return writes_contexts(request) if first or killed.is_set() else Reply(silent=True)

    llm.answer = answer
    model = {"model": "fake", "base_url": llm.base_url, "parallel": PARALLEL}
    installation = start_installation(preset="contextual", contexts=model)
    store = installation.services.feature(ContextServices).store
    worker = installation.worker()
    installation.new_pages(PAGES)
    wait_until(lambda: asked.total() > PAGES)
    worker.kill()
    killed.set()
    installation.worker()
    wait_until(lambda: (counts := store.counts()) and counts[0].pages == PAGES and not counts[0].due)
    [counts] = store.counts()
    assert (counts.written, counts.failed) == (counts.chunks, 0)
    assert asked.total() - len(asked) <= PARALLEL * PROCESSES
    wait_until(lambda: not installation.services.store.pending())
