"""A build of a generation: the versions tried so far, and their outcomes."""

import time
from dataclasses import dataclass, field

from app.indexing.generations import BuildLease
from app.indexing.progress import ProgressCounter
from app.pages.types import Failed, Indexed, Outcome, StoredVersion
from app.search.types import Generation, Remove
from ingest.types import PageRef


@dataclass(slots=True, kw_only=True)
class GenerationBuild:
    """A generation that is brought up to date.

    * ``sequences``, ``outcomes``: the versions that were tried, and their outcomes
    * ``promotion_requested``: the generation may be live, whatever the index answered
    * ``take_over``: it may replace one that belongs to another page store, or has pages that this one does
      not know; ``may_be_empty``: even if no page is left
    * ``renumbered``: the page store's sequences were raised because writes were rejected
    """

    generation: Generation
    lease: BuildLease
    progress: ProgressCounter = field(default_factory=ProgressCounter)
    started: float = field(default_factory=time.monotonic)
    sequences: dict[PageRef, int] = field(default_factory=dict)
    outcomes: dict[PageRef, Outcome] = field(default_factory=dict)
    take_over: bool = False
    may_be_empty: bool = False
    promotion_requested: bool = False
    renumbered: bool = False

    def settle(self, version: StoredVersion | Remove, outcome: Outcome) -> None:
        """Record the outcome of a version."""
        self.sequences[version.ref] = version.sequence
        self.outcomes[version.ref] = outcome

    def indexed(self) -> dict[PageRef, int]:
        """Return the versions that were indexed: page -> sequence."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Indexed)}

    def failed(self) -> dict[PageRef, int]:
        """Return the versions that failed: page -> sequence."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Failed)}
