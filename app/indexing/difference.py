"""Plans what to write to a generation and what to remove, so that it has what the page store says.

A generation that is built gets each page's newest accepted version, even if the queue has not brought it to
the live one yet. The order of steps leaves no hole:

1. the generation is made the target of claims;
2. the *watermark* is read: the last sequence given;
3. what the generation contains and the page store's versions are compared, up to the watermark.

A version above the watermark was accepted after 1, so it is claimed after 1, and its claim writes it to this
generation too. A version up to the watermark is compared here, whoever claimed it and when. Sequences order
the writes of both, so neither undoes the other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.pages.types import PageVersion
from app.search.types import Remove
from ingest.types import PageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``missing``: pages to write, with the sequence they should have. ``surplus``: pages to remove.

    ``early``: pages above the watermark of which the generation has no version. Their claims will write
    them, but until then a page that has just been edited would not be found at all, so they are better
    written too; the difference is ``finished`` without them. ``failed``: pages that cannot be indexed as
    they are.
    """

    missing: dict[PageRef, int] = field(default_factory=dict)
    surplus: list[Remove] = field(default_factory=list)
    early: list[PageRef] = field(default_factory=list)
    failed: list[PageRef] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True if the generation is what the page store says up to the watermark, except what failed."""
        return not self.missing and not self.surplus

    @property
    def sequences(self) -> dict[PageRef, int]:
        """The pages that are missing or surplus, with the sequence to write."""
        return self.missing | {removal.ref: removal.sequence for removal in self.surplus}


def difference(
    versions: Iterable[PageVersion],
    held: Mapping[PageRef, int],
    watermark: int,
    failed: Mapping[PageRef, int],
) -> Difference:
    """Compare the ``held`` sequences with the store's ``versions``, both read after ``watermark``.

    ``failed``: at which sequence a page was tried in vain.
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
