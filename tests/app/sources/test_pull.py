"""Pulling from a CMS: what is fetched, what is deleted, and what a CMS in trouble cannot do to the pages."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import (
    ConflictError,
    HaltReason,
    NeedsAttentionError,
    NotFoundError,
    SettingsError,
    SourceError,
    SourceUnavailableError,
)
from app.pages.counters import PULLS, Counters
from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.pulls import PullLog
from app.pages.store import PageStore
from app.settings.settings import Settings
from app.settings.sources import SourceSettings
from app.sources.factory import make_source
from app.sources.pull import Puller
from app.sources.pull_pages import ACCEPT_PAGES
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW, PullResult
from ingest.sources.cms import CmsSource
from ingest.types import Delete, ListingItem, PageRef, RawPage
from tests.contracts.page_store.helpers import Clock
from tests.fakes.cms import FakeCms, Reply
from tests.fakes.databases import new_sqlite
from tests.ingest.fetching.conftest import fetcher


class Town:
    """An installation that pulls source ``town`` from a CMS."""

    def __init__(self, cms: FakeCms, folder: Path) -> None:
        self.cms = cms
        self.clock = Clock()
        self.engine = open_engine(new_sqlite(folder / "pages.sqlite"))
        self.store = PageStore(self.engine, clock=self.clock)
        self.page_list = PageList(self.engine)
        self.log = PullLog(self.engine, self.clock)
        self.table = SourceSettings(kind="cms")
        self.woken: list[int] = []
        self.on_listing: Callable[[], object] = lambda: None
        self.on_page: Callable[[ListingItem], object] = lambda _listed: None
        self.puller = self.puller_of("worker")

    def puller_of(self, worker: str) -> Puller:
        return Puller(
            store=self.store,
            pulls=self.log,
            worker=worker,
            settings_by_source={"town": self.table},
            source_of=lambda name: _Source(self, name),
            wake=self.woken.append,
            clock=self.clock,
        )

    def pull(self, **how: Any) -> PullResult:
        """Pull, a minute after what came before."""
        self.clock.advance(60)
        return self.puller.pull("town", **how)

    def ids(self) -> list[str]:
        """The pages that are there."""
        return [ref.id for ref in self.store.refs("town")]

    def text(self, page_id: str) -> str:
        """A page's content."""
        [stored] = self.store.read([ref(page_id)])
        assert stored.page is not None
        return stored.page.fields["content"].text

    @property
    def problem(self) -> str:
        return self.log.by_source()["town"].problem


class _Source(CmsSource):
    """While it is listed, or a page of it fetched, something else may happen."""

    def __init__(self, town: Town, name: str) -> None:
        super().__init__(name=name, fetcher=fetcher(), **town.cms.options())
        self._town = town

    def listing(self, updated_after: datetime | None = None) -> Sequence[ListingItem]:
        self._town.on_listing()
        return super().listing(updated_after)

    def page(self, listed: ListingItem) -> RawPage | None:
        self._town.on_page(listed)
        return super().page(listed)


def ref(page_id: str, language: str = "de") -> PageRef:
    return PageRef(source="town", id=page_id, language=language)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """A CMS with pages p0 to p9; nothing is pulled yet."""
    with FakeCms() as cms:
        for number in range(10):
            cms.save(f"p{number}", f"text {number}")
        town = Town(cms, tmp_path)
        yield town
        town.engine.dispose()


ALL = [f"p{number}" for number in range(10)]
FORTY = sorted(f"p{number}" for number in range(40))


@pytest.fixture
def forty(town: Town) -> Town:
    """The same with pages p0 to p39, which are pulled."""
    for number in range(10, 40):
        town.cms.save(f"p{number}", f"text {number}")
    town.pull()
    return town


def test_the_first_pull_fetches_every_page(town: Town) -> None:
    result = town.pull()
    assert (result.listed, [ref.id for ref in result.changed], result.unchanged) == (10, ALL, 0)
    assert town.ids() == town.cms.fetched() == ALL
    assert town.text("p7") == "text 7"
    assert sum(town.woken) == 10
    assert town.problem == ""


