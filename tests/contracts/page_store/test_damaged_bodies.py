"""What the page store keeps of a page cannot be read: that page fails, every other one goes on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine

from app.pages.acts import ActPages
from app.pages.crawl_notes import Note
from app.pages.page_list import PageList
from app.pages.pulls import ListedPage, PullLog
from app.pages.store import PageStore
from app.pages.types import Failed
from ingest.fetching.validators import Validators
from ingest.types import RawPage, Save
from ingest.website.visits import Step
from tests.contracts.page_store.helpers import NOON, claim_one, index, state, statuses
from tests.contracts.raw_pages import page, ref, save

DAMAGES = {
    "shortened": "UPDATE bodies SET body = substr(body, 1, 20) WHERE id = 'p'",
    "empty": "UPDATE bodies SET body = '' WHERE id = 'p'",
    "lost": "DELETE FROM bodies WHERE id = 'p'",
    "another document": "UPDATE bodies SET body = '[1, 2]' WHERE id = 'p'",
    "without text": """UPDATE bodies SET body = '{"fields": {"content": null}, "metadata": {}}'
        WHERE id = 'p'""",
    "text that is a number": 'UPDATE bodies SET body = replace(body, \'"text":"text"\', \'"text":7\')'
    " WHERE id = 'p'",
    "unknown fields": """UPDATE bodies SET body = '{"fields": {"x": {"text": "", "media_type": "text/html"}},
        "metadata": {}}' WHERE id = 'p'""",
    "not the ASCII it was": "UPDATE bodies SET body = replace(body, 'text', 'tèxt') WHERE id = 'p'",
}


def damage(engine: Engine, statement: str = DAMAGES["shortened"]) -> None:
    """Execute it behind the page store's back."""
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_page_is_claimed_beside_the_others_and_says_so(
    store: PageStore, statement: str, engine: Engine
) -> None:
    store.accept([save("a"), save("p"), save("z")])
    damage(engine, statement)
    claimed = {claim.ref.id: claim for claim in store.claim(9, "w")}
    assert {name: claim.page for name, claim in claimed.items()} == {
        "a": page("a"),
        "p": None,
        "z": page("z"),
    }
    failure = claimed["p"].damage
    assert failure is not None
    assert failure.reason == "damaged"
    assert "save, import or pull the page again" in failure.message
    read = [(stored.page, stored.damage) for stored in store.read([ref("p"), ref("a")])]
    assert read == [(None, failure), (page("a"), None)]


