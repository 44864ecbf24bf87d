"""Translations of words, in every database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from app.features.translations.store import LearnedPair, TermStore
from app.pages.database import open_engine
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(new_database: NewDatabase, clock: Clock) -> TermStore:
    return TermStore(open_engine(new_database()), clock)


def test_words_are_translated_both_ways_the_likeliest_word_first(table: TermStore) -> None:
    table.replace(("de", "en"), {"hund": ["hound", "dog"], "katz": ["cat"]}, {"cat": ["katze"]})
    table.replace(("de", "fr"), {"hund": ["chien"]}, {})
    assert table.translations(["hund", "maus"], "de") == {
        "en": {"hund": ["hound", "dog"]},
        "fr": {"hund": ["chien"]},
    }
    assert table.translations(["cat"], "en") == {"de": {"cat": ["katze"]}}
    assert table.translations(["hund"], "fr") == {}
    assert table.translations([], "de") == {}


def test_what_was_learned_of_the_same_languages_is_forgotten(table: TermStore, clock: Clock) -> None:
    table.replace(("de", "en"), {"hund": ["dog"]}, {"dog": ["hund"]})
    table.replace(("de", "fr"), {"hund": ["chien"]}, {})
    clock.now += timedelta(days=1)
    table.replace(("de", "en"), {"katz": ["cat"]}, {})
    assert table.translations(["hund", "katz"], "de") == {"en": {"katz": ["cat"]}, "fr": {"hund": ["chien"]}}
    assert table.translations(["dog"], "en") == {}
    assert table.languages() == [
        LearnedPair(language="de", other="en", stems=1, learned_at=NOON + timedelta(days=1)),
        LearnedPair(language="de", other="fr", stems=1, learned_at=NOON),
    ]


def test_only_pairs_of_languages_that_there_are_still_are_kept(table: TermStore) -> None:
    for other, word in (("en", "dog"), ("fr", "chien")):
        table.replace(("de", other), {"hund": [word]}, {word: ["hund"]})
    table.keep_only([("de", "fr")])
    assert [(each.language, each.other) for each in table.languages()] == [("de", "fr"), ("fr", "de")]
    table.keep_only([])
    assert table.languages() == []


def test_many_words_are_stored(table: TermStore) -> None:
    terms = {f"wort{number}": [f"word{number}", f"term{number}"] for number in range(2_000)}
    table.replace(("de", "en"), terms, {})
    assert table.translations(list(terms), "de")["en"] == terms
    assert [each.stems for each in table.languages()] == [2_000]


def test_several_processes_may_learn_at_once(new_database: NewDatabase) -> None:
    url = new_database()
    tables = [TermStore(open_engine(url)) for _ in range(4)]
    learned = {f"wort{number}": ["word"] for number in range(1_000)}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda table: table.replace(("de", "en"), learned, {}), tables))
    assert [each.stems for each in tables[0].languages()] == [1_000]
