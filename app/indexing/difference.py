"""Plans the writes and removals by which a generation comes to match the page store.

A generation being built gets each page's newest accepted version, even if the queue has not written it to the
live one yet. The order of steps makes sure that no version is missed:

1. Make the generation the target of claims.
2. Read the *watermark*: the last sequence given.
3. Compare the generation's contents with the page store's versions, up to the watermark.

A version above the watermark was accepted after step 1, so it is claimed after step 1, and its claim writes
it to this generation too. A version up to the watermark is compared here, no matter who claimed it and when.
Sequences order the writes of both, so neither undoes the other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.pages.types import PageVersion
from app.search.types import Remove
from ingest.types import PageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference between a generation and the page store.

    * ``missing``: pages to write, with the sequence they should have
    * ``surplus``: pages to remove
    * ``early``: pages above the watermark of which the generation has no version. Their claims will write
      them, but until then a page that has just been edited could not be found at all, so they are written
      too. The difference is ``finished`` without them.
    * ``failed``: pages that cannot be indexed as they are
    """

    missing: dict[PageRef, int] = field(default_factory=dict)
    surplus: list[Remove] = field(default_factory=list)
    early: list[PageRef] = field(default_factory=list)
    failed: list[PageRef] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True if the generation matches the page store up to the watermark, except for failed pages."""
        return not self.missing and not self.surplus

    @property
    def sequences(self) -> dict[PageRef, int]:
        """The missing and surplus pages, with the sequences to write."""
        return self.missing | {removal.ref: removal.sequence for removal in self.surplus}


def difference(
    versions: Iterable[PageVersion],
    held: Mapping[PageRef, int],
    watermark: int,
    failed: Mapping[PageRef, int],
) -> Difference:
    """Compare the ``held`` sequences with the store's ``versions``, both read after ``watermark``.

    ``failed``: the sequences at which pages were tried and failed.
    """
    found = Difference()
    unknown = dict(held)
    for version in versions:
        _compare(found, version, unknown.pop(version.ref, None), watermark, failed.get(version.ref))
    found.surplus.extend(
        Remove(ref=ref, sequence=sequence) for ref, sequence in unknown.items() if sequence <= watermark
    )
    return found


def _compare(
    found: Difference, version: PageVersion, held: int | None, watermark: int, failed: int | None
) -> None:
    if version.sequence > watermark:
        if version.served and held is None:
            found.early.append(version.ref)
        return
    if held is not None and held > watermark:
        return  # saved and claimed since the version was read
    if not version.served:
        if held is not None:
            found.surplus.append(Remove(ref=version.ref, sequence=max(version.sequence, held)))
    elif held != version.sequence:
        if version.poison or failed == version.sequence:
            found.failed.append(version.ref)
        else:
            found.missing[version.ref] = version.sequence
