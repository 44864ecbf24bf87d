"""How many pages may be deleted without confirmation, and the message that asks for it."""

import pytest

from app.sources.deletion_guard import DeletionGuard
from ingest.types import PageRef

GUARD = DeletionGuard(command="auskunft pull town")


@pytest.mark.parametrize(
    ("gone", "known"), [(0, 0), (4, 4), (4, 19), (5, 25), (7, 35), (8, 40), (12_600, 63_000)]
)
def test_a_fifth_and_fewer_than_five_may_go(gone: int, known: int) -> None:
    assert GUARD.refusal(gone, known, of="source 'town'") == ""


@pytest.mark.parametrize(("gone", "known"), [(5, 5), (5, 24), (9, 40), (12_601, 63_000)])
def test_more_may_go_only_once_that_is_confirmed(gone: int, known: int) -> None:
    assert GUARD.refusal(gone, known, of="source 'town'")
    confirmed = DeletionGuard(command=GUARD.command, confirmed=True)
    assert confirmed.refusal(gone, known, of="source 'town'") == ""


def test_a_refusal_names_the_numbers_and_the_command_that_confirms() -> None:
    assert GUARD.refusal(12_601, 63_000, of="source 'town'") == (
        "12,601 of 63,000 pages of source 'town' are missing: nothing was deleted. "
        "If they are to go, run `auskunft pull town --confirm-deletions`"
    )


def test_a_document_is_judged_by_its_own_pages() -> None:
    whole, halved, small = (
        [PageRef(source="law", id=f"{name}/art_{n}", language="en") for n in range(count)]
        for name, count in (("whole", 40), ("halved", 40), ("small", 5))
    )
    sent = [*whole, *halved[:20], *small[:1]]
    known = {"whole": whole, "halved": halved, "small": small, "new": []}
    [(document, why)] = GUARD.refused_documents(known, sent).items()
    assert (document, "20 of 40 pages of document 'halved' are missing" in why) == ("halved", True)
