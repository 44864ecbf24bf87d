"""A disk without room: it is told, nothing is taken in, and questions are answered all the same."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.pages.writability import DiskCheck
from app.services import Services
from app.settings.settings import load_settings
from tests.app.api.cms import SECRET, Cms, saved
from tests.app.api.events import parse
from tests.fakes.command import Command
from tests.faults.disks import fill, small_disk
from tests.services import MissingServiceError

DISK_BYTES = 12_000_000


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    """One whose data folder is small."""
    command = Command(tmp_path)
    try:
        with small_disk(command.data, DISK_BYTES):
            yield command
    except MissingServiceError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def cms(command: Command) -> Iterator[Cms]:
    """It has sent a page that is indexed."""
    settings = load_settings(data=command.data, embedder="hashing", sources={"town": {"secrets": [SECRET]}})
    with Services(settings) as services:
        services.disk = DiskCheck(services.data, lambda: services.engine, seconds=0)
        cms = Cms(create_app(services=services).test_client(), services)
        cms.send(saved("kept"))
        cms.index()
        yield cms


def disk_line(cms: Cms) -> tuple[int, dict[str, Any]]:
    """What ``/readyz`` says: status, and the disk's line."""
    response = cms.client.get("/readyz")
    lines = {part["name"]: part for part in map(json.loads, response.text.splitlines())}
    return response.status_code, lines["disk"]


def ask(cms: Cms, **body: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of an answer."""
    response = cms.client.post("/api/chat", json={"question": "How much is the dog tax?", **body})
    assert response.status_code == 200, response.text
    return parse(response.text)


def test_it_is_told_events_are_refused_and_questions_are_answered(command: Command, cms: Cms) -> None:
    (_, begun), *_ = ask(cms)
    assert disk_line(cms)[1]["ok"]
    ballast = fill(command.data)
    status, line = disk_line(cms)
    assert (status, line["ok"], line["required"]) == (200, False, False)
    assert "(No space left on device): free some disk space" in line["detail"]
    assert any(told.startswith("BAD disk: ") for told in command.run("status").out.splitlines())
    large = saved("refused", html=f"<p>{'tax ' * 20_000}</p>")
    refused = cms.post(large)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "30")
    for number in count():  # there may be some room left inside of the files
        if cms.post(saved(f"small-{number}", html="<p>tax</p>" * 2_000)).status_code != 202:
            break
    assert [hit["id"] for hit in cms.client.get("/api/search?q=dog+tax").get_json()["hits"]][:1] == ["kept"]
    for conversation in ({}, {"conversation": begun["conversation"]}):
        *_, (name, done) = ask(cms, **conversation)
        assert (name, done["status"]) == ("done", "extractive")
    ballast.unlink()
    assert disk_line(cms)[1]["ok"]
    assert cms.post(large).status_code == 202
    assert ask(cms, conversation=begun["conversation"])[-1][0] == "done"
