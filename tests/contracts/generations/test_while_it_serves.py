"""A rebuild between editors and readers: nobody notices, and nothing is lost or comes back."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

from app.errors import AuskunftError
from app.indexing.progress import Progress
from ingest.types import Delete, PageRef, Save
from tests.contracts.generations.conftest import everywhere
from tests.fakes.site import word
from tests.fakes.world import World, raw_page

PAGES: Final = 60
STABLE: Final = 20
"""The first pages are edited but never deleted, and always hold their word: readers ask for these."""
WAIT_SECONDS: Final = 60
DIMS: Final = (512, 64)
"""Of the two rebuilds: the embedder that is there, then another."""

SEED: Final = 64


class Editor:
    """Saves and deletes pages in a thread of its own, one change for each call of :meth:`wait_for_an_edit`,
    and a few ahead; every third time it indexes what is due."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._random = Random(seed)
        self._wanted = threading.Semaphore(3)
        self._made = threading.Semaphore(0)
        self._ended = threading.Event()
        self.edits = 0
        self.texts = {page_id(n): text(n, 0) for n in range(PAGES)}

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Edit until the end of the block."""
        thread = threading.Thread(target=self._run)
        thread.start()
        yield
        self._ended.set()
        self._wanted.release()
        thread.join()

    def wait_for_an_edit(self, _progress: Progress) -> None:
        """Let one more change be made, wait for one that is done."""
        self._wanted.release()
        assert self._made.acquire(timeout=WAIT_SECONDS)

    def _run(self) -> None:
        while self._wanted.acquire() and not self._ended.is_set():
            self._edit()
            self._made.release()

    def _edit(self) -> None:
        self.edits += 1
        number = self._random.randrange(PAGES + 20)  # the last ones are new
        name = page_id(number)
        if number >= STABLE and self._random.random() < 0.4:
            self._world.store.accept([Delete(source="town", id=name)])
            self.texts.pop(name, None)
        else:
            self.texts[name] = text(number, self.edits)
            self._world.store.accept([Save(page=raw_page(name, {"content": self.texts[name]}))])
        if self.edits % 3 == 0:
            self._world.indexer.sync_pages()


def page_id(number: int) -> str:
    return f"p{number:02}"


def text(number: int, version: int) -> str:
    return f"The word of this page is {word(number)}. It was edited for the {version}th time."


@contextmanager
def reading(world: World) -> Iterator[list[str]]:
    """Ask for the stable pages all the time; what is yielded lists every question that went wrong."""
    wrong: list[str] = []
    done = threading.Event()
    asked = threading.Semaphore(0)

    def read() -> None:
        number = 0
        while not done.is_set():
            number = (number + 1) % STABLE
            question = f"Which page has the word {word(number)}?"
            try:
                found = world.retriever.retrieve(question, sources=frozenset({"town"}))
                if page_id(number) not in [hit.page.ref.id for hit in found.hits] or found.degraded:
                    wrong.append(f"{question} {found.degraded} {[hit.page.ref.id for hit in found.hits]}")
            except AuskunftError as error:
                wrong.append(f"{question} {error!r}")
            asked.release()

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(STABLE):
        assert asked.acquire(timeout=WAIT_SECONDS)
    yield wrong
    for _ in range(STABLE):
        assert asked.acquire(timeout=WAIT_SECONDS)
    done.set()
    reader.join()


@everywhere
def test_editors_and_readers_notice_nothing_and_what_goes_live_is_the_page_store(world: World) -> None:
    editor = Editor(world, seed=SEED)
    world.save(*(raw_page(name, {"content": content}) for name, content in editor.texts.items()))
    world.index.refresh()
    with reading(world) as wrong, editor.at_work():
        for dims in DIMS:
            world.change_embedder(dims)
            world.rebuilder.build(editor.wait_for_an_edit)
        world.rebuilder.rollback(show=editor.wait_for_an_edit)
    world.drain()
    assert wrong == []
    assert world.served() == world.wanted()
    assert world.wanted().keys() == editor.texts.keys()
    refs = [PageRef(source="town", id=name, language="en") for name in editor.texts]
    found = {page.ref.id: page.fields["content"] for page in world.index.pages(refs)}
    assert found == editor.texts
    assert world.store.pending() == 0
