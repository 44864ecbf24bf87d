"""The log of changes, in every database."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from app.pages.audit import AuditLog, record
from app.pages.database import open_engine, writing
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def log(engine: Engine) -> AuditLog:
    return AuditLog(engine, lambda: NOON)


def test_a_change_comes_back_with_who_when_before_and_after(log: AuditLog) -> None:
    log.record("kim", "curation.update", "curation/7", {"text": "alt"}, {"text": "neu"})
    [entry] = log.entries()
    assert (entry.at, entry.actor, entry.action, entry.target) == (
        NOON,
        "kim",
        "curation.update",
        "curation/7",
    )
    assert (entry.before, entry.after) == ({"text": "alt"}, {"text": "neu"})


def test_what_did_not_exist_before_is_nothing_and_what_no_json_knows_is_text(log: AuditLog) -> None:
    log.record("kim", "users.add", "users/lee", None, {"since": NOON.date(), "name": "\ud800\0"})
    [entry] = log.entries()
    assert entry.before is None
    assert entry.after is not None
    assert entry.after["since"] == NOON.date().isoformat()


def test_changes_are_listed_newest_first_in_parts(log: AuditLog) -> None:
    for number in range(5):
        log.record("kim", "a", f"curation/{number}")
    first = log.entries(limit=2)
    second = log.entries(limit=2, below=first[-1].number)
    assert [entry.target for entry in (*first, *second)] == [
        "curation/4",
        "curation/3",
        "curation/2",
        "curation/1",
    ]


def test_changes_are_listed_of_one_person_or_one_thing(log: AuditLog) -> None:
    for actor, target in [("kim", "a"), ("lee", "a"), ("kim", "b")]:
        log.record(actor, "x", target)
    assert [entry.target for entry in log.entries(actor="kim")] == ["b", "a"]
    assert [entry.actor for entry in log.entries(target="a")] == ["lee", "kim"]


def test_a_change_that_is_not_made_is_not_recorded(engine: Engine, log: AuditLog) -> None:
    with pytest.raises(ZeroDivisionError), writing(engine) as connection:
        record(connection, at=NOON, actor="kim", action="a", target="b")
        raise ZeroDivisionError
    assert log.entries() == []


def test_a_name_that_is_too_long_is_cut(log: AuditLog) -> None:
    log.record("k" * 100, "a" * 100, "b")
    [entry] = log.entries()
    assert (entry.actor, entry.action) == ("k" * 64, "a" * 64)
