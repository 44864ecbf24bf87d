"""What every database promises of the texts of sites that admins change."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from app.errors import ConflictError
from app.pages.database import open_engine
from app.pages.site_texts import SiteTextStore
from tests.contracts.conftest import NewDatabase


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


def save(store: SiteTextStore, name: str, version: int) -> None:
    store.save("town", {"name": name}, "ada", version=version, before={}, after={"name": name})


def test_whoever_read_the_last_version_changes_it_and_others_are_told(engine: Engine) -> None:
    store = SiteTextStore(engine)
    save(store, "Otterfurt", 0)
    with pytest.raises(ConflictError, match="ada has changed"):
        save(store, "Dachsfurt", 0)
    save(store, "Otterfurt am Bach", 1)
    with pytest.raises(ConflictError, match="ada has changed"):
        save(store, "Dachsfurt", 1)
    assert store.all()["town"].texts == {"name": "Otterfurt am Bach"}
