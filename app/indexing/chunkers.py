"""Chooses the chunker of a page: by its source's preset, else by the installation's."""

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
    """Cuts the pages of some sources by chunkers of their own.

    Its recipe contains those that differ; where none does, it is the common chunker's.
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
        """The page's chunks, by its source's chunker."""
        return self._by_source.get(page.ref.source, self._common).chunk(page)


class RankedChunks:
    """The chunks of another chunker, those of the content to be ranked by their words too."""

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker
        self.recipe: Recipe = {**chunker.recipe, "chunk_words": True}

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """See :class:`ingest.protocols.Chunker`."""
        return [replace(chunk, ranked=chunk.field == "content") for chunk in self._chunker.chunk(page)]


def make_chunker(settings: Settings, presets: Presets) -> SourceChunker:
    """The chunker of all pages. Raises ``UnknownPresetError``, ``UnknownPluginError`` and ``PluginError``."""
    by_source = {
        name: make_index_chunker(preset) for name, preset in index_presets(settings, presets).items()
    }
    return SourceChunker(make_index_chunker(presets.load(settings.preset).index), by_source)


def index_presets(settings: Settings, presets: Presets) -> dict[str, IndexPreset]:
    """The presets of sources that have one of their own. Raises ``UnknownPresetError``."""
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
    """The chunker of a preset. Raises ``UnknownPluginError`` and ``PluginError``."""
    chunker: Chunker = registry.create(
        "chunkers", preset.chunker, context_line=preset.context_line, **preset.options
    )
    return RankedChunks(chunker) if preset.chunk_words else chunker