def test_the_next_pull_fetches_only_what_changed(town: Town) -> None:
    town.pull()
    town.cms.fetched()
    town.cms.save("p3", "new text")
    town.cms.save("p5", "new text", updated=None)
    town.cms.save("new", "a page")
    result = town.pull()
    assert town.cms.fetched() == ["new", "p3", "p5"]
    assert (len(result.changed), result.unchanged) == (3, 8)
    assert (town.text("p3"), town.text("new")) == ("new text", "a page")
    assert (town.pull().unchanged, town.cms.fetched()) == (11, [])


def test_pages_without_revision_are_fetched_when_their_date_changed(town: Town) -> None:
    town.cms.save("p3", "one", revision=None)
    town.pull()
    town.cms.fetched()
    assert (town.pull().changed, town.cms.fetched()) == ([], [])
    town.cms.save("p3", "two", revision=None, updated="2026-11-20T00:00:00+00:00")
    assert (town.pull().changed, town.text("p3")) == ([ref("p3")], "two")


def test_pages_without_revision_and_date_are_fetched_each_time_and_taken_when_they_changed(
    town: Town,
) -> None:
    town.cms.save("p3", "one", revision=None, updated=None)
    town.pull()
    town.cms.fetched()
    assert [ref.id for ref in town.pull().changed] == []
    assert town.cms.fetched() == ["p3"]
    town.cms.save("p3", "two", revision=None, updated=None)
    assert [ref.id for ref in town.pull().changed] == ["p3"]
    assert town.text("p3") == "two"


def test_a_page_goes_when_two_complete_listings_in_a_row_lack_it(town: Town) -> None:
    town.pull()
    town.cms.delete("p3", "p4")
    first = town.pull()
    assert (first.absent, first.deleted, town.ids()) == (2, [], ALL)
    second = town.pull()
    assert (second.absent, second.deleted) == (0, [ref("p3"), ref("p4")])
    assert town.ids() == [page_id for page_id in ALL if page_id not in ("p3", "p4")]
    assert town.pull().deleted == []


def test_a_page_that_is_listed_again_between_is_not_deleted(town: Town) -> None:
    town.pull()
    page = town.cms.pages.pop(("p3", "de"))
    town.pull()
    town.cms.pages["p3", "de"] = page
    town.pull()
    town.cms.delete("p3")
    assert town.pull().deleted == []
    assert town.ids() == ALL


def test_a_listing_that_fails_between_two_complete_ones_does_not_count(town: Town) -> None:
    town.pull()
    town.cms.delete("p3")
    town.pull()
    town.cms.wrong["/listing?page=2"] = Reply(status=500)
    for _ in range(3):
        with pytest.raises(SourceUnavailableError):
            town.pull()
        assert town.ids() == ALL
    town.cms.wrong.clear()
    assert town.pull().deleted == [ref("p3")]


def test_a_page_that_was_deleted_for_its_absence_returns_when_it_is_listed_again(town: Town) -> None:
    town.pull()
    page = town.cms.pages.pop(("p3", "de"))
    town.pull()
    town.pull()
    assert "p3" not in town.ids()
    town.cms.pages["p3", "de"] = page
    assert town.pull().changed == [ref("p3")]
    assert town.ids() == ALL


def test_a_page_that_an_event_deleted_returns_only_with_a_higher_revision(town: Town) -> None:
    town.pull()
    town.store.accept([Delete(source="town", id="p3", language="de", revision=3)])
    for revision in (2, 3):
        town.cms.save("p3", f"revision {revision}")
        assert town.pull().changed == []
        assert "p3" not in town.ids()
    town.cms.save("p3", "again")
    assert town.pull().changed == [ref("p3")]


