"""How pages are cut: by their source's preset, which the index remembers."""

from pathlib import Path

import pytest

from app.errors import UnknownPresetError
from app.indexing.chunkers import make_chunker
from app.monitoring.readiness import OTHER_SETTINGS, checks
from app.presets.collection import Presets
from app.services import Services
from app.settings.settings import Settings
from ingest.chunkers.sections import SectionsChunker
from ingest.chunkers.windows import WindowsChunker
from ingest.types import PageRef, Save
from tests.fakes.world import raw_page

TEXT = "Every operator keeps the records of each system for ten years. " * 30


def services(folder: Path, **presets: str) -> Services:
    """An installation whose sources have these presets."""
    sources = {name: {"preset": preset} for name, preset in presets.items()}
    return Services(Settings.model_validate({"data": folder, "embedder": "hashing", "sources": sources}))


def spans(installation: Services, source: str) -> int:
    """How many chunks the source's page has in the index."""
    [page] = installation.indexing.index.pages([PageRef(source=source, id="a", language="en")])
    return len(page.content_spans)


def advised(installation: Services) -> bool:
    """Whether a rebuild is advised."""
    [detail] = [part.detail for part in checks(installation) if part.name == "index"]
    return OTHER_SETTINGS in detail


def test_each_sources_pages_are_cut_by_its_preset_and_all_others_by_the_installations(tmp_path: Path) -> None:
    with services(tmp_path, law="eurlex", acts="rtr") as installation:
        pages = [raw_page("a", {"content": TEXT}, source=source) for source in ("law", "acts", "town")]
        installation.store.accept([Save(page=page) for page in pages])
        installation.indexing.indexer.sync_pages()
        assert spans(installation, "town") == -(-len(TEXT) // 512)
        assert spans(installation, "acts") == 2
        assert spans(installation, "law") > len(TEXT) / 120


def test_a_chunker_has_the_options_of_its_preset() -> None:
    expected = SectionsChunker(context_line=True, characters=200, overlap=80).recipe
    assert make_chunker(Settings(preset="eurlex"), Presets()).recipe == expected


def test_a_source_with_another_preset_calls_for_a_rebuild_and_an_equal_one_does_not(tmp_path: Path) -> None:
    with services(tmp_path) as installation:
        assert not advised(installation)
    with services(tmp_path, law="default") as equal:
        assert not advised(equal)
    with services(tmp_path, law="eurlex") as changed:
        assert advised(changed)
        changed.indexing.rebuilder.build()
        assert not advised(changed)
    with services(tmp_path, law="rtr") as again:
        assert advised(again)


def test_without_presets_of_sources_the_recipe_is_the_common_chunkers() -> None:
    assert make_chunker(Settings(), Presets()).recipe == WindowsChunker().recipe


def test_an_unknown_preset_is_told_with_its_source(tmp_path: Path) -> None:
    with (
        services(tmp_path, law="nope") as installation,
        pytest.raises(UnknownPresetError, match="source 'law': unknown preset 'nope'; known: contextual"),
    ):
        _ = installation.indexing.chunker
