"""What features add to chunks is put in before they are embedded, and what was written is told them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.indexing.page_writer import PageWriter
from app.indexing.stopping import WorkControl
from app.search.index import live_generation
from ingest.pipeline import PreparedPage
from ingest.protocols import Recipe
from ingest.types import Delete, PageRef, Save
from tests.fakes.world import World, raw_page


@dataclass
class Stamper:
    """Puts a ``stamp`` into every chunk, and keeps what it is told of written pages."""

    stamp: str
    log: list[tuple[str, list[str], list[str]]] = field(default_factory=list)
    build_recipe: Recipe = field(default_factory=dict)

    def read_only(self) -> "Stamper":
        """Return a stamper that keeps nothing here."""
        return Stamper(self.stamp)

    def enrich(self, pages: Sequence[PreparedPage]) -> "Stamped":
        """Stamp the chunks."""
        return Stamped(self, [_stamped(page, self.stamp) for page in pages])


@dataclass
class Stamped:
    """Some pages with a stamp."""

    by: Stamper
    pages: list[PreparedPage]

    def note_written(self, removed: Sequence[PageRef]) -> None:
        """Keep which pages were written, and which are not to be there."""
        written = [each.page.ref.id for each in self.pages]
        self.by.log.append((self.by.stamp, written, [ref.id for ref in removed]))


def _stamped(page: PreparedPage, stamp: str) -> PreparedPage:
    chunks = (replace(chunk, context=f"{chunk.context} {stamp}") for chunk in page.chunks)
    return replace(page, chunks=tuple(chunks))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


def test_each_enricher_adds_to_what_those_before_it_made_and_is_told_what_was_written(world: World) -> None:
    first, second = Stamper("sealed"), Stamper("signed")
    writer = PageWriter(
        index=world.index, pipeline_of=world.pipeline_of, enrichers=[first, second, Stamper("x").read_only()]
    )
    world.store.accept([Save(page=raw_page(name, {"content": "Dogs."})) for name in ("dogs", "gone")])
    world.store.accept([Delete(source="town", id="gone")])
    pages = world.store.read([PageRef(source="town", id=name, language="en") for name in ("dogs", "gone")])
    writer.write(pages, [live_generation(world.index, world.store.id)], WorkControl())
    assert [text.splitlines()[0].split() for text in world.embedder.embedded] == [["sealed", "signed", "x"]]
    assert first.log == [("sealed", ["dogs"], ["gone"])]
    assert second.log == [("signed", ["dogs"], ["gone"])]
