"""Which words of an index count for whoever asks."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from app.search.visibility import PAGES_ASKED, ShownWords
from tests.fakes.world import World, raw_page

TOWN: Final = frozenset({"town"})
NEXT_YEAR: Final = datetime.now(UTC) + timedelta(days=365)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """More embargoed pages about fireworks than are asked for at first, and two public ones about dogs."""
    world = World(tmp_path)
    later = [raw_page(f"later{n}", {"content": "A firework."}) for n in range(PAGES_ASKED + 5)]
    world.save(
        *(replace(page, publish_from=NEXT_YEAR) for page in later),
        raw_page("dogs", {"content": "A dog."}),
        raw_page("cats", {"content": "A cat and a dog."}),
    )
    yield world
    world.close()


def known(world: World, *words: str) -> list[int]:
    return ShownWords(world.index, world.store.hidden, TOWN, frozenset()).frequencies(words)


def test_a_word_that_only_hidden_pages_have_is_in_none_however_many_there_are(world: World) -> None:
    assert known(world, "firework", "dog", "cat", "absent") == [0, 2, 1, 0]


def test_a_word_whose_first_pages_are_hidden_is_in_the_public_one_behind_them(world: World) -> None:
    world.save(raw_page("public", {"content": "A firework."}))
    assert known(world, "firework")[0] >= 1


def test_no_words_are_in_no_pages(world: World) -> None:
    assert known(world) == []
