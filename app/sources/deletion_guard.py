"""The limit on deleting missing pages without a person's confirmation."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from ingest.types import PageRef

MAX_SHARE: Final = 0.2
FEW: Final = 5
"""Fewer pages than this may be deleted whatever their share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionGuard:
    """Refuses to delete too many pages at once. ``command``: the command to run again with a flag that
    confirms deletions; ``confirmed``: True if that was done. ``takes_over``: True if, after a halted pull, a
    person decided that the source's present state is right."""

    command: str
    confirmed: bool = False
    takes_over: bool = False

    @property
    def least_absences(self) -> int:
        """Number of consecutive complete listings that must lack a page before it is deleted."""
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
        """Return document -> reason for documents with too many ``known`` pages that were not ``sent``
        again."""
        again = set(sent)
        refusals = {
            document: self.refusal(
                sum(ref not in again for ref in refs), len(refs), of=f"document {document!r}"
            )
            for document, refs in known.items()
        }
        return {document: why for document, why in refusals.items() if why}
