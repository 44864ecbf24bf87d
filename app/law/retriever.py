"""How a retriever is put together."""

from collections.abc import Callable

from app.law.catalogue import Catalogue
from app.law.scope import Law
from app.pages.acts import ActPages
from app.pages.store import PageStore
from app.presets import Preset
from app.search.index import SearchIndex
from app.search.retriever import Retriever
from app.search.types import Generation
from ingest.protocols import Embedder


def make_retriever(
    *,
    index: SearchIndex,
    store: PageStore,
    embedder_of: Callable[[Generation], Embedder],
    preset: Preset,
) -> Retriever:
    """From questions to the pages of ``store`` that ``index`` holds."""
    return Retriever(
        index=index,
        visibility=store,
        embedder_of=embedder_of,
        preset=preset,
        scope_of=Law(Catalogue(ActPages(store.engine))).scope,
        owner=store.id,
    )
