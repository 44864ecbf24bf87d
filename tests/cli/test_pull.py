"""``auskunft pull`` and ``auskunft sources``, as people run them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.common import actor
from app.errors import HaltReason
from app.services import Services
from app.settings.settings import load_settings
from tests.fakes.cms import FakeCms
from tests.fakes.command import Command
from tests.fakes.installation import find
from tests.fakes.website import FakeWebsite


@pytest.fixture
def cms() -> Iterator[FakeCms]:
    with FakeCms() as cms:
        for number, word in enumerate(("library", "museum", "theatre", "swimming", "cinema")):
            cms.save(f"p{number}", f"The {word} opens at nine o'clock.", language="en")
        yield cms


@pytest.fixture
def town(cms: FakeCms, tmp_path: Path) -> Command:
    """An installation whose settings name the CMS."""
    settings = {"kind": "cms", "token": "hush", "every": 300, **cms.options()}
    lines = [f"{name} = {value!r}" for name, value in settings.items()]
    text = "\n".join(['fetch_allow = ["127.0.0.1"]', "[sources.town]", *lines])
    (tmp_path / "auskunft.toml").write_text(text, "utf-8")
    return Command(tmp_path)


MORE = [f"more{number}" for number in range(5)]


def save_more(cms: FakeCms) -> None:
    for page in MORE:
        cms.save(page, f"The page {page} is about something else.", language="en")


def summary(command: Command, *arguments: str) -> str:
    """The first line of a pull that succeeded, without the time."""
    result = command.run("pull", "town", *arguments)
    assert (result.code, result.err) == (0, ""), result
    return result.out.splitlines()[0].partition(" in ")[0]


def found(command: Command, word: str) -> list[str]:
    [ids] = find(command.data, [word])
    return ids


def row(command: Command) -> dict[str, Any]:
    [listed] = command.run("sources", "--json").json()
    return dict(listed)


def test_pages_are_fetched_indexed_changed_and_deleted(town: Command, cms: FakeCms) -> None:
    assert summary(town) == "5 listed: 5 changed, 0 unchanged, 0 failed"
    assert found(town, "theatre") == ["p2"]
    assert cms.tokens == {"Bearer hush"}
    cms.save("p2", "The theatre has burnt down.", language="en")
    cms.delete("p4")
    assert summary(town) == "4 listed: 1 changed, 3 unchanged, 0 failed"
    assert (found(town, "burnt"), found(town, "cinema")) == (["p2"], ["p4"])
    assert summary(town) == "4 listed: 0 changed, 4 unchanged, 1 deleted, 0 failed"
    assert found(town, "cinema") == []


def test_reconciling_pulls_the_source_in_full_and_indexes_what_came(town: Command, cms: FakeCms) -> None:
    summary(town)
    cms.save("p2", "The theatre has burnt down.", language="en")
    cms.delete("p4")
    first, second = (town.run("reconcile") for _ in range(2))
    assert "town: 4 listed, 1 changed, 0 deleted\n" in first.out
    assert (first.code, found(town, "burnt"), found(town, "cinema")) == (0, ["p2"], [])
    assert "town: 4 listed, 0 changed, 1 deleted\n" in second.out
    save_more(cms)
    town.run("reconcile")
    cms.delete(*MORE)
    refused = town.run("reconcile")
    assert (refused.code, "5 of 9 pages of source 'town' are missing" in refused.out) == (0, True)


def test_too_many_missing_pages_stop_the_pull_until_that_is_confirmed(town: Command, cms: FakeCms) -> None:
    save_more(cms)
    summary(town)
    cms.delete(*MORE)
    complaint = town.run("pull", "town").complaint(1)
    assert "5 of 10 pages of source 'town' are missing: nothing was deleted" in complaint
    assert "run `auskunft pull town --confirm-deletions`" in complaint
    assert row(town)["problem"] == "halted: 5 of 10 pages are missing"
    assert "run `auskunft sources take-over town`" in town.run("sources").out
    assert summary(town, "--confirm-deletions") == "5 listed: 0 changed, 5 unchanged, 5 deleted, 0 failed"
    assert row(town)["problem"] == ""


def test_pages_that_cannot_be_fetched_are_named_and_the_exit_code_is_1(town: Command, cms: FakeCms) -> None:
    cms.uncommitted = {("p1", "en")}
    result = town.run("pull", "town")
    assert result.code == 1
    assert result.out.startswith("5 listed: 4 changed, 0 unchanged, 1 waiting, 0 failed")
    assert "p1 (en): waiting: page 'p1' is announced, but not available yet" in result.out


def test_sources_tell_what_there_is_and_when_it_is_pulled(town: Command, cms: FakeCms) -> None:
    assert (row(town)["kind"], row(town)["pages"], row(town)["last_pull"]) == ("cms", {}, None)
    summary(town)
    (town.folder / "pages").mkdir()
    (town.folder / "pages" / "a.txt").write_text("Some text.")
    town.run("index", "pages", "--source", "files")
    files, pulled = town.run("sources", "--json").json()
    assert (files["source"], files["kind"], files["next_pull"]) == ("files", "", None)
    assert (pulled["source"], pulled["pages"]) == ("town", {"indexed": 5})
    assert pulled["last_pull"] < pulled["next_pull"]
    shown = town.run("sources").out
    assert "5 indexed" in shown
    assert "hush" not in shown


def test_a_pull_that_takes_long_says_how_far_it_is(
    town: Command, cms: FakeCms, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.run("pull", "town")
    monkeypatch.chdir(town.folder)
    with Services(load_settings(data=town.data, embedder="hashing")) as services:
        pulls = services.sources.pull_log
        pulls.begin("town", "worker")
        pulls.note("town", "worker", [], listing=None, done=1_200, left=1_800, seconds=120)
    told = "1,200 of about 3,000 pages, 600 a minute, about 3 min left"
    assert f"town: {told}" in town.run("sources").out
    assert f"town is being pulled: {told}" in town.run("status").out
    assert town.run("sources", "--json").json()[0]["progress"]["total"] == 3_000


def test_a_pull_that_was_halted_is_told_until_a_person_decides(
    town: Command, cms: FakeCms, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.run("pull", "town")
    monkeypatch.chdir(town.folder)
    with Services(load_settings(data=town.data, embedder="hashing")) as services:
        services.sources.pull_log.begin("town", "worker")
        reason = HaltReason(code="lost", count=1_200, pages=4_100)
        services.sources.pull_log.finish("town", "worker", halted_for=[reason])
    told = town.run("sources").out
    assert "town: halted: 1,200 of 4,100 pages lost much of their text" in told
    assert "town: run `auskunft sources take-over town` or `auskunft sources keep town`" in told
    assert "town: 1,200 of 4,100 pages lost much of their text" in town.run("status").out
    assert town.run("sources", "take-over", "town").out.strip().endswith("auskunft pull town")
    assert town.run("sources", "--json").json()[0]["problem"] == ""
    town.run("pull", "town")
    assert "was halted" in town.run("sources", "keep", "town").complaint(2)
    with Services(load_settings(data=town.data, embedder="hashing")) as services:
        [entry] = services.audit_log.entries()
    assert (entry.actor, entry.action, entry.target) == (actor(), "source.take_over", "source/town")


def test_revisions_of_a_restored_cms_are_forgotten_by_a_command(town: Command, cms: FakeCms) -> None:
    cms.save("p0", "The library is closed.", language="en")
    summary(town)
    cms.pages["p0", "en"] |= {"text": "The library is restored.", "revision": 1}
    assert summary(town) == "5 listed: 0 changed, 5 unchanged, 0 failed"
    assert town.run("sources", "reset-revisions", "town").code == 0
    assert summary(town) == "5 listed: 1 changed, 4 unchanged, 0 failed"
    assert found(town, "restored") == ["p0"]


def test_revisions_are_forgotten_of_a_source_that_was_only_tried_to_be_pulled(town: Command) -> None:
    with FakeWebsite() as web:
        assert town.run("index", f"{web.address}/nothing", "--source", "web").code != 0
    assert town.run("sources", "reset-revisions", "web").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("pull", "village"), 2, "no source 'village' in the settings; known: town"),
        (("sources", "reset-revisions", "village"), 2, "unknown source 'village'; known: town"),
        (("sources", "take-over", "village"), 2, "no pull of source 'village' was halted"),
        (("sources", "keep", "town"), 2, "no pull of source 'town' was halted"),
    ],
)
def test_an_unknown_source_is_refused(
    town: Command, arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    assert complaint in town.run(*arguments).complaint(code)


def test_an_address_of_this_machine_is_not_fetched_unless_it_is_allowed(town: Command, cms: FakeCms) -> None:
    complaint = town.run("pull", "town", fetch_allow='["10.0.0.0/8"]').complaint(2)
    assert "127.0.0.1, a private address: if it is yours, add its network or name to fetch_allow" in complaint
    assert sum(cms.requests.values()) == 0
    assert "use a network such as" in town.run("pull", "town", fetch_allow='["http://x"]').complaint(2)
    assert "fetch_ca" in town.run("pull", "town", fetch_ca="missing.pem").complaint(2)


def test_what_an_interrupted_pull_had_fetched_is_indexed_by_the_next(
    town: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(town.folder)
    with Services(load_settings(data=town.data, embedder="hashing")) as services:
        services.sources.puller.pull("town")
    assert summary(town) == "5 listed: 0 changed, 5 unchanged, 0 failed"
    assert found(town, "theatre") == ["p2"]