def test_a_page_that_an_event_deletes_at_the_last_moment_does_not_return_as_one_that_was_absent(
    town: Town,
) -> None:
    town.pull()
    page = town.cms.pages.pop(("p3", "de"))
    town.pull()
    event = Delete(source="town", id="p3", language="de", revision=3)
    town.on_listing = lambda: town.store.accept([event])
    assert town.pull().deleted == []
    town.cms.pages["p3", "de"] = page
    assert (town.pull().changed, "p3" in town.ids()) == ([], False)


def test_a_page_that_an_event_deletes_after_it_was_fetched_does_not_return(town: Town) -> None:
    town.pull()
    town.cms.save("p3", "the last version")
    town.cms.save("p4", "edited")

    def delete_fetched(_done: int, _total: int) -> None:
        town.store.accept([Delete(source="town", id="p3", language="de")])

    assert town.pull(progress=delete_fetched).changed == [ref("p4")]
    assert "p3" not in town.ids()
    town.cms.save("p3", "again")
    assert town.pull().changed == [ref("p3")]


def test_more_than_a_fifth_missing_stops_before_anything_is_done_until_a_person_confirms(town: Town) -> None:
    town.pull()
    town.cms.fetched()
    town.cms.delete(*ALL[:5])
    town.cms.save("p9", "new text")
    for _ in range(3):
        with pytest.raises(NeedsAttentionError) as refusal:
            town.pull()
        assert "5 of 10 pages of source 'town' are missing: nothing was deleted" in str(refusal.value)
        assert "`auskunft pull town --confirm-deletions`" in str(refusal.value)
        assert town.log.by_source()["town"].halted_for == (HaltReason(code="missing", count=5, pages=10),)
    assert (town.ids(), town.text("p9"), town.cms.fetched()) == (ALL, "text 9", [])
    result = town.pull(confirm_deletions=True)
    assert [ref.id for ref in result.deleted] == ALL[:5]
    assert (town.text("p9"), town.problem) == ("new text", "")
    assert town.pull().deleted == []


def test_confirming_still_needs_two_listings(town: Town) -> None:
    town.pull()
    town.cms.delete(*ALL[1:])
    assert town.pull(confirm_deletions=True).absent == 9
    assert town.ids() == ALL
    assert len(town.pull(confirm_deletions=True).deleted) == 9


def test_a_fifth_is_not_too_much(forty: Town) -> None:
    forty.cms.delete(*FORTY[:8])
    forty.pull()
    assert len(forty.pull().deleted) == 8


def test_fewer_than_five_pages_go_unasked_however_large_their_share_is(town: Town) -> None:
    town.pull()
    town.cms.delete(*ALL[:4])
    town.pull()
    assert len(town.pull().deleted) == 4


def test_pages_that_go_little_by_little_stop_the_pull_once_they_are_too_many_together(forty: Town) -> None:
    forty.cms.delete(*FORTY[:8])
    assert forty.pull().absent == 8
    forty.cms.delete(*FORTY[8:16])
    with pytest.raises(NeedsAttentionError, match="16 of 40 pages of source 'town' are missing"):
        forty.pull()
    assert forty.ids() == FORTY
    result = forty.pull(confirm_deletions=True)
    assert (len(result.deleted), result.absent) == (16, 0)


def test_the_listing_of_another_website_deletes_nothing_and_brings_nothing_in(forty: Town) -> None:
    forty.cms.delete(*FORTY)
    for number in range(200):
        forty.cms.save(f"other{number}", "x")
    for _ in range(3):
        with pytest.raises(NeedsAttentionError, match="40 of 40 pages"):
            forty.pull()
    assert forty.ids() == FORTY


def test_pages_that_only_events_brought_are_missed_like_the_others(town: Town) -> None:
    town.pull()
    town.store.accept_documents("town", [make_page(town, "extra")])
    assert (town.pull().absent, town.pull().deleted) == (1, [ref("extra")])


