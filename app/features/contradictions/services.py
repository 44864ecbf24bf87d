"""The services that find pages that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.contradictions.scanner import ContradictionScanner
from app.features.contradictions.store import ContradictionStore
from app.lazy import lazy
from app.services.feature_services import FeatureServices

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def compare_changed_pages(services: Services, stop: Stop) -> None:
    """Compare pages that changed with those similar in meaning, until ``stop`` returns True."""
    services.feature(ContradictionServices).scanner.run(stop)


class ContradictionServices(FeatureServices):
    """Builds the list of contradictions, and the scanner that fills it."""

    @lazy
    def store(self) -> ContradictionStore:
        """The contradictions found."""
        return ContradictionStore(self._services.engine)

    @lazy
    def scanner(self) -> ContradictionScanner:
        """Compares pages that changed."""
        indexing = self._services.indexing
        return ContradictionScanner(
            store=self.store,
            pages=self._services.store,
            index=lambda: indexing.index,
            embedder_of=indexing.embedders.of,
            together=self._together,
        )

    def _together(self, source: str) -> frozenset[str]:
        """Return the sources that some site searches together with this one."""
        variants = [variant for site in self._services.chat.sites.all() for variant in site.variants()]
        if any(not variant.sources for variant in variants):
            return frozenset(self._services.store.sources())
        return frozenset({source}).union(*(each.sources for each in variants if source in each.sources))
