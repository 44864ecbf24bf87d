"""The limit of how many missing pages may be deleted without a person's confirmation."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from ingest.types import PageRef

MAX_SHARE: Final = 0.2
FEW: Final = 5
"""Fewer than these may be deleted whatever their share is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionGuard:
    """Refuses to delete too many pages at once. ``command``: what a person runs again with a flag to confirm
    it; ``confirmed``: they did. ``takes_over``: a person said of a pull that was halted that what the source
    has now is right."""

    command: str
    confirmed: bool = False
    takes_over: bool = False

    @property
    def least_absences(self) -> int:
        """How many complete listings in a row lack a page that is deleted."""
        return 1 if self.takes_over else 2

    def refusal(self, gone: int, known: int, *, of: str) -> str:
        """Return why ``gone`` of the ``known`` pages may not be deleted; empty if they may."""
        if self.confirmed or self.takes_over or gone < FEW or gone <= MAX_SHARE * known:
            return ""
        return (
            f"{gone:,} of {known:,} pages of {of} are missing: nothing was deleted. If they are to go, run "
            f"`{self.command} --confirm-deletions`"
        )

    def refused_documents(
        self, known: Mapping[str, Collection[PageRef]], sent: Collection[PageRef]
    ) -> dict[str, str]:
        """Return document -> reason for those of whose ``known`` pages too many are not ``sent`` again."""
        again = set(sent)
        refusals = {
            document: self.refusal(
                sum(ref not in again for ref in refs), len(refs), of=f"document {document!r}"
            )
            for document, refs in known.items()
        }
        return {document: why for document, why in refusals.items() if why}
