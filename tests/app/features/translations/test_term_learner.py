"""Translations learned from the pages that a real index has in several languages."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from app.features.translations import term_learning
from app.features.translations.store import TermStore
from app.features.translations.term_learner import LEAST_PAGES, PAGES_AT_ONCE, TermLearner
from app.pages.database import utc_now
from ingest.types import Delete, FieldName, RawPage
from tests.fakes.world import World, raw_page

GERMAN = ("Hundesteuer", "Bibliothek", "Schwimmbad", "Friedhof", "Rathaus")
ENGLISH = ("taxation", "library", "pool", "cemetery", "townhall")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


def pages(count: int = LEAST_PAGES) -> list[RawPage]:
    """Pages in German and English: each has three words of a list, line by line."""
    return [
        raw_page(
            f"page-{number}", {"title": words[number % 5], "content": text(words, number)}, language=language
        )
        for number in range(count)
        for language, words in (("de", GERMAN), ("en", ENGLISH))
    ]


def text(words: tuple[str, ...], number: int) -> str:
    return "\n\n".join(f"{words[(number + step) % 5]}." for step in range(3))


def known(world: World) -> TermStore:
    return TermStore(world.engine)


def learner(world: World) -> TermLearner:
    return TermLearner(index=lambda: world.index, store=world.store, table=known(world))


def test_pages_in_two_languages_teach_translations_both_ways(world: World) -> None:
    world.save(*pages())
    learner(world).run()
    assert known(world).translations(["bibliothek"], "de") == {"en": {"bibliothek": ["library"]}}
    assert known(world).translations(["cemeteri"], "en") == {"de": {"cemeteri": ["friedhof"]}}


def test_few_pages_teach_nothing(world: World) -> None:
    world.save(*pages(LEAST_PAGES - 1))
    learner(world).run()
    assert known(world).languages() == []


def test_pages_that_differ_in_their_lines_teach_their_titles_alone(world: World) -> None:
    world.save(*pages())
    longer: dict[FieldName, str] = {"title": "Rathaus", "content": "\n\n".join(["Ampel."] * 9)}
    world.save(*(raw_page(f"page-{n}", longer, language="de") for n in range(LEAST_PAGES)))
    learner(world).run()
    assert known(world).translations(["ampel", "friedhof"], "de") == {}


def test_where_not_all_pages_can_be_read_those_read_are_of_all_sources(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    animals = [
        raw_page(f"page-{n}", {"title": word, "content": word}, source="zoo", language=language)
        for n in range(LEAST_PAGES)
        for language, word in (("de", "Storch"), ("en", "stork"))
    ]
    world.save(*pages(), *animals)
    monkeypatch.setattr(term_learning, "MOST_PAIRS", 4 * LEAST_PAGES)  # four in each page
    learner(world).run()
    assert known(world).translations(["storch", "bibliothek"], "de")["en"].keys() == {"storch", "bibliothek"}


def test_deleted_pages_are_forgotten(world: World) -> None:
    world.save(*pages())
    learner(world).run()
    world.store.accept([Delete(source="town", id=page.ref.id) for page in pages()])
    world.drain()
    learner(world).run()
    assert known(world).languages() == []


def test_pages_that_are_not_public_yet_teach_nothing(world: World) -> None:
    tomorrow = utc_now() + timedelta(days=1)
    world.save(*(replace(page, publish_from=tomorrow) for page in pages()))
    learner(world).run()
    assert known(world).languages() == []


def test_learning_that_is_stopped_changes_nothing(world: World) -> None:
    world.save(*pages())
    learner(world).run()
    before = known(world).languages()
    learner(world).run(stop=lambda: True)
    assert known(world).languages() == before


def test_learning_can_be_stopped_while_pages_are_read(world: World) -> None:
    world.save(*pages(PAGES_AT_ONCE + 1))
    stops = iter([False, True])
    learner(world).run(stop=lambda: next(stops))
    assert known(world).languages() == []


def test_languages_that_were_learned_longest_ago_come_first_when_the_time_is_short(world: World) -> None:
    french = [
        raw_page(f"page-{number}", {"title": f"Titre {number}"}, language="fr")
        for number in range(LEAST_PAGES)
    ]
    world.save(*pages(), *french)
    all_pairs = {("de", "en"), ("de", "fr"), ("en", "fr")}
    for _ in all_pairs:
        learner(world).run(stop=iter((False, True)).__next__)
    found = {tuple(sorted((each.language, each.other))) for each in known(world).languages()}
    assert found == all_pairs