def test_bytes_that_are_no_text_damage_their_page_alone(store: PageStore, engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL refuses them")
    store.accept([save("a"), save("p")])
    damage(engine, "UPDATE bodies SET body = CAST(x'7bff80' AS TEXT) WHERE id = 'p'")
    claimed = {claim.ref.id: claim for claim in store.claim(9, "w")}
    assert (claimed["a"].page, claimed["p"].page) == (page("a"), None)
    assert claimed["p"].damage is not None


ROW_DAMAGES = {
    "url": "UPDATE pages SET url = CAST(x'ff41' AS TEXT) WHERE id = 'p'",
    "document": "UPDATE pages SET document = CAST(x'41ff' AS TEXT) WHERE id = 'p'",
    "updated": "UPDATE pages SET updated = 'garbage' WHERE id = 'p'",
    "updated is a number": "UPDATE pages SET updated = 7 WHERE id = 'p'",
    "updated is no text": "UPDATE pages SET updated = x'ff41' WHERE id = 'p'",
    "publish_from": "UPDATE pages SET publish_from = '' WHERE id = 'p'",
    "publish_until": "UPDATE pages SET publish_until = 'garbage' WHERE id = 'p'",
}


def damage_row(engine: Engine, statement: str) -> None:
    """Execute it behind SQLite's back."""
    if engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL refuses it")
    damage(engine, statement)


@pytest.mark.parametrize("statement", ROW_DAMAGES.values(), ids=ROW_DAMAGES)
def test_a_damaged_row_fails_alone_and_the_next_import_heals_it(
    store: PageStore, statement: str, page_list: PageList, engine: Engine
) -> None:
    store.accept([save("a"), save("p"), save("z")])
    damage_row(engine, statement)
    assert len(list(page_list.records())) == 3
    claimed = {claim.ref.id: claim for claim in store.claim(9, "w")}
    assert [claimed[name].page for name in "apz"] == [page("a"), None, page("z")]
    failure = claimed["p"].damage
    assert failure is not None
    store.finish([(ref(), claimed["p"].sequence, failure)], "w")
    assert store.hidden([ref("a"), ref("z")], NOON) == set()
    assert statuses(store, save()) == ["accepted"]
    assert claim_one(store).page == page()


@pytest.mark.parametrize("column", ["publish_from", "publish_until"])
@pytest.mark.parametrize("value", ["''", "'garbage'", "7", "x'ff41'"])
def test_a_page_with_a_damaged_moment_of_publication_is_not_shown(
    store: PageStore, column: str, value: str, engine: Engine
) -> None:
    store.accept([save("a"), save("p")])
    damage_row(engine, f"UPDATE pages SET {column} = {value} WHERE id = 'p'")
    assert store.hidden([ref("a"), ref("p")], NOON) == {ref("p")}


def test_a_damaged_title_is_shown_as_far_as_it_can_be_read(
    store: PageStore, page_list: PageList, engine: Engine
) -> None:
    store.accept([save("p")])
    damage_row(engine, "UPDATE pages SET title = CAST(x'ff41' AS TEXT)")
    assert [row.title for row in page_list.records()] == ["\ufffdA"]
    assert claim_one(store).page == page()


def test_texts_that_were_replaced_on_the_way_in_are_no_damage(store: PageStore) -> None:
    odd = replace(page(), url="https://town.example/\0", updated=datetime(1970, 1, 1, tzinfo=UTC))
    store.accept([Save(page=odd)])
    claimed = claim_one(store)
    assert claimed.damage is None
    assert claimed.page == replace(odd, url="https://town.example/\ufffd")


def fail(store: PageStore) -> None:
    """Settle the damaged page as the indexer does."""
    claim = claim_one(store)
    assert claim.damage is not None
    store.finish([(claim.ref, claim.sequence, claim.damage)], "w")
    assert state(store) == "failed"


@pytest.mark.parametrize("revision", [None, 7])
def test_the_next_save_heals_a_damaged_page_although_it_says_the_same(
    store: PageStore, revision: int | None, engine: Engine
) -> None:
    store.accept([save(revision=revision)])
    damage(engine)
    fail(store)
    (accepted,) = store.accept([save(revision=revision)])
    assert (accepted.status, accepted.warning) == ("accepted", "")
    assert claim_one(store).page == page(revision=revision)


def test_the_next_import_heals_a_damaged_page_although_it_says_the_same(
    store: PageStore, engine: Engine
) -> None:
    store.accept_documents("town", [page()])
    damage(engine)
    fail(store)
    assert [item.status for item in store.accept_documents("town", [page()])] == ["accepted"]
    assert claim_one(store).page == page()


@pytest.mark.parametrize("at_rest", [False, True])
def test_a_damaged_page_is_fetched_by_the_next_complete_pull(
    store: PageStore, *, at_rest: bool, engine: Engine
) -> None:
    log = PullLog(engine, lambda: NOON)
    (first, _) = store.accept([save(), save("q")])
    log.save_listed(ListedPage(ref=ref(name), taken=True, revision=1) for name in "pq")
    validators = Validators(etag='"1"', last_modified="", url="https://town.example/")
    log.remember_validators({ref(name): validators for name in "pq"})
    log.begin("town", "w")
    notes = [Note(step=Step(address=name), validators=validators) for name in "pq"]
    log.note("town", "w", notes, listing=None, done=2, left=1, seconds=1)
    damage(engine)
    if at_rest:
        index(store)
        store.record_failed({ref(): first.sequence}, {ref(): Failed(reason="damaged", message="")})
    else:
        fail(store)
    assert {page.id: seen.taken for page, seen in log.listed_pages("town").items()} == {"p": False, "q": True}
    assert log.validators("town").keys() == {ref("q")}
    assert [note.step.address for note in log.noted("town")[1]] == ["q"]


def test_a_page_that_failed_for_another_reason_is_not_written_again(store: PageStore) -> None:
    (first,) = store.accept([save()])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Failed(reason="empty", message="no text"))], "w")
    (again,) = store.accept([save()])
    assert (again.status, again.sequence) == ("accepted", first.sequence)


def test_a_damaged_page_that_is_healed_is_like_any_other_afterwards(store: PageStore, engine: Engine) -> None:
    store.accept([save()])
    damage(engine)
    fail(store)
    store.accept([save()])
    index(store)
    assert statuses(store, save()) == ["unchanged"]


def test_a_damaged_act_is_left_out_of_the_versions_of_acts(store: PageStore, engine: Engine) -> None:
    def act(page_id: str) -> Save:
        raw: RawPage = page(page_id)
        return Save(
            page=RawPage(
                ref=raw.ref,
                document=raw.document,
                url=raw.url,
                fields=raw.fields,
                kind="act",
                metadata={"c": "1"},
            )
        )

    store.accept([act("p"), act("q")])
    index(store)
    damage(engine)
    assert [found.ref.id for found in ActPages(engine).all()] == ["q"]
