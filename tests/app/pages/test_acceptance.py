"""Every cell of the tables in ``app.pages.acceptance``, and what they come to over many changes."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.acceptance import Decision, IncomingChange, Status, Version, VersionStatus, decide, plan
from app.pages.intake import prepare
from ingest.types import Change, Delete, PageRef, Save
from tests.contracts.raw_pages import delete, page, ref, save

SAME = "same"
OTHER = "other"


def known(revision: int | None, *, deleted: bool = False, status: VersionStatus = "indexed") -> Version:
    content_hash = "" if deleted else prepare(save(text=SAME)).content_hash
    return Version(
        revision=revision,
        content_hash=content_hash,
        deleted=deleted,
        sequence=7,
        status=status,
    )


def tombstone(revision: int | None) -> Version:
    return known(revision, deleted=True)


def decided(version: Version | None, change: Change) -> tuple[Status, int | None, bool]:
    decision: Decision = decide(version, prepare(change))
    return decision.status, decision.revision, bool(decision.warning)


@pytest.mark.parametrize(
    ("version", "text", "revision", "expected"),
    [
        (None, SAME, 5, ("accepted", 5, False)),
        (None, SAME, None, ("accepted", None, False)),
        (known(5), OTHER, 6, ("accepted", 6, False)),
        (known(5), SAME, 6, ("accepted", 6, False)),
        (known(5), SAME, 5, ("unchanged", 5, False)),
        (known(5), OTHER, 5, ("accepted", 5, True)),
        (known(5), OTHER, 4, ("superseded", 5, False)),
        (known(5), SAME, 4, ("superseded", 5, False)),
        (known(5), SAME, None, ("unchanged", 5, False)),
        (known(5), OTHER, None, ("accepted", 5, False)),
        (known(None), SAME, 4, ("unchanged", 4, False)),
        (known(None), OTHER, 4, ("accepted", 4, False)),
        (known(None), SAME, None, ("unchanged", None, False)),
        (known(None), OTHER, None, ("accepted", None, False)),
        (tombstone(5), SAME, 6, ("accepted", 6, False)),
        (tombstone(5), SAME, 5, ("superseded", 5, True)),
        (tombstone(5), SAME, 4, ("superseded", 5, False)),
        (tombstone(5), SAME, None, ("superseded", 5, True)),
        (tombstone(None), SAME, 4, ("accepted", 4, False)),
        (tombstone(None), SAME, None, ("accepted", None, False)),
    ],
)
def test_a_save_is_decided_as_the_table_says(
    version: Version | None, text: str, revision: int | None, expected: tuple[Status, int | None, bool]
) -> None:
    assert decided(version, save(text=text, revision=revision)) == expected


@pytest.mark.parametrize(
    ("version", "revision", "expected"),
    [
        (tombstone(5), 6, ("accepted", 6, False)),
        (tombstone(5), 5, ("accepted", 5, False)),
        (tombstone(5), 4, ("accepted", 4, False)),
        (tombstone(5), None, ("accepted", 5, False)),
        (tombstone(None), None, ("accepted", None, False)),
        (known(5), 4, ("superseded", 5, False)),
        (known(5), 5, ("unchanged", 5, False)),
    ],
)
def test_republishing_returns_a_deleted_page_and_means_nothing_for_another(
    version: Version, revision: int | None, expected: tuple[Status, int | None, bool]
) -> None:
    assert decided(version, Save(page=page(text=SAME, revision=revision), republish=True)) == expected


@pytest.mark.parametrize(
    ("version", "revision", "expected"),
    [
        (None, 5, ("accepted", 5, False)),
        (None, None, ("accepted", None, False)),
        (known(5), 6, ("accepted", 6, False)),
        (known(5), 5, ("accepted", 5, False)),
        (known(5), 4, ("superseded", 5, False)),
        (known(5), None, ("accepted", 5, False)),
        (known(None), 4, ("accepted", 4, False)),
        (known(None), None, ("accepted", None, False)),
        (tombstone(5), 6, ("unchanged", 6, False)),
        (tombstone(5), 5, ("unchanged", 5, False)),
        (tombstone(5), 4, ("superseded", 5, False)),
        (tombstone(5), None, ("unchanged", 5, False)),
        (tombstone(None), 4, ("unchanged", 4, False)),
        (tombstone(None), None, ("unchanged", None, False)),
    ],
)
def test_a_delete_is_decided_as_the_table_says(
    version: Version | None, revision: int | None, expected: tuple[Status, int | None, bool]
) -> None:
    assert decided(version, delete(revision=revision)) == expected


def incoming(*changes: Change) -> list[IncomingChange]:
    return [prepare(change) for change in changes]


def test_a_batch_is_applied_in_order_and_every_accepted_change_gets_the_next_sequence() -> None:
    batch = incoming(save(text="1"), save(text="2"), save(text="2"), delete(), save("other"))
    result = plan({}, batch, sequence=10)
    assert [(r.ref.id, r.sequence, r.status) for r in result.results] == [
        ("p", 11, "accepted"),
        ("p", 12, "accepted"),
        ("p", 12, "unchanged"),
        ("p", 13, "accepted"),
        ("other", 14, "accepted"),
    ]
    assert (result.versions[ref()].deleted, result.sequence) == (True, 14)


def test_a_delete_without_language_means_the_known_languages_those_of_the_batch_included() -> None:
    stored = {ref(language="de"): known(None), ref(language="fr"): tombstone(None)}
    result = plan(stored, incoming(save(language="en"), delete(language=None)), sequence=0)
    assert [(r.ref.language, r.status) for r in result.results[1:]] == [
        ("de", "accepted"),
        ("en", "accepted"),
        ("fr", "unchanged"),
    ]
    assert plan({}, incoming(delete(language=None)), sequence=0).results == []


@pytest.mark.parametrize(
    ("deletion", "change", "expected"),
    [
        (5, save(revision=4), ("superseded", 5, False)),
        (5, save(revision=5), ("superseded", 5, True)),
        (5, save(), ("superseded", 5, True)),
        (5, save(revision=6), ("accepted", 6, False)),
        (5, Save(page=page(), republish=True), ("accepted", 5, False)),
        (5, delete(revision=4), ("accepted", 5, False)),
        (5, delete(revision=6), ("accepted", 6, False)),
        (5, delete(), ("accepted", 5, False)),
    ],
)
def test_a_language_never_seen_is_decided_by_the_delete_in_all_languages(
    deletion: int, change: Change, expected: tuple[Status, int | None, bool]
) -> None:
    decision = decide(None, prepare(change), deletion)
    assert (decision.status, decision.revision, bool(decision.warning)) == expected


def test_a_delete_in_all_languages_stops_later_saves_in_languages_never_seen() -> None:
    result = plan(
        {}, incoming(delete(language=None, revision=5), save(language="fr", revision=4)), sequence=7
    )
    assert [(r.ref.language, r.status, r.sequence) for r in result.results] == [("fr", "superseded", 0)]
    assert (result.versions, result.sequence) == ({}, 7)
    assert result.deletions == {("town", "p"): 5}
    again = plan({}, incoming(delete(language=None, revision=3), delete(language=None)), 7, result.deletions)
    assert again.deletions == {("town", "p"): 5}
    newer = plan({}, incoming(save(language="fr", revision=6)), 7, again.deletions)
    assert [r.status for r in newer.results] == ["accepted"]
    assert [r.status for r in plan({}, incoming(save("q")), 7, again.deletions).results] == ["accepted"]


@pytest.mark.parametrize(
    ("known_status", "status", "requeued"),
    [("indexed", "unchanged", False), ("queued", "unchanged", True), ("failed", "accepted", True)],
)
def test_an_unchanged_page_that_is_not_indexed_is_queued_anew(
    known_status: VersionStatus, status: Status, requeued: bool
) -> None:
    stored = {ref(): known(None, status=known_status)}
    result = plan(stored, incoming(save(text=SAME)), sequence=7)
    assert (result.results[0].status, result.results[0].sequence) == (status, 7)
    assert (ref() in result.requeued) is requeued


def test_a_failed_page_sent_twice_in_a_batch_is_accepted_once() -> None:
    result = plan(
        {ref(): known(None, status="failed")}, incoming(save(text=SAME), save(text=SAME)), sequence=7
    )
    assert [r.status for r in result.results] == ["accepted", "unchanged"]


REVISIONED = (
    save(text="1", revision=1),
    save(text="2", revision=2),
    delete(revision=3),
    save(text="4", revision=4),
)


@pytest.mark.parametrize("count", [3, 4])
def test_in_whatever_order_revisions_arrive_the_highest_wins(count: int) -> None:
    for order in permutations(REVISIONED[:count]):
        versions: dict[PageRef, Version] = {}
        for change in order:
            versions = plan(versions, incoming(change), sequence=0).versions
        final = versions[ref()]
        assert (final.revision, final.deleted) == (count, count == 3), order


revisions = st.none() | st.integers(1, 3)
changes = st.one_of(
    st.builds(
        lambda text, revision, republish: Save(page=page(text=text, revision=revision), republish=republish),
        st.sampled_from("ab"),
        revisions,
        st.booleans(),
    ),
    st.builds(lambda revision: delete(revision=revision), revisions),
)


class Model:
    """The rules once more, as a story rather than as a table."""

    def __init__(self) -> None:
        self.exists = False
        self.text: str | None = None
        self.revision: int | None = None

    def apply(self, change: Change) -> Status:
        revision = change.page.revision if isinstance(change, Save) else change.revision
        text = change.page.fields["content"].text if isinstance(change, Save) else None
        republished = isinstance(change, Save) and change.republish and self.exists and self.text is None
        if not republished and self._is_outdated(text, revision):
            return "superseded"
        newer = revision is not None and self.revision is not None and revision > self.revision
        repeated = self.exists and text == self.text and not (newer and text is not None)
        self.exists, self.text = True, text
        self.revision = self.revision if revision is None else revision
        return "unchanged" if repeated else "accepted"

    def _is_outdated(self, text: str | None, revision: int | None) -> bool:
        if self.revision is None:
            return False
        returns = self.exists and self.text is None and text is not None
        if revision is None:
            return returns
        return revision <= self.revision if returns else revision < self.revision


@given(st.lists(changes, max_size=12))
def test_any_changes_come_to_what_a_simple_model_says(sent: list[Change]) -> None:
    model, versions, sequence = Model(), dict[PageRef, Version](), 0
    for change in sent:
        result = plan(versions, incoming(change), sequence)
        expected = model.apply(change)
        assert result.results[0].status == expected
        assert result.sequence == sequence + (expected == "accepted")
        versions, sequence = result.versions, result.sequence
        version = versions[ref()]
        assert (version.revision, version.deleted) == (model.revision, model.text is None)


@given(st.lists(changes, max_size=8), st.integers(0, 8))
def test_cutting_a_batch_in_two_changes_nothing(sent: list[Change], cut: int) -> None:
    whole = plan({}, incoming(*sent), 0)
    first = plan({}, incoming(*sent[:cut]), 0)
    second = plan(first.versions, incoming(*sent[cut:]), first.sequence)
    assert first.results + second.results == whole.results
    assert second.versions == whole.versions


def test_a_delete_is_not_a_save() -> None:
    assert prepare(delete()) == IncomingChange(change=Delete(source="town", id="p", language="de"))
