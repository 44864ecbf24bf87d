"""An installation with two websites, a language model on a script, and an administrator."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings, load_settings
from tests.app.site import PAGES, raw_page
from tests.attacks.sites import SITES, TOKEN
from tests.fakes.llm import FakeLlm


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of an installation that has indexed ``PAGES`` as source ``town``."""
    data: Path = tmp_path_factory.mktemp("attacked")
    settings = load_settings(
        data=data,
        embedder="hashing",
        host="0.0.0.0",
        port=0,
        admin_token=TOKEN,
        sites=SITES,
        log_level="warning",
    )
    with Services(settings) as services:
        services.store.accept([raw_page(*page) for page in PAGES])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
    return settings


@pytest.fixture(scope="session")
def services(installed: Settings) -> Iterator[Services]:
    """The services of that installation, without a model."""
    with Services(installed) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    """A client of the application over that installation; nobody has asked anything yet."""
    return create_app(services=services).test_client()


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A scripted language model."""
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def hasty(installed: Settings, llm: FakeLlm) -> Iterator[Services]:
    """The services of the installation with the scripted model, for which they do not wait long."""
    chat = ChatSettings(
        base_url=llm.base_url,
        model="fake",
        rephrase_seconds=1.5,
        first_token_seconds=1.5,
        idle_seconds=1.0,
        answer_seconds=2.5,
    )
    with Services(installed.model_copy(update={"chat": chat, "concurrent_answers": 3})) as services:
        yield services


@pytest.fixture
def rephrasing(hasty: Services) -> Iterator[Services]:
    """As ``hasty``, with a preset that has a first question rephrased."""
    with Services(hasty.settings.model_copy(update={"preset": "egocms"})) as services:
        yield services