def test_a_page_that_comes_in_while_the_listing_is_read_is_not_missed_by_it(town: Town) -> None:
    town.pull()
    page = make_page(town, "extra")

    town.on_listing = lambda: town.store.accept_documents("town", [page])
    assert town.pull().absent == 0
    assert "extra" in town.ids()


def make_page(town: Town, page_id: str) -> Any:
    """A page as the CMS would give it, without listing it."""
    town.cms.save(page_id, "x")
    source = CmsSource(name="town", fetcher=fetcher(), **town.cms.options())
    [page] = source.pages(page_id) or ()
    town.cms.delete(page_id)
    return page


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b'{"items": [], "next": null}'),
        Reply(body=b"[]"),
        Reply(body=b'{"items": [{"id": "p0", "language": "de"}], "next": null, "total": 10}'),
        Reply(body=b"<html>maintenance"),
        Reply(body=b"<html>maintenance", headers={"Content-Type": "text/html"}),
        Reply(body=b'{"items": [{"id": "p0"', length=500),
        Reply(body=b'{"items": [{"id": "p0", "language": "de"}], "next": "/listing"}'),
        Reply(status=404),
        Reply(status=401),
        Reply(status=500),
    ],
)
def test_a_listing_that_is_empty_wrong_or_away_changes_nothing_however_often(
    town: Town, reply: Reply
) -> None:
    town.pull()
    town.cms.save("p3", "new text")
    town.cms.wrong["/listing"] = reply
    for _ in range(3):
        with pytest.raises((SourceError, SourceUnavailableError)) as failure:
            town.pull(confirm_deletions=True)
        assert town.problem == str(failure.value)
    assert (town.ids(), town.text("p3")) == (ALL, "text 3")
    town.cms.wrong.clear()
    assert town.pull().changed == [ref("p3")]


def test_a_page_that_is_announced_before_it_is_there_is_awaited_for_a_quarter_of_an_hour(town: Town) -> None:
    town.pull()
    town.cms.save("p3", "new text")
    town.cms.save("late", "x")
    town.cms.uncommitted = {("p3", "de"), ("late", "de")}
    first = town.pull()
    assert set(first.waiting) == {ref("p3"), ref("late")}
    assert (first.failures, town.text("p3")) == ({}, "text 3")
    town.cms.uncommitted = {("late", "de")}
    second = town.pull()
    assert (second.changed, list(second.waiting)) == ([ref("p3")], [ref("late")])
    town.clock.advance(timedelta(minutes=15).total_seconds())
    third = town.pull()
    assert (third.waiting, list(third.failures)) == ({}, [ref("late")])
    assert [(item.document, item.reason) for item in town.page_list.rejected("town")] == [
        ("late (de)", "invalid")
    ]
    town.cms.uncommitted = set()
    assert town.pull().changed == [ref("late")]
    assert town.page_list.rejected("town") == []


def test_a_page_that_stops_answering_while_it_is_listed_is_not_deleted(town: Town) -> None:
    town.pull()
    town.cms.save("p3", "new text")
    town.cms.uncommitted = {("p3", "de")}
    for _ in range(3):
        town.pull()
        town.clock.advance(3600)
    assert (town.ids(), town.text("p3")) == (ALL, "text 3")


def test_pages_that_fail_do_not_stop_the_others_and_are_tried_again(town: Town) -> None:
    town.cms.wrong = {"/pages/p3": Reply(status=500), "/pages/p5": Reply(body=b"[]")}
    result = town.pull()
    assert (len(result.changed), list(result.waiting), list(result.failures)) == (8, [ref("p3")], [ref("p5")])
    assert result.problem() == town.problem == "1 pages could not be fetched, 1 pages cannot be read"
    town.cms.wrong.clear()
    town.cms.fetched()
    town.pull()
    assert (town.cms.fetched(), town.ids(), town.problem) == (["p3", "p5"], ALL, "")


