"""The result of a pull, and the limits that both kinds of pull share."""

from dataclasses import dataclass, field
from typing import Final

from app.errors import PageError
from ingest.types import PageRef

MAX_FAULTS_IN_A_ROW: Final = 5


@dataclass(slots=True, kw_only=True)
class PullResult:
    """What one pull did.

    ``listed``: pages in the source's listing, or documents that it fetches. ``changed`` and ``deleted`` are
    due to be indexed. ``absent``: not listed any more, but not deleted yet. ``waiting``: could not be fetched
    now, with the reason; ``failures``: cannot be read as they are. ``left``: how many were not tried because
    the pull was stopped. ``seconds``: how long it took.
    """

    listed: int = 0
    changed: list[PageRef] = field(default_factory=list)
    unchanged: int = 0
    deleted: list[PageRef] = field(default_factory=list)
    absent: int = 0
    waiting: dict[PageRef, str] = field(default_factory=dict)
    failures: dict[PageRef, PageError] = field(default_factory=dict)
    left: int = 0
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def problem(self) -> str:
        """Return what was not done, in one line; empty if nothing is missing."""
        problems = [f"{len(self.waiting)} pages could not be fetched"] if self.waiting else []
        problems += [f"{len(self.failures)} pages cannot be read"] if self.failures else []
        problems += [f"{self.left} pages are left for the next pull"] if self.left else []
        return ", ".join(problems)
