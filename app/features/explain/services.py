"""The services that explain answers before and after they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.explain.inspector import QuestionInspector
from app.lazy import lazy
from app.services.feature_services import FeatureServices

if TYPE_CHECKING:
    from app.features.explain.drafts import DraftDesk
    from app.features.explain.paragraph import ParagraphAuthor


class ExplainServices(FeatureServices):
    """Builds what traces questions and asks drafts."""

    @lazy
    def inspector(self) -> QuestionInspector:
        """Traces questions for people who look after the chat."""
        services = self._services
        return QuestionInspector(
            sites=services.chat.sites,
            pipelines=services.chat.pipelines,
            conversations=services.chat.conversations,
            store=services.store,
            pages=services.page_list,
            index=lambda: services.indexing.index,
        )

    @lazy
    def drafts(self) -> DraftDesk:
        """Asks drafts of pages the questions of visitors."""
        from app.features.explain.drafts import DraftDesk  # noqa: PLC0415 - `auskunft explain` needs neither
        from app.features.questions.services import QuestionServices  # noqa: PLC0415

        services = self._services
        return DraftDesk(
            inspector=self.inspector,
            pipelines=services.chat.pipelines,
            questions=services.feature(QuestionServices).questions,
            pages=services.page_list,
            index=lambda: services.indexing.index,
            pipeline=services.indexing.draft_pipeline,
            fetcher=lambda: services.sources.client,
            reader=lambda: services.indexing.block_comparison.reader,
            objections=services.objections,
        )

    @lazy
    def author(self) -> ParagraphAuthor | None:
        """Writes the first paragraph of a page; ``None`` without a language model."""
        from app.features.explain.paragraph import ParagraphAuthor  # noqa: PLC0415 - as above

        chat = self._services.chat
        return None if chat.model is None else ParagraphAuthor(chat.model, chat.prompts)
