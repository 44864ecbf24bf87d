"""Chooses the chunker of a page: by its source's preset, otherwise by the installation's."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.errors import UnknownPresetError
from app.presets import IndexPreset
from app.presets.collection import Presets
from app.settings.settings import Settings
from ingest import registry
from ingest.fingerprints import recipe_hash
from ingest.protocols import Chunker, Recipe
from ingest.types import Chunk, Page


class SourceChunker:
    """Cuts pages by the chunker of their source, otherwise by the ``common`` one.

    Its recipe includes those of chunkers that differ; if none does, it equals the common chunker's.
    """

    def __init__(self, common: Chunker, by_source: Mapping[str, Chunker]) -> None:
        self._common = common
        self._by_source = by_source
        own = {name: each for name, each in by_source.items() if each.recipe != common.recipe}
        self.recipe: Recipe = {
            **common.recipe,
            **{f"source {name}": recipe_hash(each.recipe) for name, each in own.items()},
        }

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Return the page's chunks, made by its source's chunker."""
        return self._by_source.get(page.ref.source, self._common).chunk(page)


class RankedChunks:
    """Wraps a chunker, marking chunks of the content to be ranked by their words too."""

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker
        self.recipe: Recipe = {**chunker.recipe, "chunk_words": True}

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """Cut a page as described in :class:`ingest.protocols.Chunker`."""
        return [replace(chunk, ranked=chunk.field == "content") for chunk in self._chunker.chunk(page)]


def make_chunker(settings: Settings, presets: Presets) -> SourceChunker:
    """Make the chunker of all pages. Raises ``UnknownPresetError``, ``UnknownPluginError`` and
    ``PluginError``."""
    by_source = {
        name: make_index_chunker(preset) for name, preset in index_presets(settings, presets).items()
    }
    return SourceChunker(make_index_chunker(presets.load(settings.preset).index), by_source)


def index_presets(settings: Settings, presets: Presets) -> dict[str, IndexPreset]:
    """Return the presets of sources that name their own, by source. Raises ``UnknownPresetError``."""
    return {
        name: _preset_of(name, presets, table.preset)
        for name, table in settings.sources.items()
        if table.preset
    }


def _preset_of(source: str, presets: Presets, preset: str) -> IndexPreset:
    try:
        return presets.load(preset).index
    except UnknownPresetError as error:
        raise UnknownPresetError(f"source {source!r}: {error}") from error


def make_index_chunker(preset: IndexPreset) -> Chunker:
    """Make the chunker of a preset. Raises ``UnknownPluginError`` and ``PluginError``."""
    chunker: Chunker = registry.create(
        "chunkers", preset.chunker, context_line=preset.context_line, **preset.options
    )
    return RankedChunks(chunker) if preset.chunk_words else chunker
