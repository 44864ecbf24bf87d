"""What retrieval and people read from a page store."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import URL

from app.errors import NotFoundError
from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Failed
from ingest.types import Delete, PageRef, Save
from tests.contracts.page_store.helpers import NOON, claim_one, index
from tests.contracts.raw_pages import delete, page, ref, save


def test_pages_are_hidden_outside_their_publication_window_and_when_unknown(store: PageStore) -> None:
    hour = timedelta(hours=1)
    windows = {
        "always": page("always"),
        "from now": page("from now", publish_from=NOON),
        "later": page("later", publish_from=NOON + hour),
        "until now": page("until now", publish_until=NOON),
        "not yet over": page("not yet over", publish_until=NOON + hour),
    }
    store.accept([Save(page=item) for item in windows.values()])
    asked = [*(item.ref for item in windows.values()), ref("unknown"), ref("always", "en")]
    hidden = store.hidden(asked, NOON.astimezone())
    assert {item.id for item in hidden} == {"later", "until now", "unknown", "always"}
    assert ref("always") not in hidden


def test_a_date_beyond_the_calendar_is_its_end(store: PageStore) -> None:
    first = datetime.fromisoformat("0001-01-01T00:00:00+01:00")
    last = datetime.fromisoformat("9999-12-31T23:59:59-05:00")
    store.accept([Save(page=page(publish_from=first, publish_until=last))])
    assert store.hidden([ref()], NOON) == set()


def test_pages_are_known_by_their_ids_in_every_language_of_the_sources_asked(store: PageStore) -> None:
    others = [Save(page=page("p", source=source, language="en")) for source in ("town", "village", "city")]
    store.accept([save("p"), save("other"), save("gone"), *others, delete("gone")])
    found = store.with_ids(["town", "village"], ["p", "gone", "unknown"])
    assert sorted(found) == [
        ref("p"),
        ref("p", language="en"),
        PageRef(source="village", id="p", language="en"),
    ]
    assert store.with_ids([], ["p"]) == store.with_ids(["town"], []) == []


def test_titles_are_found_by_a_part_of_them_in_the_sources_asked(store: PageStore) -> None:
    store.accept([save("Sperrmüll"), save("Müll"), save("Pass"), save("Müllauto"), delete("Müllauto")])
    store.accept([Save(page=page("Hausmüll", source="village"))])
    assert sorted(store.titles_like(["town"], "m_ll")) == ["Title of Müll", "Title of Sperrmüll"]
    assert store.titles_like([], "m_ll") == []


def test_thousands_of_pages_are_asked_for_at_once(store: PageStore) -> None:
    store.accept([save(f"p{n}") for n in range(1500)])
    asked = [ref(f"p{n}") for n in range(40_000)]
    assert len(store.hidden(asked, NOON)) == 38_500


def test_rows_come_sorted_filtered_and_complete_however_many(store: PageStore, page_list: PageList) -> None:
    store.accept([Save(page=page("v", source="village", language="en")), save("p0007")])
    index(store)
    store.accept([save(f"p{n:04}") for n in reversed(range(1001))])
    assert [row.ref.id for row in page_list.records()] == [*(f"p{n:04}" for n in range(1001)), "v"]
    assert [row.ref.id for row in page_list.records("town", state="indexed")] == ["p0007"]
    assert sum(1 for _ in page_list.records(state="pending")) == 1000
    assert store.counts() == {"indexed": 2, "pending": 1000}
    assert store.counts("town") == {"indexed": 1, "pending": 1000}


def test_sources_and_languages_are_those_of_pages_that_are_there(store: PageStore) -> None:
    store.accept([save(), save("gone", language="fr"), Save(page=page("v", source="village", language="en"))])
    assert store.sources() == ["town", "village"]
    store.accept([delete("gone", language="fr"), Delete(source="village", id="v")])
    assert store.sources() == ["town"]
    assert store.counts_by_source() == {"town": {"pending": 2}}


def test_a_row_says_what_became_of_the_page(store: PageStore) -> None:
    store.accept([save()])
    claim = claim_one(store)
    store.finish([(claim.ref, claim.sequence, Failed(reason="too_large", message="cut it"))], "w")
    row = store.snapshot(ref())
    assert (row.ref, row.document, row.url, row.title) == (ref(), "p", "https://town.example/p", "Title of p")
    assert (row.state, row.reason, row.sequence, row.indexed_at) == ("failed", "too_large: cut it", 1, None)
    with pytest.raises(NotFoundError, match="unknown"):
        store.snapshot(ref("unknown"))


def test_what_was_accepted_is_there_for_the_next_process(store: PageStore, url: URL) -> None:
    store.accept([save(), save("q", revision=3)])
    engine = open_engine(url)
    reopened = PageStore(engine)
    assert [page_ref.id for page_ref in reopened.refs("town")] == ["p", "q"]
    assert reopened.accept([save("r")])[0].sequence == 3
