"""Rules for accepting changes: pure planning; :mod:`app.pages.intake` reads and writes.

*s* is the revision that the store knows for the page, *r* the one that comes with the change; ``-`` is none.

A save::

    known            s  r   condition        status       revision then
    nothing             any                  accepted     r
    page             s  r   r > s            accepted     r
                     s  r   r = s, same      unchanged    s
                     s  r   r = s, other     accepted *   s
                     s  r   r < s            superseded   s
                     s  -   same             unchanged    s
                     s  -   other            accepted     s
                     -  r   same             unchanged    r
                     -  r   other            accepted     r
                     -  -   same             unchanged    -
                     -  -   other            accepted     -
    tombstone        s  r   r > s            accepted     r
                     s  r   r = s            superseded * s
                     s  r   r < s            superseded   s
                     s  -                    superseded * s
                     -  any                  accepted     r
                     any    republish        accepted     r, or s without r

A delete::

    nothing             any                  accepted     r     (a tombstone; nothing if no language is given)
    page             s  r   r >= s           accepted     r
                     s  r   r < s            superseded   s
                     s  -                    accepted     s     (so an old save cannot bring it back)
                     -  any                  accepted     r
    tombstone        s  r   r < s            superseded   s
                        otherwise            unchanged    the higher one

A delete in all languages applies to the known ones, and with a revision *d* also to unknown ones. If a page
then comes in an unknown language, a save is decided as if there were a tombstone with *d*, and a delete keeps
the higher of *d* and *r*.

``*`` with a warning. "Same" compares content hashes, see :func:`app.pages.bodies.content_hash`.

An unchanged page that is not indexed yet becomes due at once, because its sender asked again, but keeps its
attempts. If it had failed, it is tried as if it were new, and the status is ``accepted``. If it had failed
because its stored data is damaged, it is written anew, as if its content were different. Changes to one page
in one batch are applied in order.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from app.pages.types import AcceptResult
from ingest.types import Change, Delete, PageRef, Save

Status = Literal["accepted", "unchanged", "superseded"]
VersionStatus = Literal["queued", "indexed", "failed"]
Key = tuple[str, str]
"""Source and id: a page in all its languages."""


def page_of(change: Change) -> Key:
    """Return the source and id of the page that changes."""
    named = change.page.ref if isinstance(change, Save) else change
    return named.source, named.id


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingChange:
    """A change with the hash and the JSON of its content, both empty for a delete."""

    change: Change
    content_hash: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A page's version. ``written`` is the change of this batch that made it, ``None`` if it was stored
    before. ``damaged``: it failed because its stored data can no longer be read."""

    revision: int | None
    content_hash: str
    deleted: bool
    sequence: int
    status: VersionStatus
    excluded: bool = False
    damaged: bool = False
    written: IncomingChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The effect of a change on a page, and the revision to remember."""

    status: Status
    revision: int | None
    warning: str = ""


@dataclass(slots=True, kw_only=True)
class Plan:
    """The outcome of a batch: one result per page touched, and the versions to write. ``deletions``: the
    revisions of deletes in all languages."""

    sequence: int
    results: list[AcceptResult] = field(default_factory=list)
    deletions: dict[Key, int] = field(default_factory=dict)
    versions: dict[PageRef, Version] = field(default_factory=dict)
    requeued: set[PageRef] = field(default_factory=set)


def decide(known: Version | None, incoming: IncomingChange, deletion: int | None = None) -> Decision:
    """Apply the tables above to one page and one change; ``deletion``: the revision with which the page was
    deleted in all languages."""
    change = incoming.change
    if isinstance(change, Delete):
        return _decide_delete(known, change.revision, deletion)
    revision = change.page.revision
    if known is None and deletion is None:
        return Decision(status="accepted", revision=revision)
    if known is None or known.deleted:
        return _decide_return(deletion if known is None else known.revision, revision, change.republish)
    return _decide_update(known, revision, same=known.content_hash == incoming.content_hash)


def plan(
    stored: Mapping[PageRef, Version],
    batch: Sequence[IncomingChange],
    sequence: int,
    deletions: Mapping[Key, int] = MappingProxyType({}),
) -> Plan:
    """Plan a batch, given the ``stored`` versions of its pages and their ``deletions`` in all languages;
    ``sequence`` is the last one given."""
    result = Plan(sequence=sequence, versions=dict(stored), deletions=dict(deletions))
    languages: dict[Key, set[str]] = defaultdict(set)
    for ref in stored:
        languages[ref.source, ref.id].add(ref.language)
    for incoming in batch:
        _note_deletion(result.deletions, incoming.change)
        for ref in _targets(incoming.change, languages):
            _apply(result, ref, incoming)
    return result


def _note_deletion(deletions: dict[Key, int], change: Change) -> None:
    if isinstance(change, Delete) and change.language is None and change.revision is not None:
        key = page_of(change)
        deletions[key] = max(change.revision, deletions.get(key, change.revision))


def _targets(change: Change, languages: dict[Key, set[str]]) -> Iterator[PageRef]:
    if isinstance(change, Save):
        languages[change.page.ref.source, change.page.ref.id].add(change.page.ref.language)
        yield change.page.ref
        return
    if change.language is not None:
        languages[change.source, change.id].add(change.language)
    wanted = languages[change.source, change.id] if change.language is None else {change.language}
    for language in sorted(wanted):
        yield PageRef(source=change.source, id=change.id, language=language)


def _apply(result: Plan, ref: PageRef, incoming: IncomingChange) -> None:
    known = result.versions.get(ref)
    decision = decide(known, incoming, result.deletions.get((ref.source, ref.id)))
    is_healed = known is not None and known.damaged and decision.status == "unchanged"
    status = "accepted" if is_healed else decision.status
    if status == "accepted":
        result.sequence += 1
        result.versions[ref] = Version(
            revision=decision.revision,
            content_hash=incoming.content_hash,
            deleted=isinstance(incoming.change, Delete),
            sequence=result.sequence,
            status="queued",
            written=incoming,
        )
    elif known is not None and status == "unchanged":
        if known.status != "indexed":
            result.requeued.add(ref)
        if known.status == "failed":
            status = "accepted"
        kept: VersionStatus = "indexed" if known.status == "indexed" else "queued"
        result.versions[ref] = replace(known, revision=decision.revision, status=kept)
    sequence = result.versions[ref].sequence if ref in result.versions else 0
    result.results.append(AcceptResult(ref=ref, sequence=sequence, status=status, warning=decision.warning))


def _decide_update(known: Version, revision: int | None, *, same: bool) -> Decision:
    status: Status = "unchanged" if same else "accepted"
    if revision is None or known.revision is None:
        return Decision(status=status, revision=known.revision if revision is None else revision)
    if revision < known.revision:
        return Decision(status="superseded", revision=known.revision)
    if revision > known.revision:
        return Decision(status="accepted", revision=revision)
    warning = (
        "" if same else f"revision {revision} had arrived before with other content: the later arrival counts"
    )
    return Decision(status=status, revision=revision, warning=warning)


def _decide_return(deleted: int | None, revision: int | None, republish: bool) -> Decision:
    if republish or deleted is None:
        return Decision(status="accepted", revision=deleted if revision is None else revision)
    if revision is not None and revision > deleted:
        return Decision(status="accepted", revision=revision)
    late = revision is not None and revision < deleted
    warning = f"revision {deleted} deleted the page or took it offline: send a higher one, or republish"
    return Decision(status="superseded", revision=deleted, warning="" if late else warning)


def _decide_delete(known: Version | None, revision: int | None, deletion: int | None) -> Decision:
    if known is None:
        given = [number for number in (revision, deletion) if number is not None]
        return Decision(status="accepted", revision=max(given, default=None))
    if revision is not None and known.revision is not None and revision < known.revision:
        return Decision(status="superseded", revision=known.revision)
    status: Status = "unchanged" if known.deleted else "accepted"
    return Decision(status=status, revision=known.revision if revision is None else revision)
