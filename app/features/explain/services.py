"""The services that explain answers before and after they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.explain.drafts import DraftDesk
from app.features.questions.services import QuestionServices
from app.lazy import lazy

if TYPE_CHECKING:
    from app.services import Services


class ExplainServices:
    """Builds what asks drafts."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self._services = services

    @lazy
    def drafts(self) -> DraftDesk:
        """Asks drafts of pages visitors' questions."""
        services = self._services
        return DraftDesk(
            inspector=services.chat.inspector,
            pipelines=services.chat.pipelines,
            questions=services.feature(QuestionServices).questions,
            pages=services.page_list,
            index=lambda: services.indexing.index,
            pipeline=services.indexing.draft_pipeline,
            fetcher=lambda: services.sources.client,
        )
