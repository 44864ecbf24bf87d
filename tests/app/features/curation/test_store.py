"""The entries of the curation, in every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from app.errors import ConflictError, InputError, NotFoundError
from app.features.curation import store as curation_store
from app.features.curation.content import read_content
from app.features.curation.store import CurationStore
from app.features.curation.tables import curation
from app.pages.audit import AuditLog
from app.pages.database import open_engine, writing
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON

WORDS = read_content({"words": ["GA", "Gewerbeamt"]})
OTHER = read_content({"words": ["GA", "Gewerbeamt", "Ämtchen"]})


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> CurationStore:
    return CurationStore(engine, lambda: NOON)


def test_an_entry_comes_back_as_it_went_in(store: CurationStore) -> None:
    entry = store.add("town", "synonyms", WORDS, "kim")
    assert store.get(entry.number) == entry
    assert (entry.site, entry.kind, entry.version, entry.content) == ("town", "synonyms", 1, WORDS)
    assert (entry.changed_by, entry.changed_at) == ("kim", NOON)


def test_every_change_is_counted_and_only_changes_are(store: CurationStore) -> None:
    counts = [store.changes()]
    entry = store.add("town", "synonyms", WORDS, "kim")
    counts.append(store.changes())
    store.update(entry.number, 1, OTHER, "kim")
    counts.append(store.changes())
    store.remove(entry.number, 2, "kim")
    counts.append(store.changes())
    store.entries()
    with pytest.raises(NotFoundError):
        store.remove(entry.number, 2, "kim")
    assert counts == list(range(counts[0], counts[0] + 4))
    assert store.changes() == counts[-1]
    assert store.all() == (counts[-1], [])


def test_who_changes_what_somebody_else_changed_meanwhile_is_told_who(store: CurationStore) -> None:
    entry = store.add("town", "synonyms", WORDS, "kim")
    changed = store.update(entry.number, 1, OTHER, "lee")
    assert (changed.version, changed.content) == (2, OTHER)
    with pytest.raises(ConflictError, match=r"lee changed this entry at 2026-.* \(version 2, yours is 1\)"):
        store.update(entry.number, 1, WORDS, "kim")
    with pytest.raises(ConflictError, match="lee changed"):
        store.remove(entry.number, 1, "kim")
    assert store.get(entry.number) == changed


def test_every_change_is_in_the_log(store: CurationStore, engine: Engine) -> None:
    entry = store.add("town", "synonyms", WORDS, "kim")
    store.update(entry.number, 1, OTHER, "lee")
    store.remove(entry.number, 2, "kim")
    found = AuditLog(engine).entries(target=f"curation/{entry.number}")
    assert [(each.actor, each.action) for each in found] == [
        ("kim", "curation.remove"),
        ("lee", "curation.update"),
        ("kim", "curation.add"),
    ]
    words = [each.after["words"] if each.after else None for each in found]
    assert words == [None, OTHER.words, WORDS.words]
    assert found[1].before is not None
    assert found[1].before["words"] == WORDS.words


def test_entries_are_listed_newest_first_in_parts(store: CurationStore) -> None:
    numbers = [store.add(site, "synonyms", WORDS, "kim").number for site in ("town", "lake", "town")]
    first = store.entries(limit=2)
    assert [entry.number for entry in first] == numbers[:0:-1]
    assert [entry.number for entry in store.entries(below=first[-1].number)] == numbers[:1]
    assert [entry.number for entry in store.entries(sites=["town"])] == [numbers[2], numbers[0]]
    assert store.entries(sites=[]) == store.entries(kind="pin") == []


def test_a_site_has_room_for_so_many(store: CurationStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curation_store, "MOST_ENTRIES", 1)
    store.add("town", "synonyms", WORDS, "kim")
    store.add("lake", "synonyms", WORDS, "kim")
    with pytest.raises(InputError, match="remove some first"):
        store.add("town", "synonyms", WORDS, "kim")


def test_an_entry_that_cannot_be_read_leaves_the_others(store: CurationStore, engine: Engine) -> None:
    numbers = [store.add("town", "synonyms", WORDS, "kim").number for _ in range(2)]
    with writing(engine) as connection:
        later = curation.update().where(curation.c.number == numbers[0]).values(content='{"colour": 1}')
        connection.execute(later)
    assert [entry.number for entry in store.all()[1]] == numbers[1:]
