"""Pages that a CMS announced without their fields: when they are fetched, awaited, taken in or given up."""

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from structlog.testing import capture_logs

from app.errors import SettingsError
from app.pages.announcements import Announcements
from app.pages.database import open_engine
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Announcement, Delivery, JobDocument
from app.sources.fetch import COMMIT_TIME, FILE_TIME, MAX_RETRY_SECONDS, PageFetcher
from ingest.protocols import ListedSource
from ingest.sources.cms import CmsSource
from ingest.types import PDF, Change, Delete, ListingItem, PageRef, RawPage, Save
from tests.contracts.conftest import DATABASES, databases
from tests.contracts.page_store.helpers import NOON, Clock, index
from tests.fakes.cms import FakeCms, Reply
from tests.fakes.pdf import pdf
from tests.fakes.website import Answer, FakeWebsite
from tests.ingest.fetching.conftest import fetcher


class KilledError(BaseException):
    """The worker's process ends here."""


class Town:
    """An installation that fetches from a CMS what that has announced."""

    def __init__(self, cms: FakeCms, engine: Engine, clock: Clock) -> None:
        self.cms = cms
        self.clock = clock
        self.store = PageStore(engine, clock=clock)
        self.page_list = PageList(engine)
        self.deliveries = Deliveries(engine, clock)
        self.after_fetch: Callable[[], object] = lambda: None
        self.is_configured = True
        self._queue = Announcements(engine, clock)
        self._ids = count()

    def fetch(self, worker: str = "w") -> bool:
        """Fetch the page that is due first; False if none is."""
        page_fetcher = PageFetcher(
            announcements=self._queue,
            worker=worker,
            source_of=self._source_of,
            client=lambda: fetcher(attempts=1),
            retry_seconds=30,
            clock=self.clock,
        )
        with capture_logs():
            return page_fetcher.fetch_next()

    def send(self, *changes: Change | Announcement) -> list[JobDocument]:
        delivery = Delivery(source="town", id=f"m{next(self._ids)}", digest="d")
        return self.deliveries.accept(delivery, changes, priority=10)

    def announce(self, page_id: str = "p", revision: int | None = None) -> JobDocument:
        [job] = self.send(Announcement(ref=ref(page_id), revision=revision))
        return job

    def standing(self, job: JobDocument) -> tuple[str, str]:
        known = self.deliveries.job(job.id)
        return known.status, known.reason

    def text(self, page_id: str = "p") -> str | None:
        """A page's content; ``None`` if it is deleted."""
        [stored] = self.store.read([ref(page_id)])
        return stored.page.fields["content"].text if stored.page else None

    def _source_of(self, name: str) -> ListedSource:
        if not self.is_configured:
            raise SettingsError(f"source {name!r} has no kind")
        return _Source(self, name)


class _Source(CmsSource):
    """After a page has come, something else may happen."""

    def __init__(self, town: Town, name: str) -> None:
        super().__init__(name=name, fetcher=fetcher(attempts=1), **town.cms.options())
        self._town = town

    def page(self, listed: ListingItem) -> RawPage | None:
        page = super().page(listed)
        self._town.after_fetch()
        return page


def ref(page_id: str = "p") -> PageRef:
    return PageRef(source="town", id=page_id, language="de")


@pytest.fixture(params=DATABASES)
def town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Town]:
    clock = Clock()
    with FakeCms() as cms, databases(request.param, request, tmp_path) as new_database:
        engine = open_engine(new_database())
        yield Town(cms, engine, clock)
        engine.dispose()


@pytest.fixture
def files() -> Iterator[FakeWebsite]:
    """A website with a fee schedule."""
    with FakeWebsite() as files:
        files.answers["/fees.pdf"] = Answer(FEES, headers={"Content-Type": PDF})
        yield files


FEES = pdf([[(11, "The first dog costs 96 euros.")]])


def announce_file(town: Town, address: str, revision: int | None = None, **values: str) -> JobDocument:
    record = {"id": "p", "language": "de", "url": "https://town.example/fees", "file_url": address, **values}
    [job] = town.send(Announcement(ref=ref(), revision=revision, record=json.dumps(record)))
    return job


