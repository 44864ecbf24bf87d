"""Deletes, documents as a whole, pruning and exclusion."""

import pytest
from sqlalchemy import Engine, func, select

from app.errors import NotFoundError, PageError
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.tables import bodies
from app.pages.types import Indexed
from ingest.types import Save
from tests.contracts.page_store.helpers import NOON, Clock, claim_one, index, state, statuses
from tests.contracts.raw_pages import delete, page, ref, save


def test_a_deleted_page_is_hidden_at_once_removed_by_a_claim_and_stays_away(store: PageStore) -> None:
    store.accept([save(revision=1)])
    index(store)
    assert statuses(store, delete(revision=2)) == ["accepted"]
    assert store.hidden([ref()], NOON) == {ref()}
    assert state(store) == "pending"
    claim = claim_one(store)
    assert (claim.page, claim.sequence) == (None, 2)
    store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert statuses(store, save(revision=1), save(revision=2), save()) == ["superseded"] * 3
    assert (state(store), store.refs("town")) == ("deleted", [])


def test_deleting_an_unknown_page_keeps_an_older_save_from_coming_back(store: PageStore) -> None:
    assert statuses(store, delete(revision=2)) == ["accepted"]
    assert statuses(store, save(revision=1)) == ["superseded"]
    assert statuses(store, save(revision=3)) == ["accepted"]
    assert store.hidden([ref()], NOON) == set()


def test_a_delete_without_language_means_every_language(store: PageStore) -> None:
    store.accept([save(language="de"), save(language="en"), save("q")])
    assert [a.ref.language for a in store.accept([delete(language=None)])] == ["de", "en"]
    assert store.refs("town") == [ref("q")]


def test_a_tombstone_keeps_nothing_the_page_said(store: PageStore, engine: Engine) -> None:
    store.accept([save(text="personal secret")])
    store.accept([delete()])
    row = store.snapshot(ref())
    assert (row.title, row.document, row.url) == ("", "p", "https://town.example/p")
    with engine.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(bodies)) == 0
    assert statuses(store, save(text="personal secret")) == ["accepted"]


def test_a_document_is_replaced_as_a_whole(store: PageStore) -> None:
    store.accept([save("elsewhere")])
    first = [page("a", document="act"), page("b", document="act")]
    assert [a.status for a in store.accept_documents("town", first)] == ["accepted", "accepted"]
    second = [page("b", "new", document="act"), page("c", document="act")]
    accepted = {a.ref.id: a.status for a in store.accept_documents("town", second)}
    assert accepted == {"a": "accepted", "b": "accepted", "c": "accepted"}
    assert [page_ref.id for page_ref in store.refs("town")] == ["b", "c", "elsewhere"]


def test_missing_pages_are_those_of_a_source_that_are_not_deleted_and_whose_document_is_not_there(
    store: PageStore,
) -> None:
    village = Save(page=page("v", source="village"))
    store.accept([save("a", revision=4), save("b"), save("b", language="en"), village])
    assert store.missing("town", {"b"}) == [ref("a")]
    store.accept([delete("a")])
    assert store.missing("town", {"b"}) == []
    assert statuses(store, save("a", revision=4)) == ["superseded"]
    assert store.missing("town", set()) == [ref("b", "de"), ref("b", "en")]
    assert store.missing("village", {"v"}) == []


def test_the_pages_of_documents_are_listed_without_deleted_ones(store: PageStore) -> None:
    act = [page("a", document="act"), page("b", document="act")]
    store.accept([save("b", revision=4), save("q"), Save(page=page("v", source="village", document="act"))])
    store.accept_documents("town", act)
    store.accept([delete("a")])
    assert store.document_refs("town", {"act", "q", "none"}) == {"act": [ref("b")], "q": [ref("q")]}


def test_rejected_documents_are_replaced_per_source(
    store: PageStore, clock: Clock, page_list: PageList
) -> None:
    store.set_rejected(
        "town", {"x.pdf": PageError("unsupported", "PDF"), "\ud800": PageError("invalid", "\0")}
    )
    store.set_rejected("village", {"y": PageError("invalid", "no UTF-8")})
    assert [item.document for item in page_list.rejected("town")] == ["x.pdf", "\ufffd"]
    store.set_rejected("town", {})
    (left,) = page_list.rejected()
    assert (left.source, left.document, left.reason, left.message) == ("village", "y", "invalid", "no UTF-8")
    assert left.at == clock.now


def test_an_excluded_page_stays_out_when_it_is_saved_again_until_it_is_included(store: PageStore) -> None:
    store.accept([save(), save(language="en"), save("q")])
    index(store)
    assert store.exclude(None, "p") == [ref(), ref(language="en")]
    assert store.hidden([ref(), ref("q")], NOON) == {ref()}
    claims = store.claim(10, "w")
    assert [(claim.ref.id, claim.page) for claim in claims] == [("p", None), ("p", None)]
    for claim in claims:
        store.finish([(claim.ref, claim.sequence, Indexed())], "w")
    assert state(store) == "excluded"
    store.accept([save(text="again")])
    assert claim_one(store).page is None
    assert store.include("town", "p") == [ref(), ref(language="en")]
    store.release("w")
    restored = store.claim(1, "w", [ref()])[0].page
    assert restored is not None
    assert restored.fields["content"].text == "again"
    assert store.hidden([ref()], NOON) == set()


def test_excluding_twice_queues_once(store: PageStore) -> None:
    store.accept([save()])
    store.exclude("town", "p")
    index(store)
    assert store.exclude("town", "p") == [ref()]
    assert store.pending() == 0


@pytest.mark.parametrize(("source", "page_id"), [(None, "nothing"), ("village", "p")])
def test_a_page_nobody_knows_cannot_be_excluded_or_included(
    store: PageStore, source: str | None, page_id: str
) -> None:
    store.accept([save()])
    with pytest.raises(NotFoundError, match=page_id):
        store.exclude(source, page_id)
    with pytest.raises(NotFoundError, match=page_id):
        store.include(source, page_id)


def test_a_page_that_is_now_in_another_language_leaves_the_old_one(store: PageStore) -> None:
    store.accept_documents("town", [page(language="de"), page("q", language="de")])
    index(store)
    results = store.accept_documents("town", [page(language="en")])
    assert [(result.ref, result.status) for result in results] == [
        (ref(language="en"), "accepted"),
        (ref(language="de"), "accepted"),
    ]
    assert store.refs("town") == [ref(language="en"), ref("q", language="de")]
    results = store.accept_documents("town", [page(language="de", text="new")])
    assert store.refs("town") == [ref(language="de"), ref("q", language="de")]


def test_documents_of_another_source_are_left_alone(store: PageStore) -> None:
    store.accept_documents("village", [page(source="village")])
    store.accept_documents("town", [page(language="en")])
    assert store.refs("village") == [ref(source="village")]


def test_a_deleted_page_of_a_document_comes_back(store: PageStore) -> None:
    store.accept([save(revision=1), delete(revision=1)])
    assert [a.status for a in store.accept_documents("town", [page(revision=1)])] == ["accepted"]
    assert store.refs("town") == [ref()]


def test_an_excluded_page_stays_out_in_a_language_it_gets_later(store: PageStore) -> None:
    store.accept([save(language="de"), save("q", language="de")])
    store.exclude(None, "p")
    store.accept([save(language="en"), save("q", language="en")])
    both = {ref(language="en"), ref("q", language="en")}
    assert store.hidden(both, NOON) == {ref(language="en")}
    store.include(None, "p")
    assert store.hidden(both, NOON) == set()
