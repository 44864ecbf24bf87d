"""A rebuild that would lose many pages does not go live: a person decides what is wrong."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from app.errors import NeedsAttentionError
from app.pages.types import Failed
from ingest.types import PageRef

SHOWN: Final = 3
UNKNOWN: Final = Failed(reason="unknown", message="the page store has no such page")

REPAIR: Final = (
    "repair these pages or the settings, or take pages out with `auskunft remove`, "
    "then run `auskunft reindex` again"
)
GIVE_UP: Final = (
    "check that this is the right page store (AUSKUNFT_DATA); index the pages again, or give them up by "
    "`auskunft reindex --take-over`"
)

LOST_SHARE: Final = 0.05
"""Of the pages that the live generation serves: if more would be lost, the new one does not go live."""


def check_losses(lost: Mapping[PageRef, Failed], served: int) -> None:
    """Look at what would be ``lost`` of so many pages that are ``served``. Raises ``NeedsAttentionError``."""
    if len(lost) <= LOST_SHARE * served:
        return
    reasons = Counter(failure.reason for failure in lost.values()).most_common(SHOWN)
    counted = ", ".join(f"{count} {reason}" for reason, count in reasons)
    ref, failure = next(iter(lost.items()))
    remedy = GIVE_UP if failure == UNKNOWN else REPAIR
    raise NeedsAttentionError(
        f"needs attention: {len(lost)} of the {served} pages that are served would be lost ({counted}; "
        f"{ref.id}: {failure.message}), so the index stays as it is: {remedy}"
    )
