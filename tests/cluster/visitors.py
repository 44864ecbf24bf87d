"""Visitors who ask all the time, and callers who try once more."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeVar

from app.errors import IndexUnavailableError
from app.search.index import SearchIndex
from app.search.types import QuerySpec
from tests.fakes.world import World

THREADS: Final = 3
WAIT_SECONDS: Final = 300.0

R = TypeVar("R")


def tried_twice(call: Callable[[], R]) -> R:
    """What a call returns; after an error of the index it is made once more, and no more."""
    try:
        return call()
    except IndexUnavailableError:
        return call()


class Visitors:
    """Threads that ask for every page, until the end of the ``with`` block. ``answers``: the distinct sets of
    pages that they got; ``errors``: what a second attempt did not mend."""

    def __init__(self, world: World) -> None:
        self._index: SearchIndex = world.index
        wanted = len(world.wanted())
        self._spec = QuerySpec(
            words=("page",),
            sources=frozenset({"town"}),
            vector=world.embedder.embed_query("page"),
            k={"content": wanted},
            keyword_limit=wanted,
        )
        self.answers: set[frozenset[str]] = set()
        self.errors: list[Exception] = []
        self._count = 0
        self._changed = threading.Condition()
        self._leaving = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(THREADS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaving.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, answers: int = 4 * THREADS) -> None:
        """Wait for so many further answers or errors."""
        with self._changed:
            wanted = self._count + answers
            assert self._changed.wait_for(lambda: self._count >= wanted, WAIT_SECONDS)

    def _ask(self) -> None:
        while not self._leaving.is_set():
            try:
                found = tried_twice(lambda: self._index.search(self._spec))
            except Exception as error:  # noqa: BLE001 - the test shows it
                self.errors.append(error)
            else:
                self.answers.add(frozenset(candidate.page.ref.id for candidate in found))
            with self._changed:
                self._count += 1
                self._changed.notify_all()
