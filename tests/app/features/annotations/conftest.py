"""An installation whose law people annotate."""

from pathlib import Path

import pytest

from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from tests.app.features.annotations.law import import_law
from tests.app.law.ferries import library
from tests.fakes.databases import new_data


@pytest.fixture(scope="session")
def indexed_law(tmp_path_factory: pytest.TempPathFactory, converter: ConverterProcess) -> Path:
    """The data of an installation that has indexed the law: to copy, never to open."""
    data = new_data(tmp_path_factory.mktemp("law"))
    with Services(load_settings(data=data, embedder="hashing")) as services:
        services.indexing.converter = converter
        import_law(services, library())
    return data
