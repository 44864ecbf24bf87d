"""A restored CMS numbers its pages anew: what was numbered before is forgotten, in one source alone."""

from app.pages.store import PageStore
from ingest.types import Delete
from tests.contracts.page_store.helpers import statuses
from tests.contracts.raw_pages import delete, save


def test_after_a_reset_lower_revisions_are_accepted_for_pages_and_tombstones(store: PageStore) -> None:
    deletion = Delete(source="town", id="gone", revision=9)
    statuses(store, save("a", revision=9), save("gone", revision=8), deletion)
    late = [save("a", "other", revision=2), save("gone", revision=2)]
    assert statuses(store, *late) == ["superseded", "superseded"]
    store.reset_revisions("village")
    assert statuses(store, *late) == ["superseded", "superseded"]
    store.reset_revisions("town")
    assert statuses(store, *late) == ["accepted", "accepted"]
    assert statuses(store, save("a", "older", revision=1)) == ["superseded"]


def test_a_reset_forgets_deletes_in_all_languages_too(store: PageStore) -> None:
    statuses(store, delete("gone", 9, language=None))
    assert statuses(store, save("gone", revision=8)) == ["superseded"]
    store.reset_revisions("town")
    assert statuses(store, save("gone", revision=8)) == ["accepted"]