def test_a_file_is_fetched_for_the_page_that_the_cms_told_of(town: Town, files: FakeWebsite) -> None:
    job = announce_file(town, f"{files.address}/fees.pdf", 7, title="Fees")
    assert town.fetch()
    [stored] = town.store.read([ref()])
    assert stored.page is not None
    page = stored.page
    assert (page.url, page.revision, page.fields["title"].text) == ("https://town.example/fees", 7, "Fees")
    content = page.fields["content"]
    assert (b64decode(content.text), content.media_type) == (FEES, PDF)
    assert town.standing(job) == ("queued", "")
    assert town.cms.requests == {}


def test_of_several_announcements_the_newest_file_is_fetched(town: Town, files: FakeWebsite) -> None:
    announce_file(town, f"{files.address}/old.pdf", 7)
    announce_file(town, f"{files.address}/fees.pdf", 8)
    announce_file(town, f"{files.address}/older.pdf", 6)
    assert (town.fetch(), town.fetch()) == (True, False)
    assert b64decode(town.text() or "") == FEES


def test_a_page_announced_after_its_file_is_asked_for_as_a_whole(town: Town, files: FakeWebsite) -> None:
    announce_file(town, f"{files.address}/fees.pdf")
    town.cms.save("p", "text", "de")
    town.announce()
    assert town.fetch()
    assert "text" in (town.text() or "")


def test_a_file_that_is_not_there_yet_is_awaited_and_then_given_up(town: Town, files: FakeWebsite) -> None:
    job = announce_file(town, f"{files.address}/later.pdf")
    assert town.fetch()
    assert town.standing(job) == ("waiting", "not_there_yet")
    town.clock.advance(COMMIT_TIME.total_seconds())
    assert town.fetch()
    status, reason = town.standing(job)
    assert (status, reason.partition(":")[0]) == ("failed", "invalid")


def test_a_file_whose_host_is_away_stops_no_other_page_and_is_given_up(
    town: Town, files: FakeWebsite
) -> None:
    files.answers["/fees.pdf"] = Answer(b"", status=503)
    job = announce_file(town, f"{files.address}/fees.pdf")
    town.cms.save("q", "text")
    other = town.announce("q")
    assert (town.fetch(), town.fetch(), town.fetch()) == (True, True, False)
    assert (town.standing(job)[0], town.standing(other)[0]) == ("waiting", "queued")
    for _ in range(FILE_TIME.days):
        town.clock.advance(MAX_RETRY_SECONDS * 24)
        assert (town.fetch(), town.standing(job)[0]) == (True, "waiting")
    town.clock.advance(MAX_RETRY_SECONDS)
    assert town.fetch()
    assert "given up after 3 days" in town.standing(job)[1]


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        ("/log-in", Answer(b"<html>", headers={"Content-Type": "text/html"}), "sent 'text/html'"),
        ("/fees", Answer(FEES, headers={"Content-Type": "application/octet-stream"}), "its suffix says"),
    ],
)
def test_what_is_no_document_fails_alone(
    town: Town, files: FakeWebsite, path: str, answer: Answer, said: str
) -> None:
    files.answers[path] = answer
    job = announce_file(town, f"{files.address}{path}")
    town.fetch()
    status, reason = town.standing(job)
    assert status == "failed"
    assert said in reason


def test_a_file_whose_server_does_not_know_its_kind_is_told_by_its_suffix(
    town: Town, files: FakeWebsite
) -> None:
    files.answers["/fees.PDF?v=2"] = Answer(FEES, headers={"Content-Type": "application/octet-stream"})
    announce_file(town, f"{files.address}/fees.PDF?v=2")
    town.fetch()
    assert b64decode(town.text() or "") == FEES


def test_a_file_within_the_own_network_is_not_fetched(town: Town) -> None:
    job = announce_file(town, "http://169.254.169.254/secrets.pdf")
    town.fetch()
    status, reason = town.standing(job)
    assert (status, reason.partition(":")[0]) == ("failed", "invalid")


def test_an_announced_page_comes_with_what_it_says_and_the_announced_revision(town: Town) -> None:
    town.cms.save("p", "text", revision=None)
    job = town.announce(revision=7)
    assert (town.fetch(), town.fetch()) == (True, False)
    [stored] = town.store.read([ref()])
    assert stored.page is not None
    assert (stored.page.revision, town.text()) == (7, "text")
    index(town.store)
    assert town.standing(job) == ("indexed", "")


