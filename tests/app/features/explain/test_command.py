"""``auskunft explain``, and drafts that are sent to a server."""

import shutil
from pathlib import Path
from typing import Any

import httpx

from app.accounts.types import User
from app.services import Services
from app.settings.settings import load_settings
from tests.app.console.conftest import PASSWORD
from tests.app.serving.test_server import COMMAND, PATIENCE_SECONDS, environment, serving
from tests.cli.conftest import indexed
from tests.fakes.command import Command

__all__ = ["indexed"]

QUESTION = "When does the swimming pool open?"


def test_explain_shows_the_way_of_a_question_in_lines(indexed: Command) -> None:
    result = indexed.run("explain", QUESTION, "--page", "https://nowhere.example/")
    assert (result.code, result.err) == (0, "")
    for line in (
        "search 1 (semantic)",
        "  thresholds: ",
        "content: similarity",
        "read: ",
        "answer (",
        " ms:",
    ):
        assert line in result.out
    assert "No source has this page. (unknown)" in result.out


def test_explain_says_in_json_why_a_page_is_not_found(indexed: Command) -> None:
    pages = indexed.run("pages", "--json").json()
    document = indexed.run("explain", QUESTION, "--page", pages[0]["id"], "--texts", "de", "--json").json()
    assert document["why_not"]["page"]["id"] == pages[0]["id"]
    assert document["why_not"]["sentence"].startswith("Die")
    assert document["searches"][0]["question"] == QUESTION


def test_an_unknown_site_ends_explain_with_code_2(indexed: Command) -> None:
    result = indexed.run("explain", QUESTION, "--site", "nowhere")
    assert (result.code, result.out) == (2, "")
    assert "is unknown: use 'default'" in result.err


def test_a_draft_may_be_as_long_as_its_text(indexed_site: Path, tmp_path: Path) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(load_settings(data=data, embedder="hashing")) as services:
        key = services.users.add(User(name="ada", role="admin"))
    log_in = {"key": key, "password": PASSWORD, "again": PASSWORD}
    draft = {"place": "town|default", "text": "The dog tax is 96 euros. " * 20_000}
    with serving([*COMMAND, "serve", "--port", "0"], environment(data)) as (_, url):
        options: Any = {"headers": {"Sec-Fetch-Site": "same-origin"}, "timeout": PATIENCE_SECONDS}
        with httpx.Client(base_url=url, follow_redirects=True, **options) as browser:
            assert browser.post("/admin/welcome", data=log_in).status_code == 200
            assert draft["text"] in browser.post("/admin/draft", data=draft).text
            browser.cookies.clear()
            late = browser.post("/admin/draft", data=draft)
            assert (late.status_code, draft["text"] in late.text) == (401, True)
