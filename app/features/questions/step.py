"""Groups visitors' questions, and compares answers after pages were saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.questions.services import QuestionServices

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def must_group(services: Services) -> bool:
    """True if somebody requested it."""
    return services.feature(QuestionServices).groups.is_requested()


def group(services: Services, stop: Stop) -> bool:
    """Group the questions. There is never more to do at once."""
    return services.feature(QuestionServices).grouping(stop)


def must_compare(services: Services) -> bool:
    """True if pages were saved, or answers may have changed."""
    return services.feature(QuestionServices).answer_changes.is_due()


def compare(services: Services, stop: Stop) -> bool:
    """Answer some questions anew. True if there is more to do at once."""
    return services.feature(QuestionServices).comparison(stop)


def request_groups(services: Services) -> None:
    """Have what is left of the questions grouped."""
    services.feature(QuestionServices).groups.request()