def test_a_page_announced_before_its_cms_has_committed_it_is_awaited(town: Town) -> None:
    job = town.announce(revision=1)
    for seconds in (1, 1, 2, 4, 8, 16, 32, 60, 60):
        assert (town.fetch(), town.fetch()) == (True, False)
        assert town.standing(job) == ("waiting", "not_there_yet")
        town.clock.advance(seconds - 0.001)
        assert not town.fetch()
        town.clock.advance(0.001)
    town.cms.save("p", "text")
    assert town.fetch()
    index(town.store)
    assert (town.standing(job), town.text()) == (("indexed", ""), "text")


def test_an_older_version_than_the_announced_one_counts_as_not_there_yet(town: Town) -> None:
    town.cms.save("p", "old")
    job = town.announce(revision=2)
    town.fetch()
    assert (town.standing(job), list(town.page_list.records())) == (("waiting", "not_there_yet"), [])
    town.cms.save("p", "new")
    town.clock.advance(1)
    town.fetch()
    assert (town.standing(job), town.text()) == (("queued", ""), "new")


def test_a_newer_version_than_the_announced_one_will_do(town: Town) -> None:
    town.cms.save("p", "one")
    first = town.announce(revision=1)
    town.cms.save("p", "two")
    town.fetch()
    second = town.announce(revision=2)
    town.fetch()
    index(town.store)
    assert [town.standing(job)[0] for job in (first, second)] == ["indexed", "unchanged"]


@pytest.mark.parametrize("comes", [None, "old"])
def test_a_page_that_does_not_come_for_a_quarter_of_an_hour_fails_and_nothing_is_deleted(
    town: Town, comes: str | None
) -> None:
    town.cms.save("p", "old")
    town.announce()
    town.fetch()
    index(town.store)
    if comes is None:
        town.cms.delete("p")
    job = town.announce(revision=2)
    town.clock.advance(COMMIT_TIME.total_seconds() - 1)
    town.fetch()
    assert town.standing(job) == ("waiting", "not_there_yet")
    town.clock.advance(60)
    town.fetch()
    status, reason = town.standing(job)
    assert (status, reason.partition(":")[0]) == ("failed", "invalid")
    assert "no page at its address" in reason or "revision 2 was announced, but 1 was sent" in reason
    assert town.deliveries.job(job.id).finished_at == NOON + COMMIT_TIME + timedelta(seconds=59)
    assert [item.document for item in town.page_list.rejected("town")] == ["p (de)"]
    assert (town.text(), town.store.counts(), town.store.pending()) == ("old", {"indexed": 1}, 0)
    town.cms.save("p", "back", revision=3)
    again = town.announce(revision=3)
    town.fetch()
    assert (town.text(), town.standing(again)[0], town.page_list.rejected()) == ("back", "queued", [])


@pytest.mark.parametrize("revision", [5, None])
def test_a_delete_that_comes_while_the_page_is_fetched_wins(town: Town, revision: int | None) -> None:
    town.cms.save("p", "text", revision=revision)
    job = town.announce(revision=revision)
    event = Delete(source="town", id="p", language="de", revision=revision)
    town.after_fetch = lambda: town.send(event)
    town.fetch()
    index(town.store)
    assert (town.text(), town.standing(job)[0], town.store.pending()) == (None, "superseded", 0)


def test_a_newer_save_with_fields_that_comes_while_the_page_is_fetched_wins(town: Town) -> None:
    town.cms.save("p", "five", revision=5)
    job = town.announce(revision=5)
    newer = RawPage(ref=ref(), document="p", url="https://town.example/p", fields={}, revision=6)
    town.after_fetch = lambda: town.send(Save(page=newer))
    town.fetch()
    index(town.store)
    [stored] = town.store.read([ref()])
    assert stored.page is not None
    assert (stored.page.revision, town.standing(job), town.fetch()) == (6, ("indexed", ""), False)


