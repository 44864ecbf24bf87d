"""What features name is there, and without any the services have nothing of them."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from app.chat.energy import NO_ENERGY
from app.feature import Feature, installed
from app.search.translations import NO_TERMS
from app.services import Services
from app.settings.settings import load_settings


def texts(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize("feature", installed(), ids=lambda feature: feature.package.rpartition(".")[2])
def test_what_a_feature_names_is_there(feature: Feature) -> None:
    for name in texts(astuple(feature)):
        if name.startswith(f"{feature.package}.") and ":" in name:
            resolve_name(name)
        elif name.startswith(f"{feature.package}."):
            import_module(name)


def test_without_features_nothing_adds_to_chunks_translates_words_or_measures_energy(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, embedder="hashing", preset="contextual")
    with Services(settings, features=()) as services:
        assert services.indexing.enrichers == ()
        assert "contexts" not in services.indexing.build_recipe
        assert services.terms is NO_TERMS
        assert services.chat.energy is NO_ENERGY
        assert services.background.due_steps() == []
        services.store.release("worker")