def test_a_cms_that_goes_away_meanwhile_is_left_alone_and_what_came_stays(town: Town) -> None:
    town.cms.wrong = {f"/pages/p{number}": Reply(status=503) for number in range(2, 10)}
    with pytest.raises(SourceUnavailableError, match="HTTP 503"):
        town.pull()
    assert (town.ids(), "503" in town.problem) == (["p0", "p1"], True)
    assert len(set(town.cms.fetched())) == 2 + MAX_FAULTS_IN_A_ROW
    town.cms.wrong.clear()
    town.pull()
    assert (town.ids(), len(town.cms.fetched())) == (ALL, 8)


def breaks(*_anything: object) -> None:
    raise ZeroDivisionError("a fault of ours")


def test_a_page_that_breaks_what_reads_it_costs_that_page_alone(town: Town) -> None:
    town.on_page = lambda listed: breaks() if listed.ref.id == "p3" else None
    failures = town.pull().failures
    assert {ref.id: str(why) for ref, why in failures.items()} == {
        "p3": "reading it failed unexpectedly (ZeroDivisionError: a fault of ours): please report this"
    }
    assert town.ids() == sorted({*ALL} - {"p3"})


def test_a_listing_that_breaks_is_the_problem_of_that_pull(town: Town) -> None:
    town.on_listing = breaks
    with pytest.raises(ZeroDivisionError):
        town.pull()
    assert town.problem == "broke: ZeroDivisionError: a fault of ours"


def test_a_page_older_than_its_listing_is_fetched_again(town: Town) -> None:
    town.pull()
    old = town.cms.pages["p3", "de"]
    town.cms.save("p3", "new text")
    town.cms.wrong["/pages/p3"] = Reply(body=b'{"text": "text 3", "revision": 1}')
    town.pull()
    town.cms.wrong.clear()
    assert (town.pull().changed, town.text("p3")) == ([ref("p3")], "new text")
    assert old["revision"] == 1


def test_between_complete_listings_only_what_was_updated_is_listed(town: Town) -> None:
    town.table.full_every = 3600
    town.cms.save("p9", "new text")
    assert town.puller.pull_scheduled("town").listed == 10
    town.clock.advance(600)
    town.cms.save("p3", "new text")
    town.cms.delete("p4")
    result = town.puller.pull_scheduled("town")
    assert (result.listed, result.changed, result.absent) == (2, [ref("p3")], 0)  # p9 is as new as p3
    town.clock.advance(3600)
    assert (town.puller.pull_scheduled("town").absent, town.ids()) == (1, ALL)


def test_what_failed_is_not_forgotten_by_listings_of_updates(town: Town) -> None:
    town.table.full_every = 3600
    town.cms.wrong["/pages/p0"] = Reply(status=500)
    town.cms.save("p9", "newer than p0")
    town.puller.pull_scheduled("town")
    town.cms.wrong.clear()
    town.clock.advance(600)
    assert town.puller.pull_scheduled("town").changed == [ref("p0")]


def test_a_source_is_due_when_its_time_has_come(town: Town) -> None:
    assert town.puller.due() == []
    town.table.every = 300
    assert town.puller.due() == ["town"]
    town.pull()
    assert town.puller.due() == []
    town.clock.advance(300)
    assert town.puller.due() == ["town"]


def test_a_restored_cms_that_numbers_anew_is_believed_after_its_revisions_are_forgotten(town: Town) -> None:
    for _ in range(5):
        town.cms.save("p3", "before the crash")
    town.pull()
    town.cms.pages["p3", "de"] |= {"text": "restored", "revision": 2, "updated": None}
    assert (town.pull().changed, town.text("p3")) == ([], "before the crash")
    town.store.reset_revisions("town")
    town.log.forget_versions("town")
    town.cms.fetched()
    assert (town.pull().changed, town.text("p3")) == ([ref("p3")], "restored")
    assert town.cms.fetched() == ALL


def test_pages_are_accepted_as_they_come_and_not_only_at_the_end(town: Town) -> None:
    for number in range(10, 3 * ACCEPT_PAGES):
        town.cms.save(f"p{number}", "x")
    town.pull()
    assert town.woken == [ACCEPT_PAGES] * 3


