"""``auskunft terms``."""

import pytest

from app.features.translations.store import TermStore
from app.pages.database import open_engine, sqlite_url
from tests.fakes.command import Command

pytestmark = pytest.mark.commands


def test_an_installation_with_one_language_says_what_is_missing(indexed: Command) -> None:
    result = indexed.run("terms", "--now")
    assert (result.code, result.err) == (0, "")
    assert (
        result.out == "nothing is learned: two languages need ten pages with the same id; --now looks again\n"
    )
    assert indexed.run("terms", "--json").json() == {"languages": [], "translations": {}}


def test_translations_are_shown(indexed: Command) -> None:
    table = TermStore(open_engine(sqlite_url(indexed.data / "pages.sqlite")))
    table.replace(("de", "en"), {"hund": ["dog", "hound"]}, {"cat": ["katze"]})
    first, second = indexed.run("terms").out.splitlines()
    assert first.startswith("de to en: 1 words, learned ")
    assert second.startswith("en to de: 1 words, learned ")
    assert indexed.run("terms", "Wo ist der Hund 7?").out == "en: dog hound 7\n"
    assert indexed.run("terms", "--language", "en", "cat", "--json").json()["translations"] == {
        "de": ["katze"]
    }
    unknown = "none of these words is translated: name their --language\n"
    assert indexed.run("terms", "xyz").out == unknown
    assert indexed.run("terms", "--language", "de", "otterfurt").out == unknown
