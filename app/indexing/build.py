"""A generation being filled: what was written to it so far, and what came of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.indexing.generations import BuildLease
from app.pages.types import Failed, Indexed, Outcome, StoredVersion
from app.search.types import Generation, Remove
from ingest.types import PageRef

Progress = Callable[[int, int, int], None]
"""Called with the pages written, how many there are to write, and the windows embedded so far."""


def silent(_written: int, _total: int, _windows: int) -> None:
    """No progress is shown."""


@dataclass(slots=True, kw_only=True)
class GenerationBuild:
    """A generation being filled. ``outcomes`` of the versions tried, whose ``sequences`` these are.
    ``switching``: its promotion was asked for, so that it may be live, whatever the answer was."""

    generation: Generation
    lease: BuildLease
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    sequences: dict[PageRef, int] = field(default_factory=dict)
    outcomes: dict[PageRef, Outcome] = field(default_factory=dict)
    written: int = 0
    windows: int = 0
    take_over: bool = False
    switching: bool = False
    renumbered: bool = False

    def settle(self, version: StoredVersion | Remove, outcome: Outcome) -> None:
        """Note what came of a version."""
        self.sequences[version.ref] = version.sequence
        self.outcomes[version.ref] = outcome

    def indexed(self) -> dict[PageRef, int]:
        """Which versions the generation has got."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Indexed)}

    def failed(self) -> dict[PageRef, int]:
        """Which versions were tried in vain."""
        return {ref: self.sequences[ref] for ref, out in self.outcomes.items() if isinstance(out, Failed)}
