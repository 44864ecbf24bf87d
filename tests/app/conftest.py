"""A small installation on the real parts, with the fast embedder; shared by the tests above one part."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings, load_settings
from tests.app.field_site import FIELDS, index_field_pages
from tests.app.site import PAGES, raw_page
from tests.fakes.llm import FakeLlm


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> Iterator[None]:
    """Passwords are hashed in a millisecond, not in the hundred that make guessing slow."""
    with pytest.MonkeyPatch.context() as patch:
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr("app.accounts.secrets._hasher", quick)
        yield


@pytest.fixture(scope="session")
def indexed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of an installation that has indexed ``PAGES`` as source ``town``: to copy, never to open.

    Whoever copies a SQLite file that is open in the same process drops the process's locks on it (POSIX), and
    the next two writers damage the database.
    """
    data: Path = tmp_path_factory.mktemp("indexed")
    with Services(load_settings(data=data, embedder="hashing", host="127.0.0.1", port=0)) as services:
        services.store.accept([raw_page(*page) for page in PAGES])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
    return data


@pytest.fixture(scope="session")
def site_settings(indexed_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of that installation, as a copy that the tests share."""
    data = shutil.copytree(indexed_site, tmp_path_factory.mktemp("installation") / "data")
    return load_settings(data=data, embedder="hashing", host="127.0.0.1", port=0)


@pytest.fixture(scope="session")
def site_services(site_settings: Settings) -> Iterator[Services]:
    """The services of that installation; tests only read."""
    with Services(site_settings) as services:
        yield services


@pytest.fixture(scope="session")
def field_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The services of an installation with declared fields; tests only read, but for conversations."""
    data = tmp_path_factory.mktemp("fields") / "data"
    with Services(load_settings(data=data, embedder="hashing", fields=FIELDS)) as services:
        index_field_pages(services)
        yield services


@pytest.fixture
def field_client(field_services: Services) -> FlaskClient:
    """A client of the application over that installation."""
    return create_app(services=field_services).test_client()


@pytest.fixture
def client(site_services: Services) -> FlaskClient:
    """A client of the application over that installation."""
    return create_app(services=site_services).test_client()


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A scripted language model."""
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def model_client(site_settings: Settings, llm: FakeLlm) -> Iterator[FlaskClient]:
    """A client of the application over the installation with the scripted model."""
    chat = ChatSettings(base_url=llm.base_url, model="fake", first_token_seconds=2, idle_seconds=1)
    with Services(site_settings.model_copy(update={"chat": chat})) as services:
        yield create_app(services=services).test_client()