def test_a_pull_that_is_stopped_keeps_what_came_and_the_next_one_fetches_the_rest(town: Town) -> None:
    answers = iter([False, False, False, True])
    result = town.puller.pull_scheduled("town", stop=lambda: next(answers))
    assert (len(result.changed), result.left, len(town.ids())) == (3, 7, 3)
    last = town.log.by_source()["town"]
    assert (last.problem, last.done, last.left) == ("", 3, 7)
    town.cms.fetched()
    assert (town.pull().unchanged, len(town.cms.fetched()), town.ids()) == (0, 7, ALL)


def test_pulls_count_by_how_they_ended(town: Town) -> None:
    answers = iter([False, True])
    town.pull(stop=lambda: next(answers))  # has not ended
    town.pull()
    town.cms.delete(*ALL[1:])
    with pytest.raises(NeedsAttentionError):
        town.pull()
    counted = Counters(town.engine).read()
    outcomes = {outcome: counted[name, source, outcome] for name, source, outcome in counted if name == PULLS}
    assert outcomes == {"complete": 1, "needs_attention": 1}


def test_only_one_pull_of_a_source_runs_at_a_time(town: Town) -> None:
    arrived, leave = threading.Event(), threading.Event()

    def wait(_done: int, _total: int) -> None:
        arrived.set()
        leave.wait()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(town.puller.pull, "town", progress=wait)
        arrived.wait()
        with pytest.raises(ConflictError, match="has been pulled since"):
            town.puller_of("other").pull("town")
        leave.set()
        assert len(running.result().changed) == 10
    assert town.problem == ""


def test_a_pull_whose_worker_died_is_given_up(town: Town) -> None:
    town.log.begin("town", "dead")
    with pytest.raises(ConflictError):
        town.pull()
    town.store.release("dead")
    assert town.problem == "the process that pulled it ended"
    assert len(town.pull().changed) == 10


def test_a_pull_that_another_took_over_ends_without_counting_its_listing(town: Town) -> None:
    town.pull()
    town.cms.delete("p3")

    def be_slow() -> None:
        town.on_listing = lambda: None
        town.clock.advance(1000)
        assert town.puller_of("other").pull("town").absent == 1

    town.on_listing = be_slow
    with pytest.raises(ConflictError, match="taken over"):
        town.pull()
    assert town.ids() == ALL
    assert town.pull().deleted == [ref("p3")]


@pytest.mark.parametrize(
    ("table", "name", "error", "complaint"),
    [
        ({"kind": "cms"}, "village", NotFoundError, "no source 'village' in the settings; known: town"),
        ({}, "town", SettingsError, "source 'town' has no kind"),
        ({"kind": "files"}, "town", SettingsError, "source 'town': the kind 'files' cannot be pulled"),
        (
            {"kind": "cms"},
            "town",
            SettingsError,
            "source 'town': source 'cms' cannot be used: option 'listing_url",
        ),
    ],
)
def test_a_source_that_cannot_be_pulled_is_named_with_the_reason(
    tmp_path: Path, table: dict[str, Any], name: str, error: type[Exception], complaint: str
) -> None:
    settings = Settings(data=tmp_path)
    settings.sources["town"] = SourceSettings(**table)
    with pytest.raises(error) as refusal:
        make_source(settings, name, fetcher())
    assert complaint in str(refusal.value)


def save_all(town: Town, text: Callable[[int], str]) -> None:
    for number in range(10):
        town.cms.save(f"p{number}", text(number))


def long_text(number: int) -> str:
    return f"All that there is to know about office {number}. " * 10


