"""The services for annotating pages and units of law."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.features.annotations.desk import AnnotationDesk
from app.features.annotations.store import AnnotationStore
from app.features.annotations.unit_search import UnitSearch
from app.law.annotations import UnitAnnotations
from app.law.catalogue import Catalogue
from app.law.scope import LawScopes
from app.lazy import lazy
from app.pages.acts import ActPages
from app.services.feature_services import FeatureServices

if TYPE_CHECKING:
    from app.services import Services


def current(services: Services) -> Callable[[], UnitAnnotations]:
    """Return the function that returns all current annotations."""
    return services.feature(AnnotationServices).store.current


def has_any(services: Services) -> bool:
    """Return True if there are acts of law or annotations."""
    store = services.feature(AnnotationServices).store
    return ActPages(services.engine).were_any() or bool(store.entries(limit=1))


class AnnotationServices(FeatureServices):
    """Builds the store of annotations, and the desk and search for people who make them."""

    @lazy
    def store(self) -> AnnotationStore:
        """The annotations of pages and units of law."""
        return AnnotationStore(self._services.engine)

    @lazy
    def desk(self) -> AnnotationDesk:
        """The desk that people annotate pages and units of law with."""
        return AnnotationDesk(store=self.store, index=lambda: self._services.indexing.index)

    @lazy
    def unit_search(self) -> UnitSearch:
        """The search for pages and units to annotate."""
        return UnitSearch(
            scopes=LawScopes(Catalogue(ActPages(self._services.engine)).versions),
            pages=self._services.page_list,
            known=self._services.store.sources,
            index=lambda: self._services.indexing.index,
        )
