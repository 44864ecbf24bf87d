"""Builds the retrieval of presets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.law.catalogue import Catalogue
from app.law.field import LawField
from app.law.scope import LawScopes
from app.pages.acts import ActPages
from app.presets import Preset
from app.search.facets import Facets
from app.search.index import SearchIndex
from app.search.intents import IntentFinder
from app.search.near_pages import NearPages
from app.search.retriever import Retriever
from app.search.site_retriever import SiteRetriever
from app.search.types import Generation
from app.search.word_search import WordSearch
from ingest.protocols import Embedder

if TYPE_CHECKING:
    from app.services import Services


def make_retriever(
    services: Services, index: SearchIndex, preset: Preset, embedder_of: Callable[[Generation], Embedder]
) -> SiteRetriever:
    """Make the retriever of a preset for the installation's pages in ``index``."""
    indexing, store, acts = services.indexing, services.store, ActPages(services.engine)
    retriever = Retriever(
        index=index,
        visibility=store,
        embedder_of=embedder_of,
        preset=preset,
        off_topic=indexing.off_topic,
        reranker=services.reranker,
        blocks=indexing.block_comparison,
        terms=services.terms,
        owner=store.id,
    )
    wishes = IntentFinder(
        intents=indexing.intents,
        index=index,
        hidden=store.hidden,
        embedder_of=embedder_of,
        preset=preset,
        owner=store.id,
    )
    near = NearPages(index=index, hidden=store.hidden, embedder_of=embedder_of, preset=preset, owner=store.id)
    scopes = LawScopes(Catalogue(acts).versions, annotations=indexing.annotations)
    law = LawField(scopes, preset.question.links, retriever.pages)
    return SiteRetriever(
        retriever,
        field=law,
        has_pages=acts.were_any,
        words=WordSearch(index, store.hidden),
        wishes=wishes,
        facets=Facets(index, services.fields, owner=store.id),
        near=near,
    )