def test_a_worker_that_dies_between_fetching_and_accepting_leaves_the_page_to_the_next(town: Town) -> None:
    town.cms.save("p", "text")
    job = town.announce(revision=1)

    def die() -> None:
        raise KilledError

    town.after_fetch = die
    with suppress(KilledError):
        town.fetch("dead")
    town.after_fetch = lambda: None
    assert (town.standing(job), town.fetch()) == (("running", ""), False)
    town.store.release("dead")
    assert (town.standing(job), town.fetch()) == (("queued", ""), True)
    index(town.store)
    assert (town.standing(job), town.text()) == (("indexed", ""), "text")


def test_a_source_that_is_away_is_asked_for_one_page_at_a_time_and_all_come_when_it_is_back(
    town: Town,
) -> None:
    jobs = [town.announce(page_id) for page_id in ("a", "b", "c")]
    for page_id in ("a", "b", "c"):
        town.cms.save(page_id, page_id)
        town.cms.wrong[f"/pages/{page_id}"] = Reply(status=503)
    for _ in range(10):
        assert (town.fetch(), town.fetch()) == (True, False)
        assert {town.standing(job) for job in jobs} == {("waiting", "source_unavailable")}
        town.clock.advance(30)
    assert len(town.cms.fetched()) == 10
    town.cms.wrong.clear()
    while town.fetch():
        pass
    index(town.store)
    assert {town.standing(job) for job in jobs} == {("indexed", "")}


def test_a_source_is_left_alone_for_as_long_as_it_asks(town: Town) -> None:
    job = town.announce()
    town.cms.save("p", "text")
    town.cms.wrong["/pages/p"] = Reply(status=429, headers={"Retry-After": "50"})
    town.fetch()
    town.cms.wrong.clear()
    town.clock.advance(49)
    assert (town.fetch(), town.standing(job)) == (False, ("waiting", "source_unavailable"))
    town.clock.advance(1)
    assert town.fetch()


@pytest.mark.parametrize("asked", ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_source_that_asks_for_years_is_tried_within_an_hour(town: Town, asked: str) -> None:
    town.announce()
    town.cms.save("p", "text")
    town.cms.wrong["/pages/p"] = Reply(status=503, headers={"Retry-After": asked})
    town.fetch()
    town.cms.wrong.clear()
    town.clock.advance(3_600)
    assert (town.fetch(), town.text()) == (True, "text")


def test_a_source_that_is_not_configured_any_more_makes_its_pages_wait(town: Town) -> None:
    town.cms.save("p", "text")
    job = town.announce()
    town.is_configured = False
    town.fetch()
    assert town.standing(job) == ("waiting", "invalid_settings")
    town.is_configured = True
    town.clock.advance(30)
    assert (town.fetch(), town.text()) == (True, "text")


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Reply(body=b"[]"), "invalid: the page is not a JSON object"),
        (Reply(body=b'{"text": "x", "id": "other"}'), "invalid: the server sent page 'other' (de)"),
        (Reply(body=b"<html>", headers={"Content-Type": "text/html"}), "unsupported: "),
        (Reply(status=302, headers={"Location": "http://169.254.169.254/"}), "invalid: "),
        (Reply(status=403), "invalid: "),
    ],
)
def test_a_page_that_cannot_be_read_fails_at_once_and_alone(town: Town, reply: Reply, complaint: str) -> None:
    town.cms.save("good", "text")
    town.cms.wrong["/pages/bad"] = reply
    bad, good = town.announce("bad"), town.announce("good")
    while town.fetch():
        pass
    status, reason = town.standing(bad)
    assert (status, reason.startswith(complaint)) == ("failed", True)
    assert (town.standing(good), town.text("good")) == (("queued", ""), "text")


@pytest.mark.parametrize(
    "page_id",
    ["../listing", "../../_cluster", "a/b?c=d#e", "@169.254.169.254/", "//evil.example", "%2e%2e", "."],
)
def test_whatever_an_id_looks_like_it_stays_one_part_of_the_pages_address(town: Town, page_id: str) -> None:
    job = town.announce(page_id)
    town.fetch()
    expected: Any = [page_id] if page_id != "." else []
    assert town.cms.fetched() == expected
    assert town.standing(job)[0] == ("waiting" if expected else "failed")
