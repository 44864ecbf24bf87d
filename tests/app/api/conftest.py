"""An installation of its own for each test, with sources that a CMS feeds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from tests.app.api.cms import SECOND_SECRET, SECRET, Cms
from tests.fakes.databases import new_data


@pytest.fixture
def cms_services(tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    """``town`` takes events with either of two secrets, ``pulled`` takes none."""
    sources = {"town": {"secrets": [SECRET, SECOND_SECRET]}, "pulled": {"kind": "cms"}}
    settings = load_settings(
        data=new_data(tmp_path), embedder="hashing", sources=sources, max_event_bytes=100_000
    )
    with Services(settings) as services:
        services.indexing.converter = converter
        yield services


@pytest.fixture
def cms(cms_services: Services) -> Cms:
    """The CMS of ``town``."""
    return Cms(create_app(services=cms_services).test_client(), cms_services)
