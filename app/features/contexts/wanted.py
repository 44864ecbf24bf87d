"""Says whose pages get contexts: those of sources whose preset wants them."""

from collections.abc import Callable, Mapping

from app.indexing.chunkers import index_presets
from app.presets import IndexPreset
from app.services.core import CoreServices


def wants_contexts(common: IndexPreset, by_source: Mapping[str, IndexPreset]) -> Callable[[str], bool]:
    """A function that says whether a source's chunks get contexts: by its own preset, else the common one."""
    return lambda source: by_source.get(source, common).contexts


def wanted_by(core: CoreServices) -> dict[str, bool]:
    """Whose pages get contexts: all sources under ``*``, and those that differ; empty if none do."""
    common = core.preset.index.contexts
    presets = index_presets(core.settings, core.presets).items()
    own = {name: preset.contexts for name, preset in presets if preset.contexts != common}
    return {"*": common} | own if common or own else {}
