"""Events that come twice, late, in the wrong order or with a wrong clock, over HTTP: the gate must hold, and
what is served is the newest."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random
from typing import Final

import httpx
import pytest

from app.sources.signatures import headers
from tests.faults.gate import gate
from tests.faults.installation import SECRET, SOURCE, Event, Installation
from tests.faults.worker_group import PATIENCE_SECONDS, wait_until

THREADS: Final = 10
HISTORIES: Final = 12
EDITS: Final = 5
EDITS_DURING_REBUILD: Final = 10
REBUILDS: Final = (("reindex",), ("reindex", "--queue", "--wait"))


def statuses(installation: Installation, *events: Event) -> list[str]:
    """What becomes of events that come in this order."""
    jobs = [job for event in events for job in installation.send(event)]
    gate(installation.services)
    return [installation.status(job)[0] for job in jobs]


def test_the_same_message_from_ten_threads_has_one_effect(installation: Installation) -> None:
    before = installation.services.store.watermark()
    events = [installation.version(f"twin-{number}") for number in range(20)]
    with ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(lambda _: installation.deliver("twins", *events), range(THREADS)))
    assert all(answer == answers[0] for answer in answers)
    gate(installation.services)
    assert installation.services.store.watermark() == before + 20


def test_whatever_comes_late_or_twice_the_highest_revision_is_served(
    installation: Installation, random: Random
) -> None:
    histories = [history(installation, f"history-{number}", random) for number in range(HISTORIES)]
    messages = [(f"{event['id']}-{event['revision']}", event) for events in histories for event in events]
    messages += random.sample(messages, HISTORIES)
    random.shuffle(messages)
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda message: installation.deliver(*message), messages))
    gate(installation.services)
    for events in histories:
        assert installation.text(events[-1]["id"]) == events[-1].get("markdown"), events


def history(installation: Installation, page_id: str, random: Random) -> list[Event]:
    """Saves and deletes of a page, with rising revisions."""
    saves = random.choices([True, False], [3, 1], k=EDITS)
    return [installation.version(page_id) if save else installation.deletion(page_id) for save in saves]


def test_of_equal_revisions_the_later_arrival_is_served(installation: Installation) -> None:
    first, second = (installation.version("equal", revision=7) for _ in range(2))
    assert statuses(installation, first, second)[1] == "indexed"
    assert installation.text("equal") == second["markdown"]


def test_a_deleted_page_comes_back_only_with_a_higher_revision_or_by_being_published_again(
    installation: Installation,
) -> None:
    assert statuses(installation, installation.version("phoenix", revision=3)) == ["indexed"]
    deleted = installation.deletion("phoenix", revision=5)
    late = installation.version("phoenix", revision=4)
    assert statuses(installation, deleted, late) == ["indexed", "superseded"]
    assert installation.text("phoenix") is None
    published = installation.version("phoenix", revision=2, republish=True)
    assert statuses(installation, published) == ["indexed"]
    assert installation.text("phoenix") == published["markdown"]


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_message_of_two_hours_ago_or_ahead_is_refused_with_both_clocks(
    installation: Installation, hours: int
) -> None:
    body = json.dumps(installation.version("untimely")).encode()
    sent = int(time.time()) + hours * 3600
    address = f"{installation.url}/api/sources/{SOURCE}/events"
    signed = {"Content-Type": "application/json", **headers(SECRET, f"clock{hours}", sent, body)}
    answer = httpx.post(address, content=body, headers=signed)
    assert answer.status_code == 401
    theirs, ours = datetime.fromtimestamp(sent, UTC), datetime.now(UTC)
    for clock in (theirs, ours):
        assert f"{clock:%Y-%m-%d %H:}" in answer.json()["detail"]
    gate(installation.services)
    assert installation.text("untimely") is None


def test_what_the_pages_say_of_their_time_changes_no_order(installation: Installation) -> None:
    newer = installation.version("dated", updated="2026-11-21T08:00:00+00:00")
    newest = installation.version("dated", updated="2026-11-21T06:00:00+00:00")
    assert statuses(installation, newer, newest)[1] == "indexed"
    assert installation.text("dated") == newest["markdown"]


@pytest.mark.parametrize("command", REBUILDS)
def test_what_is_edited_during_a_rebuild_is_in_it(
    installation: Installation, command: tuple[str, ...], random: Random
) -> None:
    pages = installation.new_pages(20)
    gate(installation.services)
    before = installation.services.indexing.index.live()
    rebuild = installation.start(*command)
    wait_until(installation.services.builds.current)
    for _ in range(EDITS_DURING_REBUILD):
        edit(installation, pages, random)
    assert rebuild.process.wait(PATIENCE_SECONDS) == 0
    gate(installation.services)
    assert installation.services.indexing.index.live() != before


def edit(installation: Installation, pages: list[str], random: Random) -> None:
    """A page is saved or deleted, or there is a new one."""
    page = random.choice(pages)
    match random.choice(("save", "delete", "new")):
        case "save":
            installation.save([page])
        case "delete":
            installation.send(installation.deletion(page))
        case "new":
            pages += installation.new_pages(1)