def test_a_cms_whose_pages_lost_their_text_keeps_the_old_ones_until_a_person_takes_over(town: Town) -> None:
    save_all(town, long_text)
    town.pull()
    save_all(town, lambda number: f"Error {number}")
    town.cms.save("p9", long_text(9).replace("office", "bureau"))
    with pytest.raises(NeedsAttentionError, match="9 of 10 pages lost much of their text"):
        town.pull()
    assert all(town.text(f"p{number}").startswith("All that") for number in range(9))
    assert "bureau" in town.text("p9")
    assert town.log.by_source()["town"].halted_for == (HaltReason(code="lost", count=9, pages=10),)
    town.log.decide("town", "taken_over", "ada")
    town.pull()
    assert [town.text(f"p{number}") for number in range(9)] == [f"Error {number}" for number in range(9)]
    assert town.log.by_source()["town"].halt == ""


def once(act: Callable[[], object]) -> Callable[[ListingItem], object]:
    """Do it when a page is fetched, and never again."""
    acts = [act]
    return lambda _listed: acts.pop()() if acts else None


@pytest.fixture
def broken(town: Town) -> Town:
    """The same with pages that lost their text, for which a pull was halted."""
    save_all(town, long_text)
    town.pull()
    save_all(town, lambda number: f"Error {number}")
    with pytest.raises(NeedsAttentionError):
        town.pull()
    return town


def test_a_decision_during_a_pull_holds_although_that_pull_is_halted(broken: Town) -> None:
    broken.on_page = once(lambda: broken.log.decide("town", "taken_over", "ada"))
    with pytest.raises(NeedsAttentionError):
        broken.pull()
    assert broken.log.by_source()["town"].halt == "taken_over"
    broken.pull()
    assert broken.text("p0") == "Error 0"


def test_old_pages_that_a_person_keeps_during_a_pull_stay_without_a_problem(broken: Town) -> None:
    broken.on_page = once(lambda: broken.log.decide("town", "kept", "ada"))
    assert "looks broken" in broken.pull().warnings[0]
    assert (broken.log.by_source()["town"].halt, broken.problem) == ("kept", "")


def test_a_pull_that_another_took_over_halts_nothing(town: Town) -> None:
    save_all(town, long_text)
    town.pull()
    save_all(town, lambda number: f"Error {number}")

    def take_over() -> None:
        town.clock.advance(1000)
        town.log.begin("town", "other")

    town.on_page = once(take_over)
    with pytest.raises(ConflictError, match="taken over"):
        town.pull()
    assert town.log.by_source()["town"].halt == ""


def test_the_pull_after_a_decision_is_a_full_one_and_deletes_at_once(town: Town) -> None:
    town.table.full_every = 86_400
    save_all(town, long_text)
    town.pull()
    town.cms.delete(*ALL[4:])
    town.cms.save("p0", "Closed.")
    with pytest.raises(NeedsAttentionError, match="6 of 10 pages"):
        town.pull()
    town.log.decide("town", "taken_over", "ada")
    town.clock.advance(60)
    assert len(town.puller.pull_scheduled("town").deleted) == 6
    assert (town.text("p0"), town.ids()) == ("Closed.", ALL[:4])
    assert town.log.by_source()["town"].halt == ""


@pytest.mark.parametrize("count", [2, 8])
def test_a_pull_that_is_stopped_stores_nothing_that_looks_broken_and_says_nothing_yet(
    town: Town, count: int
) -> None:
    save_all(town, long_text)
    town.pull()
    save_all(town, lambda number: f"Error {number}")
    turns = iter([False] * count)
    assert town.pull(stop=lambda: next(turns, True)).left == 10 - count
    assert not any("Error" in town.text(page) for page in ALL)
    assert town.log.by_source()["town"].halt == ""
    with pytest.raises(NeedsAttentionError, match="10 of 10 pages lost much of their text"):
        town.pull()


@pytest.mark.parametrize("count", [1, 3])
def test_a_few_pages_of_a_cms_may_be_cut(town: Town, count: int) -> None:
    save_all(town, long_text)
    town.pull()
    for number in range(count):
        town.cms.save(f"p{number}", "Closed.")
    town.pull()
    assert [town.text(f"p{number}") for number in range(count)] == ["Closed."] * count
    assert town.problem == ""
