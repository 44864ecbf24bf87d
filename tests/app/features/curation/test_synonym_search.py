"""A synonym finds what its twin finds, in every index."""

from datetime import date
from functools import partial
from pathlib import Path

import pytest

from app.features.curation.content import read_content
from app.features.curation.meaning import QuestionSpaces
from app.features.curation.site import Curations, SiteCuration, merged
from app.features.curation.store import CurationStore
from app.features.curation.synonyms import expansion
from app.law.catalogue import Catalogue
from app.law.field import LawField
from app.law.scope import LawScopes
from app.pages.acts import ActPages
from app.presets.collection import Presets
from app.search.index import SearchIndex
from app.search.retrieval import Retrieval
from app.search.site_retriever import SiteRetriever
from ingest.types import Save
from ingest.vectors import MemoryVectorCache
from tests.fakes.world import World, raw_page

PAGES = {
    "trade": "The trade office is in Mill Lane 4. It registers every business.",
    "pool": "The pool opens at nine. Adults pay five euros.",
    "waste": "Bins are emptied on Mondays.",
}
TOWN = frozenset({"town"})
QUESTIONS = ["Where do I find the {}?", "{}", "{} in Mill Lane", "Does the {} register a business?"]


@pytest.fixture
def world(tmp_path: Path, index: SearchIndex) -> World:
    world = World(tmp_path, index=index)
    pages = [raw_page(name, {"title": name, "content": text}) for name, text in PAGES.items()]
    world.store.accept([Save(page=page) for page in pages])
    world.indexer.sync_pages()
    world.index.refresh()
    return world


@pytest.fixture
def curation(world: World) -> SiteCuration:
    scopes = LawScopes(Catalogue(ActPages(world.engine)).versions)
    field = LawField(scopes, None, world.retriever.pages)
    return SiteCuration(
        "town",
        entries=partial(Curations(CurationStore(world.engine)).of, "town"),
        spaces=QuestionSpaces(
            index=lambda: world.index,
            embedder_of=lambda _: world.embedder,
            cache=MemoryVectorCache(),
            owner=lambda: world.store.id,
        ),
        retriever=SiteRetriever(world.retriever, field=field),
        index=lambda: world.index,
        preset=Presets().load("default"),
        today=lambda: date(2026, 11, 23),
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_synonym_finds_what_its_twin_finds_at_once(
    world: World, curation: SiteCuration, question: str
) -> None:
    def found(word: str) -> list[tuple[str, int]]:
        retrieval = curation.retrieve(question.format(word), sources=TOWN, language="en")
        return [(hit.page.ref.id, hit.rank) for hit in retrieval.hits]

    before = found("trade office")
    assert before[0] == ("trade", 1)
    words = read_content({"words": ["GewA", "trade office"]})
    CurationStore(world.engine).add("town", "synonyms", words, "kim")
    assert found("GewA") == found("trade office")
    assert found("GewA")[0] == before[0]


def test_a_change_in_the_middle_of_a_question_is_seen_by_the_next_one(
    world: World, curation: SiteCuration
) -> None:
    asked = curation.now()
    assert asked.explained("Where is the GewA?", "en") == "Where is the GewA?"
    words = read_content({"words": ["GewA", "trade office"]})
    CurationStore(world.engine).add("town", "synonyms", words, "kim")
    assert asked.explained("Where is the GewA?", "en") == "Where is the GewA?"
    assert curation.now().explained("Where is the GewA?", "en") != "Where is the GewA?"


@pytest.mark.parametrize(
    ("with_slang", "with_synonym", "told"),
    [
        (("Knöllchen",), (), ()),
        (("Knöllchen", "Drohne"), ("Drohne",), ("Drohne",)),
        (("Knöllchen",), ("Verwarnungsgeld",), ("Knöllchen", "Verwarnungsgeld")),
    ],
)
def test_a_word_is_on_the_pages_if_its_synonym_is(
    with_slang: tuple[str, ...], with_synonym: tuple[str, ...], told: tuple[str, ...]
) -> None:
    found = expansion("Was kostet ein Knöllchen?", [("Knöllchen", "Verwarnungsgeld")], "de")
    assert found
    results = [
        Retrieval(question=question, mode="semantic", degraded=(), hits=(), absent_words=absent)
        for question, absent in zip(found.variants, (with_slang, with_synonym), strict=True)
    ]
    assert merged(found, results).absent_words == told
