"""The services that learn translations of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.translations.store import TermStore
from app.features.translations.term_learner import TermLearner
from app.lazy import lazy
from app.services.feature_services import FeatureServices

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def learned_terms(services: Services) -> TermStore:
    """Return the learned translations."""
    return services.feature(TranslationServices).terms


def learn(services: Services, stop: Stop) -> None:
    """Learn again from all pages until ``stop`` returns True."""
    services.feature(TranslationServices).learner.run(stop)


class TranslationServices(FeatureServices):
    """Builds the store of translations and the learner that fills it."""

    @lazy
    def terms(self) -> TermStore:
        """The translations of words learned from pages in several languages."""
        return TermStore(self._services.engine)

    @lazy
    def learner(self) -> TermLearner:
        """Learns translations of words from pages in several languages."""
        indexing = self._services.indexing
        return TermLearner(index=lambda: indexing.index, store=self._services.store, table=self.terms)
