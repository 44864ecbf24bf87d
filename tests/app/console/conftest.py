"""An installation whose console people use; the users are made anew for each test."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.accounts.types import User
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.converters.process import ConverterProcess

OURS = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "vier grosse otter baden"
TOKEN = "an-administrator-token-of-tests"
SITES = [
    SiteSettings(key="town", name="Town", sources=["town"], origins=["https://town.example"]),
    SiteSettings(key="law", name="Law", sources=["law"], subject="The AI Act"),
]


@dataclass
class Console:
    """A browser at the console. ``services``: of the installation that it talks to."""

    services: Services

    def __post_init__(self) -> None:
        self.client: FlaskClient = create_app(services=self.services).test_client()

    def log_in(self, name: str = "ada", *sources: str) -> "Console":
        """Add a user, an editor if sources are given, and log them in."""
        user = User(name=name, role="editor" if sources else "admin", sources=frozenset(sources) or None)
        key = self.services.users.add(user)
        answer = self.post("/welcome", key=key, password=PASSWORD, again=PASSWORD)
        assert (answer.status_code, answer.location) == (303, "/admin/")
        return self

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(f"/admin{path}", **options)

    def post(self, path: str, **fields: Any) -> TestResponse:
        return self.client.post(f"/admin{path}", data=fields, headers=OURS)


@pytest.fixture
def services(
    indexed_site: Path, site_settings: Settings, tmp_path: Path, converter: ConverterProcess
) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    changes = {"data": data, "sites": SITES, "admin_token": TOKEN}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        services.indexing.converter = services.indexing.draft_converter = converter
        yield services


@pytest.fixture
def console(services: Services) -> Console:
    """Nobody is logged in."""
    return Console(services)


@pytest.fixture
def admin(services: Services) -> Console:
    return Console(services).log_in("ada")


@pytest.fixture
def editor(services: Services) -> Console:
    """An editor of the source ``town``."""
    return Console(services).log_in("ed", "town")


@pytest.fixture
def german(admin: Console) -> Console:
    """An admin who chose German."""
    admin.get("/?lang=de")
    return admin
