"""A temporary index for the evaluation of a preset whose chunks differ from those of the live index.

Embeddings go through the embedding cache, so that a second evaluation costs little.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from app.indexing.enrichment import ChunkEnricher
from app.indexing.page_writer import BATCH_PAGES, PageWriter
from app.indexing.progress import ProgressCounter, Show
from app.indexing.stopping import WorkControl
from app.pages.store import PageStore
from app.search.embedded import EmbeddedIndex
from app.search.types import Generation, GenerationRecipe
from ingest.pipeline import Pipeline


@contextmanager
def scratch_index(
    folder: Path,
    *,
    store: PageStore,
    sources: Iterable[str],
    pipeline_of: Callable[[Generation], Pipeline],
    recipe: GenerationRecipe,
    show: Show,
    enrichers: Sequence[ChunkEnricher],
) -> Iterator[EmbeddedIndex]:
    """Build an embedded index of the pages of ``sources`` in ``folder``, which exists until the context ends.

    Pages that fail are left out. ``enrichers``: add to chunks what is already known about them. ``show`` is
    called with the progress. Raises ``EmbedderUnavailableError``, ``PluginError`` and
    ``PageStoreUnavailableError``.
    """
    with (
        TemporaryDirectory(prefix="evaluation-", dir=folder) as own,
        closing(EmbeddedIndex(Path(own))) as index,
    ):
        generation = index.create(recipe, store.id)
        writer = PageWriter(
            index=index, pipeline_of=pipeline_of, enrichers=[each.read_only() for each in enrichers]
        )
        refs = [ref for source in sorted(sources) for ref in store.refs(source)]
        progress = ProgressCounter(show)
        progress.expect(len(refs))
        for start in range(0, len(refs), BATCH_PAGES):
            pages = store.read(refs[start : start + BATCH_PAGES])
            writer.write(pages, [generation], WorkControl(progress=progress.show_batch))
            progress.settle(len(pages))
        index.promote(generation.number)
        yield index
