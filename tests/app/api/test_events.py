"""The rules of acceptance as a CMS meets them: over HTTP, in whatever order events arrive."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from structlog.testing import capture_logs

from app import create_app
from tests.app.api.cms import Cms, deleted, saved
from tests.app.site import raw_page

TAX = ("tax", "en")


def content(cms: Cms, page_id: str = "tax") -> str:
    """What the page store holds of a page that was accepted."""
    [page] = [claim.page for claim in cms.services.store.claim(10, "test") if claim.ref.id == page_id]
    assert page is not None
    return page.fields["content"].text


def test_a_saved_page_is_found_and_a_deleted_one_is_gone(cms: Cms) -> None:
    [job] = cms.send(saved(revision=1))
    assert job == {"id": job["id"], "page": "tax", "language": "en", "status": "queued"}
    assert cms.found() == [TAX]
    assert cms.statuses(deleted(revision=2, language="en")) == ["queued"]
    assert cms.found() == []


def test_one_event_may_come_without_a_list(cms: Cms) -> None:
    response = cms.post(saved())
    assert response.status_code == 202
    assert [job["page"] for job in response.get_json()["jobs"]] == ["tax"]


def test_revision_3_before_2_keeps_3(cms: Cms) -> None:
    assert cms.statuses(saved(revision=3, html="three")) == ["queued"]
    assert cms.statuses(saved(revision=2, html="two")) == ["superseded"]
    assert content(cms) == "three"


def test_an_equal_revision_with_the_same_content_is_unchanged(cms: Cms) -> None:
    assert cms.statuses(saved(revision=3)) == ["queued"]
    assert cms.statuses(saved(revision=3)) == ["unchanged"]


def test_an_equal_revision_with_other_content_counts_and_is_warned_of(cms: Cms) -> None:
    cms.send(saved(revision=3, html="first"))
    [job] = cms.send(saved(revision=3, html="later"))
    assert job["status"] == "queued"
    assert "arrived before with other content" in job["reason"]
    assert content(cms) == "later"


def test_without_revisions_the_later_arrival_counts(cms: Cms) -> None:
    assert cms.statuses(saved(html="1"), saved(html="2"), saved(html="2")) == [
        "queued",
        "queued",
        "unchanged",
    ]
    assert content(cms) == "2"


def test_a_save_after_a_delete_needs_a_higher_revision(cms: Cms) -> None:
    cms.send(saved(revision=3))
    cms.send(deleted(revision=4, language="en"))
    assert cms.statuses(saved(revision=3)) == ["superseded"]
    [equal] = cms.send(saved(revision=4))
    assert (equal["status"], "republish" in equal["reason"]) == ("superseded", True)
    assert cms.found() == []
    assert cms.statuses(saved(revision=5)) == ["queued"]
    assert cms.found() == [TAX]


def test_a_republished_page_comes_back_whatever_its_revision(cms: Cms) -> None:
    cms.send(saved(revision=3), deleted(revision=4))
    assert cms.statuses(saved(revision=3, republish=True)) == ["queued"]
    assert cms.found() == [TAX]


def test_a_delete_that_overtakes_the_save_before_it_wins(cms: Cms) -> None:
    assert cms.statuses(deleted(revision=2)) == ["unchanged"]
    assert cms.statuses(saved(revision=1)) == ["superseded"]
    assert cms.found() == []


def test_a_delete_without_language_takes_all_languages_out_those_not_seen_too(cms: Cms) -> None:
    cms.send(saved(revision=1), saved(revision=1, language="de"))
    jobs = cms.send(deleted(revision=5))
    assert [(job["language"], job["status"]) for job in jobs] == [("de", "queued"), ("en", "queued")]
    assert cms.statuses(saved(revision=4, language="fr")) == ["superseded"]
    assert cms.found() == []
    assert cms.statuses(saved(revision=6, language="fr")) == ["queued"]
    assert cms.found() == [("tax", "fr")]


def test_a_delete_in_one_language_leaves_the_others(cms: Cms) -> None:
    cms.send(saved(), saved(language="fr"))
    cms.send(deleted(language="fr"))
    assert cms.found() == [TAX]


def test_an_unpublished_page_is_gone_until_it_is_saved_again(cms: Cms) -> None:
    cms.send(saved(revision=1))
    cms.send({"type": "page.unpublished", "id": "tax", "revision": 2})
    assert cms.found() == []
    assert cms.statuses(saved(revision=2)) == ["superseded"]
    cms.send(saved(revision=3))
    assert cms.found() == [TAX]


def moved(**fields: Any) -> dict[str, Any]:
    return saved(**fields) | {"type": "page.moved"}


def test_a_moved_page_is_found_under_its_new_id_alone(cms: Cms) -> None:
    cms.send(saved(revision=1))
    jobs = cms.send(moved(revision=2, new_id="fees", url="https://town.example/fees"))
    assert [(job["page"], job["status"]) for job in jobs] == [("tax", "queued"), ("fees", "queued")]
    assert cms.found() == [("fees", "en")]
    assert cms.statuses(saved(revision=1)) == ["superseded"]


def test_a_page_may_be_moved_back(cms: Cms) -> None:
    cms.send(saved(revision=1))
    cms.send(moved(revision=2, new_id="fees"))
    cms.send(moved(page_id="fees", revision=3, new_id="tax"))
    assert cms.found() == [TAX]


@pytest.mark.parametrize("new_id", [{}, {"new_id": None}, {"new_id": "tax"}])
def test_a_page_whose_address_alone_changed_keeps_its_id(cms: Cms, new_id: dict[str, Any]) -> None:
    cms.send(saved(revision=1))
    [job] = cms.send(moved(revision=2, url="https://town.example/new", **new_id))
    assert (job["page"], job["status"]) == ("tax", "queued")
    cms.index()
    [state] = cms.states("tax").get_json()["pages"]
    assert (state["url"], state["state"]) == ("https://town.example/new", "indexed")


def test_a_page_is_found_only_within_its_publication_window(cms: Cms) -> None:
    now = datetime.now(UTC)
    before, after = (now - timedelta(days=1)).isoformat(), (now + timedelta(days=1)).isoformat()
    cms.send(
        saved("now", publish_from=before, publish_until=after),
        saved("later", publish_from=after),
        saved("over", publish_until=before),
    )
    assert cms.found() == [("now", "en")]
    cms.send(saved("later", publish_from=before))
    assert ("later", "en") in cms.found()


def test_every_field_reaches_the_page(cms: Cms) -> None:
    fields: dict[str, Any] = {
        "name": "Tax",
        "title": "Dog\u200b tax",
        "description": "What a dog costs",
        "keywords": ["dog", "fee"],
        "html": None,
        "markdown": "# Tax",
        "updated": "2026-03-31T12:00:00+02:00",
        "publish_from": "2026-01-01T00:00:00Z",
        "publish_until": "2099-01-01T00:00:00Z",
        "revision": 2**63 - 1,
    }
    cms.send(saved(42, **fields))
    [claim] = cms.services.store.claim(1, "test")
    page = claim.page
    assert page is not None
    assert (page.ref.id, page.ref.source, page.document, page.url) == (
        "42",
        "town",
        "42",
        "https://town.example/42",
    )
    assert {name: field.text for name, field in page.fields.items()} == {
        "name": "Tax",
        "title": "Dog tax",
        "description": "What a dog costs",
        "keywords": "dog, fee",
        "content": "# Tax",
    }
    assert page.fields["content"].media_type == "text/markdown"
    assert page.updated == datetime(2026, 3, 31, 10, tzinfo=UTC)
    assert (page.publish_from, page.publish_until) == (
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2099, 1, 1, tzinfo=UTC),
    )
    assert page.revision == 2**63 - 1


def test_markup_and_character_references_in_titles_and_the_like_are_resolved(cms: Cms) -> None:
    marked, plain = "Dogs &amp;\n<b>cats</b>", "Dogs & cats"
    keywords, listed = [marked, "a <b> c", "AT&T", "under < 5"], f"{plain}, a <b> c, AT&T, under < 5"
    cms.send(saved(name=marked, title=marked, description=marked, keywords=keywords))
    cms.index()
    [hit] = cms.services.chat.default.retriever.retrieve("dogs", sources=frozenset({"town"})).hits
    lines = {name: text for name, text in hit.page.fields.items() if name != "content"}
    assert lines == {"name": plain, "title": plain, "description": plain, "keywords": listed}
    assert [row.title for row in cms.services.page_list.records()] == [plain]


@pytest.mark.parametrize(
    "page_id", ["../../etc/passwd", "a/b?c=d#e", "%2e%2e", "C:\\x", "*", "' OR 1=1 --", "日本"]
)
def test_whatever_an_id_looks_like_it_is_only_data(cms: Cms, page_id: str) -> None:
    cms.send(saved(page_id, url="https://town.example/x"))
    assert cms.found() == [(page_id, "en")]
    assert cms.states(page_id).get_json()["id"] == page_id
    cms.send(deleted(page_id))
    assert cms.found() == []


def test_one_wrong_event_keeps_all_others_out(cms: Cms) -> None:
    response = cms.post({"events": [saved("a"), saved("b"), saved("c", language="German")]})
    assert response.status_code == 422
    assert [field["field"] for field in response.get_json()["fields"]] == ["events[2].language"]
    assert list(cms.services.page_list.records()) == []


def test_five_hundred_events_are_taken_at_once(cms: Cms) -> None:
    jobs = cms.send(*(saved(str(number), html="x") for number in range(500)))
    assert [job["page"] for job in jobs] == [str(number) for number in range(500)]
    assert cms.services.store.pending() == 500


def test_an_editors_page_comes_before_an_import(cms: Cms) -> None:
    cms.services.store.accept([raw_page("imported", "Title", "text")])
    cms.send(saved("edited"))
    assert [claim.ref.id for claim in cms.services.store.claim(1, "test")] == ["edited"]


class Recorder:
    """A queue that notes what is due when it is woken."""

    def __init__(self, cms: Cms) -> None:
        self._store = cms.services.store
        self.woken: list[tuple[int, bool, int]] = []

    def wake(self, n_pages: int = 1, *, interactive: bool = True) -> None:
        self.woken.append((n_pages, interactive, self._store.pending()))


def test_whoever_indexes_is_woken_once_all_is_stored(cms: Cms) -> None:
    recorder = vars(cms.services)["queue"] = Recorder(cms)
    cms.send(saved("a"), saved("b"))
    assert recorder.woken == [(2, True, 2)]


def test_without_its_database_the_server_accepts_nothing_and_takes_the_repeat(cms: Cms) -> None:
    cms.send(saved("before"))
    with cms.services.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON").close()
    with capture_logs():
        refused = cms.post(saved("a"), message_id="one")
    assert refused.status_code >= 500
    assert refused.mimetype == "application/problem+json"
    assert "pages.sqlite" not in refused.text
    with cms.services.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = OFF").close()
    assert [job["status"] for job in cms.post(saved("a"), message_id="one").get_json()["jobs"]] == ["queued"]


def test_ten_threads_with_the_same_message_have_one_effect_and_all_get_the_answer(cms: Cms) -> None:
    app = create_app(services=cms.services)
    together = Barrier(10)

    def deliver(_: int) -> tuple[int, Any]:
        sender = Cms(app.test_client(), cms.services)
        together.wait()
        response = sender.post({"events": [saved("a"), saved("b")]}, message_id="one")
        return response.status_code, response.get_json()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(deliver, range(10)))
    assert answers == [answers[0]] * 10
    assert answers[0][0] == 202
    assert cms.services.store.watermark() == 2


def test_ten_threads_with_messages_of_their_own_lose_nothing(cms: Cms) -> None:
    app = create_app(services=cms.services)

    def deliver(number: int) -> list[str]:
        sender = Cms(app.test_client(), cms.services)
        response = sender.post(saved("a", revision=number, html=str(number)), message_id=f"m{number}")
        return [job["status"] for job in response.get_json()["jobs"]]

    with ThreadPoolExecutor(10) as pool:
        statuses = [status for found in pool.map(deliver, range(1, 31)) for status in found]
    assert set(statuses) <= {"queued", "superseded"}
    assert content(cms, "a") == "30"
