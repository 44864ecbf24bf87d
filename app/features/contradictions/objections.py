"""Pages that a draft would contradict."""

from collections.abc import Collection
from typing import Final

import structlog

from app.errors import AuskunftError
from app.features.contradictions.services import ContradictionServices
from app.search.drafts import Objection
from app.search.types import IndexedPage
from app.services import Services
from ingest.types import PageRef

LISTED: Final = 25

log = structlog.get_logger(__name__)


def objections(services: Services, draft: IndexedPage, sources: Collection[str] | None) -> list[Objection]:
    """Return the result of :func:`contradicted`; empty if the index or the embedder is unavailable."""
    try:
        return contradicted(services, draft, sources)
    except AuskunftError as error:  # because the draft's answers are shown anyway
        log.warning("draft_not_compared", message=str(error))
        return []


def contradicted(services: Services, draft: IndexedPage, sources: Collection[str] | None) -> list[Objection]:
    """Return the pages in these sources (``None`` for all) that a draft would contradict.

    For each page and each statement of the draft, only the opposing statement with the most shared words is
    returned. Raises ``IndexUnavailableError``, ``PageStoreUnavailableError`` and
    ``EmbedderUnavailableError``.
    """
    found = list(services.feature(ContradictionServices).scanner.against(draft))
    nearest: dict[tuple[PageRef, str], Objection] = {}
    for page, each in sorted(found, key=lambda pair: len(pair[1].one.words & pair[1].other.words)):
        if sources is None or page.ref.source in sources:
            nearest[page.ref, each.one.text] = Objection(
                page=page, own=each.one.text, other=each.other.text, kind=each.kind
            )
    return list(nearest.values())[:LISTED]
