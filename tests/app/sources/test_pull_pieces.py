"""Pulls that are stopped, or whose process ends: the next worker goes on with them, and comes to the same."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.errors import NeedsAttentionError, PageError, SourceUnavailableError
from app.pages.pulls import FATAL_TIME
from app.settings.sources import SourceSettings
from app.sources.deletion_guard import DeletionGuard
from app.sources.factory import DEAD_SECONDS, next_pull
from app.sources.pull import recipe_of
from app.sources.pull_result import PullResult
from ingest.fetching.validators import Validators
from ingest.protocols import FetchedDocument
from ingest.types import Delete, ListingItem, PageRef, RawField, RawPage, Save
from tests.app.sources.test_pull import FORTY, Town, long_text, ref
from tests.fakes.cms import FakeCms, Reply

PIECE = 15
UNDATED: dict[str, Any] = {"revision": None, "updated": None}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """A CMS with pages p0 to p39, of which it tells neither revision nor date; nothing is pulled yet."""
    with FakeCms() as cms:
        for number in range(40):
            cms.save(f"p{number}", f"text {number}", **UNDATED)
        town = Town(cms, tmp_path)
        yield town
        town.engine.dispose()


def piece(town: Town, pages: int = PIECE) -> PullResult:
    """Pull until so many pages were fetched."""
    turns = iter([False] * pages)
    return town.pull(stop=lambda: next(turns, True))


def pieces(town: Town, pages: int = PIECE) -> list[PullResult]:
    """Pull to the end, so many pages at a time."""
    results = [piece(town, pages)]
    while results[-1].left:
        results.append(piece(town, pages))
    return results


def send_text(town: Town, page_id: str, text: str) -> None:
    """Save a page with another text, as its CMS would by an event."""
    [stored] = town.store.read([ref(page_id)])
    assert stored.page is not None
    content = replace(stored.page.fields["content"], text=text)
    town.store.accept([Save(page=replace(stored.page, fields={**stored.page.fields, "content": content}))])


def rejected(town: Town) -> dict[str, str]:
    """Why pages could not be read, as the console shows it."""
    return {each.document: each.message for each in town.page_list.rejected("town")}


def test_pages_without_date_are_fetched_once_in_all_pieces_of_a_pull(town: Town) -> None:
    assert [result.left for result in pieces(town)] == [25, 10, 0]
    assert (town.ids(), sorted(town.cms.fetched())) == (FORTY, FORTY)
    last = town.log.by_source()["town"]
    assert (last.complete_at, last.done, last.left) == (last.finished_at, 0, 0)
    assert [result.left for result in pieces(town)] == [25, 10, 0]
    assert sorted(town.cms.fetched()) == FORTY


def test_pages_that_cannot_be_read_are_tried_once_in_all_pieces_and_named_at_the_end(town: Town) -> None:
    town.cms.wrong = {f"/pages/p{number}": Reply(body=b"no JSON") for number in range(30)}
    first = piece(town)
    assert len(first.failures) == 15
    last = pieces(town)[-1]
    assert (len(last.failures), len(rejected(town)), len(town.ids())) == (30, 30, 10)
    assert town.problem == "30 pages cannot be read"


def test_a_page_that_changes_between_two_pieces_is_fetched_again(town: Town) -> None:
    town.cms.save("p0", "dated")
    piece(town)
    town.cms.save("p0", "new")
    pieces(town)
    assert town.text("p0") == "new"


def test_a_page_that_vanished_counts_once_in_a_pull_of_many_pieces(town: Town) -> None:
    pieces(town)
    town.cms.delete("p3")
    assert [len(result.deleted) for result in pieces(town)] == [0, 0, 0]
    assert [len(result.deleted) for result in pieces(town)] == [0, 0, 1]


def test_a_full_pull_goes_on_as_one_though_only_news_are_due(town: Town) -> None:
    pieces(town)
    town.cms.save("p39", "text", updated="2026-11-20T00:00:00+00:00")
    pieces(town)
    town.table.full_every = 86_400
    town.cms.fetched()
    piece(town)
    while town.puller.pull_scheduled("town").left:
        pass
    assert sorted(town.cms.fetched()) == [page for page in FORTY if page != "p39"]


def test_a_cms_that_broke_is_found_out_by_all_pieces_together(town: Town) -> None:
    for number in range(40):
        town.cms.save(f"p{number}", long_text(number), **UNDATED)
    pieces(town, 40)
    for number in range(40):
        town.cms.save(f"p{number}", "Error", **UNDATED)
    town.cms.fetched()
    with pytest.raises(NeedsAttentionError, match="40 of 40 pages lost much of their text"):
        pieces(town)
    assert len(town.cms.fetched()) == 40
    assert all(town.text(page) != "Error" for page in FORTY)
    town.log.decide("town", "taken_over", "ada")
    pieces(town)
    assert all(town.text(page) == "Error" for page in FORTY)


def test_pages_that_are_held_in_one_piece_are_stored_by_the_last(town: Town) -> None:
    pieces(town, 40)
    for number in range(40):
        town.cms.save(f"p{number}", f"{long_text(number)} \ud800", **UNDATED)
    piece(town, 5)
    assert town.text("p0") == "text 0"
    pieces(town)
    assert all("office" in town.text(page) for page in FORTY)


def test_what_a_cms_sends_between_two_pieces_is_not_overwritten_by_what_is_held(town: Town) -> None:
    pieces(town, 40)
    for number in range(40):
        town.cms.save(f"p{number}", long_text(number), **UNDATED)
    piece(town, 5)
    town.cms.save("p0", "sent", **UNDATED)
    send_text(town, "p0", "sent")
    pieces(town)
    assert town.text("p0") == "sent"
    assert all("office" in town.text(page) for page in FORTY if page != "p0")


def test_what_a_cms_sends_while_its_page_is_held_is_not_overwritten_in_the_same_piece(town: Town) -> None:
    def send(item: ListingItem) -> None:
        if item.ref.id == "p9":
            send_text(town, "p0", "sent")
            town.store.accept([Delete(source="town", id="p1", language="de")])

    pieces(town, 40)
    for number in range(40):
        town.cms.save(f"p{number}", long_text(number), **UNDATED)
    town.on_page = send
    town.pull()
    assert (town.text("p0"), "p1" in town.ids()) == ("sent", False)
    assert all("office" in town.text(page) for page in FORTY if page not in {"p0", "p1"})


def test_what_could_not_be_stored_as_its_cms_sent_it_meanwhile_is_fetched_by_the_next_pull(
    town: Town,
) -> None:
    town.pull()
    town.cms.save("p0", "fetched", revision=None)
    town.on_page = lambda _item: send_text(town, "p0", "sent")
    town.pull()
    assert town.text("p0") == "sent"
    town.on_page = lambda _item: None
    town.pull()
    assert town.text("p0") == "fetched"


def test_a_person_who_confirms_deletions_has_all_pages_looked_at_again(town: Town) -> None:
    piece(town)
    town.cms.fetched()
    town.pull(confirm_deletions=True)
    assert sorted(town.cms.fetched()) == FORTY


def test_a_pull_that_was_interrupted_twice_goes_on_with_the_page_that_it_had_begun(town: Town) -> None:
    def interrupt(item: ListingItem) -> None:
        if item.ref.id == "p5":
            raise KeyboardInterrupt

    town.on_page = interrupt
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            town.pull()
    town.on_page = lambda _item: None
    town.cms.fetched()
    pieces(town)
    assert (town.ids(), "p5" in town.cms.fetched()) == (FORTY, True)


def deadly(town: Town, page_id: str) -> None:
    """Let a page take all memory."""

    def read(item: ListingItem) -> None:
        if item.ref.id == page_id:
            raise MemoryError

    town.on_page = read


def test_a_page_that_ended_two_pulls_is_left_out_of_the_third_and_tried_again_after_a_week(
    town: Town,
) -> None:
    deadly(town, "p3")
    for _ in range(2):
        with pytest.raises(MemoryError):
            town.pull()
    assert town.pull().left == 0
    assert rejected(town) == {"p3 (de)": "reading this page crashed the worker twice"}
    assert town.ids() == [page for page in FORTY if page != "p3"]
    town.pull()
    town.clock.advance(FATAL_TIME.total_seconds())
    with pytest.raises(MemoryError):
        town.pull()
    town.on_page = lambda _item: None
    assert len(town.pull().failures) == 1
    town.clock.advance(FATAL_TIME.total_seconds())
    assert (town.pull().failures, town.ids()) == ({}, FORTY)


def test_a_page_that_was_read_in_the_end_is_no_longer_held_to_be_deadly(town: Town) -> None:
    for _ in range(3):
        deadly(town, "p3")
        with pytest.raises(MemoryError):
            town.pull()
        town.on_page = lambda _item: None
        assert town.pull().failures == {}


def test_a_pull_that_ended_a_worker_waits_before_it_goes_on(town: Town) -> None:
    deadly(town, "p0")
    town.table.every = 86_400
    with pytest.raises(MemoryError):
        town.pull()
    last = town.log.by_source()["town"]
    due = next_pull(town.table, last, town.clock())
    assert due is not None
    assert (due - last.started_at).total_seconds() == DEAD_SECONDS


def test_a_pull_whose_process_died_is_due_at_once_where_a_person_wants_it(town: Town) -> None:
    town.table.every = 86_400
    town.log.begin("town", "dead")
    town.log.hasten("town", "Ann")
    assert town.puller.due() == [], "nobody knows yet that it died"
    town.clock.advance(300)
    town.log.hasten("town", "Ann")
    assert town.puller.due() == ["town"]


def test_a_page_that_ended_pulls_which_a_person_wanted_at_once_is_left_out(town: Town) -> None:
    deadly(town, "p0")
    town.table.every = 86_400
    for _ in range(2):
        with pytest.raises(MemoryError):
            town.pull()
        town.log.hasten("town", "Ann")
        assert town.puller.due() == ["town"]
    assert town.pull().left == 0
    assert town.ids() == FORTY[1:]


def test_a_halt_ends_with_the_last_piece_of_a_pull_of_all_pages(town: Town) -> None:
    def save_all(text: Callable[[int], str]) -> None:
        for number in range(40):
            town.cms.save(f"p{number}", text(number), **UNDATED)

    save_all(long_text)
    town.pull()
    save_all(lambda _number: "Error")
    with pytest.raises(NeedsAttentionError):
        town.pull()
    save_all(long_text)
    piece(town)
    assert town.log.by_source()["town"].halt == "halted"
    town.pull(full=False)
    assert town.log.by_source()["town"].halt == ""


class Acts:
    """A source of documents, each of so many ``units``. ``asked``: what was fetched; ``broken``: what cannot
    be had."""

    name = "law"

    def __init__(self, number: int) -> None:
        self.refs = [PageRef(source="law", id=f"act-{index}", language="de") for index in range(number)]
        self.asked: list[str] = []
        self.broken: dict[str, Exception] = {}
        self.units = 1

    def documents(self) -> Iterator[str]:
        return iter(())

    def pages(self, document: str) -> Sequence[RawPage] | None:
        raise NotImplementedError

    def wanted(self) -> Sequence[PageRef]:
        return self.refs

    def fetch(self, wanted: PageRef, known: Validators) -> FetchedDocument | None:
        self.asked.append(wanted.id)
        if error := self.broken.get(wanted.id):
            raise error
        if known.etag:
            return None
        field = RawField(text=f"Text of {wanted.id}.", media_type="text/plain")
        page = RawPage(ref=wanted, document=wanted.id, url="", fields={"content": field})
        refs = [wanted, *(replace(wanted, id=f"{wanted.id}#{unit}") for unit in range(1, self.units))]
        pages = tuple(replace(page, ref=ref) for ref in refs)
        return FetchedDocument(name=wanted.id, pages=pages, validators=Validators(etag="e"))


def pull_acts(town: Town, acts: Acts, documents: int, *, confirmed: bool = False) -> PullResult:
    """Pull so many acts."""
    turns = iter([False] * documents)
    guard = DeletionGuard(command="", confirmed=confirmed)
    return town.puller.pull_source(acts, recipe="", guard=guard, stop=lambda: next(turns, True))


def test_acts_are_asked_for_once_in_all_pieces_of_a_pull(town: Town) -> None:
    acts = Acts(50)
    acts.broken["act-3"] = PageError("invalid", "no act")
    acts.broken["act-7"] = SourceUnavailableError("away")
    for again in (False, True):
        left = [pull_acts(town, acts, 22).left for _ in range(3)]
        assert (left, acts.asked) == ([28, 6, 0], [item.id for item in acts.refs])
        last = town.log.by_source()["law"]
        assert last.problem == "1 pages could not be fetched, 1 pages cannot be read", again
        assert (last.done, last.left) == (0, 0)
        acts.asked.clear()
    assert len(town.store.refs("law")) == 48


def test_confirmed_deletions_reach_acts_that_an_earlier_piece_refused(town: Town) -> None:
    acts = Acts(3)
    acts.units = 10
    pull_acts(town, acts, 3)
    acts.units = 1
    town.log.forget_versions("law")
    assert len(pull_acts(town, acts, 2).failures) == 2
    assert pull_acts(town, acts, 3, confirmed=True).failures == {}
    assert len(town.store.refs("law")) == 3


def test_a_source_that_is_set_up_anew_between_two_pieces_is_pulled_from_the_start(town: Town) -> None:
    piece(town)
    town.table = SourceSettings(kind="cms", page_url="https://other.example/{id}")
    town.puller = town.puller_of("worker")
    assert piece(town).left == 25
    fetched = town.cms.fetched()
    assert (len(fetched), len(set(fetched))) == (30, 15)


def test_another_website_of_the_same_name_has_another_recipe() -> None:
    table = SourceSettings(kind="website")
    first, other = (recipe_of(table, address=f"https://{host}.example/", language=None) for host in "ab")
    assert first != other
    assert first == recipe_of(table, address="https://a.example/")
    assert first != recipe_of(table, address="https://a.example/", language="de")
