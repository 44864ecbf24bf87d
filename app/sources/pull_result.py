"""The result of a pull, and a limit shared by all kinds of pulls."""

from dataclasses import dataclass, field
from typing import Final

from app.errors import PageError
from ingest.types import PageRef

MAX_FAULTS_IN_A_ROW: Final = 5


@dataclass(slots=True, kw_only=True)
class PullResult:
    """The result of one pull.

    * ``listed``: number of pages in the source's listing, or of its documents
    * ``changed``, ``deleted``: pages that are due to be indexed
    * ``absent``: number of pages no longer listed, but not deleted yet
    * ``waiting``: pages that could not be fetched now, with the reason
    * ``failures``: pages that cannot be read as they are
    * ``left``: number of pages not tried because the pull was stopped
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
        """Describe the pages that are missing from the result, in one line; empty if there are none."""
        problems = [f"{len(self.waiting)} pages could not be fetched"] if self.waiting else []
        problems += [f"{len(self.failures)} pages cannot be read"] if self.failures else []
        problems += [f"{self.left} pages are left for the next pull"] if self.left else []
        return ", ".join(problems)
