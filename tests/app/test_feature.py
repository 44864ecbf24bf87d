"""What features name is there, and without any the services have nothing of them."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import pytest

from app.chat.energy import NO_ENERGY
from app.feature import Feature, Lane, Step, installed
from app.indexing.stopping import Stop, never
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page


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


@pytest.mark.parametrize("feature", installed(), ids=lambda feature: feature.package.rpartition(".")[2])
def test_a_feature_that_reads_large_bodies_names_their_paths_to_the_server(feature: Feature) -> None:
    """The server drops what is larger elsewhere, which no test of the application alone can tell."""
    folder = Path(str(import_module(feature.package).__file__)).parent
    is_large = any("max_content_length" in path.read_text("utf-8") for path in folder.rglob("*.py"))
    assert bool(feature.large_bodies) == is_large


def test_without_features_nothing_adds_to_chunks_translates_words_or_measures_energy(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, embedder="hashing", preset="contextual")
    with Services(settings, features=()) as services:
        assert services.indexing.enrichers == ()
        assert "contexts" not in services.indexing.build_recipe
        assert services.terms.translations(["otterfurt"], "de") == {}
        assert services.chat.energy is NO_ENERGY
        assert services.background.features.all() == []
        services.store.release("worker")


HERE: Final = __name__
STOPS: list[bool] = []


def always(_services: Services) -> bool:
    return True


def note(_services: Services, stop: Stop) -> bool:
    STOPS.append(stop())
    return False


def broken(_services: Services) -> bool:
    raise RuntimeError("it broke")


def step(name: str, lane: Lane = "models", is_due: str = f"{HERE}:always") -> Step:
    return Step(name, lane, run=f"{HERE}:note", is_due=is_due)


def with_steps(tmp_path: Path, *steps: Step, **more: Any) -> Services:
    feature = Feature(package=HERE, steps=steps, **more)
    return Services(load_settings(data=new_data(tmp_path), embedder="hashing"), features=(feature,))


def test_an_idle_step_waits_while_a_page_is_due_and_others_do_not(tmp_path: Path) -> None:
    STOPS.clear()
    with with_steps(tmp_path, step("idle", "idle"), step("asks")) as services:
        services.store.accept([Save(page=raw_page("pool", {"content": "Open at nine."}))])
        services.background.features.run_lane("idle", never)
        assert STOPS == []
        services.background.features.run_lane("models", never)
        services.indexing.indexer.sync_pages()
        services.background.features.run_lane("idle", never)
        assert STOPS == [False, False]


def test_a_step_that_breaks_is_kept_as_a_fault_and_stops_no_other(tmp_path: Path) -> None:
    STOPS.clear()
    with with_steps(tmp_path, step("breaks", is_due=f"{HERE}:broken"), step("works")) as services:
        services.background.features.run_lane("models", never)
        assert STOPS == [False]
        [line] = [check for check in checks(services) if check.name == "background"]
        assert "it broke" in line.detail


def test_a_check_that_breaks_or_is_not_there_is_a_line_of_its_own(tmp_path: Path) -> None:
    targets = {"first": f"{HERE}:broken", "second": "nowhere.at_all:check"}
    with with_steps(tmp_path, checks=targets) as services:
        lines = {check.name: check for check in checks(services)}
        assert "it broke" in lines["first"].detail
        assert "nowhere" in lines["second"].detail
        assert "page store" in lines


def test_of_several_features_the_first_that_has_something_is_used(tmp_path: Path) -> None:
    first = Feature(package=HERE, energy=f"{HERE}:nothing")
    second = Feature(package=HERE, energy=f"{HERE}:always")
    with Services(load_settings(data=tmp_path), features=(first, second)) as services:
        found: object = services.chat.energy
        assert found is True


def nothing(_services: Services) -> None:
    """Knows nothing."""
