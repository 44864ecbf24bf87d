"""A CMS and a server as processes: pages are sent, found, deleted and gone."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from app.settings.settings import load_settings
from app.sources.sender import messages, saved_page
from ingest.types import ODT, PAGED_MARKDOWN, FieldName, RawField
from tests.app.api.cms import SECRET, deleted, saved
from tests.app.serving.test_server import serving
from tests.fakes.cms import FakeCms
from tests.fakes.command import PROGRAM, Command
from tests.fakes.world import raw_page

DOCUMENT: Final = (Path(__file__).parents[2] / "docs" / "cms.md").read_text("utf-8")
SECONDS: Final = 60


@pytest.fixture(scope="module")
def web() -> Iterator[FakeCms]:
    """A CMS whose pages can be fetched."""
    with FakeCms() as web:
        yield web


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, web: FakeCms) -> Iterator[tuple[Command, str]]:
    """A served installation whose sources ``town`` and ``web`` take events, and its address."""
    folder = tmp_path_factory.mktemp("town")
    options = {"kind": "cms", **web.options()}
    lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    secrets = f'secrets = ["{SECRET}"]'
    (folder / "auskunft.toml").write_text(
        "\n".join(
            ['fetch_allow = ["127.0.0.1"]', "[sources.town]", secrets, "[sources.web]", secrets, *lines]
        )
    )
    command = Command(folder)
    environment = command.environment(config=folder / "auskunft.toml")
    with serving([str(PROGRAM), "serve", "--port", "0"], environment) as (_, url):
        yield command, url


def found(town: tuple[Command, str], question: str) -> list[str]:
    """The ids that a search finds."""
    response = httpx.get(f"{town[1]}api/search", params={"q": question}, timeout=SECONDS)
    return [hit["id"] for hit in response.json()["hits"]]


def page(folder: Path, page_id: str, word: str) -> Path:
    """A page's fields in a file."""
    fields = saved(page_id, title=word, html=f"<p>All about {word}, and nothing else about {word}.</p>")
    path = folder / f"{page_id}.json"
    path.write_text(json.dumps({name: value for name, value in fields.items() if name != "type"}))
    return path


def test_a_page_is_found_once_it_was_sent_and_gone_once_it_was_deleted(town: tuple[Command, str]) -> None:
    command, url = town
    path = page(command.folder, "parking", "parking")
    sent = command.run("send-event", "town", "--saved", path, "--url", url, "--wait")
    assert (sent.code, sent.err) == (0, "")
    assert re.fullmatch(r"indexed +parking \(en\) +[\w-]{22}\n", sent.out)
    assert found(town, "parking") == ["parking"]
    gone = command.run("send-event", "town", "--deleted", "parking", "--url", url, "--wait", "--json").json()
    assert [(job["page"], job["status"]) for job in gone["jobs"]] == [("parking", "indexed")]
    assert "parking" not in found(town, "parking")


def test_a_page_that_is_announced_is_fetched_by_the_server(town: tuple[Command, str], web: FakeCms) -> None:
    command, url = town
    web.save("market", "a market every week", "en")
    announced = ("send-event", "web", "--announced", "market", "--language", "en", "--revision", "1")
    sent = command.run(*announced, "--url", url, "--wait")
    assert (sent.code, sent.err) == (0, "")
    assert re.fullmatch(r"indexed +market \(en\) +[\w-]{22}\n", sent.out)
    assert "market" in found(town, "market every week")


def test_events_come_from_a_file_and_may_be_repeated(town: tuple[Command, str]) -> None:
    command, url = town
    (command.folder / "events.json").write_text(json.dumps({"events": [saved("a"), deleted("b")]}))
    arguments = ("send-event", "town", "events.json", "--url", url, "--id", "my-message")
    first, second = command.run(*arguments), command.run(*arguments)
    assert (first.code, first.out) == (0, second.out)
    assert re.search(r"^queued +a \(en\)", first.out)
    assert re.search(r"^unchanged +b \(all\) .*no page has this id$", first.out, re.M)


def test_a_page_that_failed_is_told_with_the_reason_and_exit_code_1(town: tuple[Command, str]) -> None:
    command, url = town
    (command.folder / "empty.json").write_text(json.dumps(saved("empty", html="", title="")))
    sent = command.run("send-event", "town", "empty.json", "--url", url, "--wait")
    assert sent.code == 1
    assert re.match(r"failed +empty \(en\) .*empty: ", sent.out)


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["town"], 2, "Use exactly one of FILE, --saved, --announced and --deleted"),
        (
            ["town", "x.json", "--deleted", "a"],
            2,
            "Use exactly one of FILE, --saved, --announced and --deleted",
        ),
        (["town", "x.json", "--revision", "1"], 2, "--revision needs --announced or --deleted"),
        (["web", "--announced", "a"], 2, "--announced needs --language"),
        (
            ["town", "--announced", "a", "--language", "en"],
            2,
            "this source cannot be pulled: send the fields",
        ),
        (["town", "missing.json"], 2, "missing.json cannot be read: No such file"),
        (["town", "--saved", "list.json"], 2, "list.json does not contain a JSON object"),
        (["town", "--saved", "broken.json"], 2, "broken.json is not JSON"),
        (["town", "list.json"], 2, "answers 422: body: give an object"),
        (["town", "large"], 2, "answers 413: the body is larger than 10,000,000 bytes"),
        (["town", "--deleted", "a", "--language", "English"], 2, "answers 422: language: "),
        (
            ["village", "--deleted", "a"],
            2,
            "source 'village' has no secrets: set secrets in [sources.village]",
        ),
        (["town", "--deleted", "a", "--url", "ftp://town"], 2, "'ftp://town' is not an address"),
        (["town", "--deleted", "a", "--url", "http://127.0.0.1:1"], 1, "repeat it with --id msg_"),
    ],
)
def test_what_goes_wrong_is_told_in_one_line(
    town: tuple[Command, str], arguments: list[str], code: int, complaint: str
) -> None:
    command, url = town
    (command.folder / "list.json").write_text("[]")
    (command.folder / "broken.json").write_text('{"id": ')
    (command.folder / "large").write_bytes(b" " * 10_000_001)
    given = arguments if "--url" in arguments else [*arguments, "--url", url]
    assert complaint in command.run("send-event", *given).complaint(code)


def example(language: str, town: tuple[Command, str]) -> str:
    """The longest example in this language, with the address and secret of ``town``."""
    code: str = max(re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.M | re.S), key=len)
    return code.replace("http://127.0.0.1:8000/", town[1]).replace("whsec_…", SECRET)


def sent_by(program: list[str], code: str, folder: Path, events: list[dict[str, Any]]) -> Any:
    """What a sender prints that reads events."""
    path = folder / "sender"
    path.write_text(code, "utf-8")
    done = subprocess.run(
        [*program, str(path)],
        input=json.dumps(events),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_documented_python_sender_works(town: tuple[Command, str], tmp_path: Path) -> None:
    jobs = sent_by(
        [sys.executable], example("python", town), tmp_path, [saved("py", title="Grüße"), deleted("x")]
    )
    assert [(job["page"], job["status"]) for job in jobs] == [("py", "queued"), ("x", "unchanged")]


def test_the_documented_php_sender_works(town: tuple[Command, str], tmp_path: Path) -> None:
    php = shutil.which("php")
    if php is None:
        pytest.skip("php is not installed")
    jobs = sent_by([php], example("php", town), tmp_path, [saved("php", title="Grüße"), deleted("x")])
    assert [(job["page"], job["status"]) for job in jobs] == [("php", "queued"), ("x", "unchanged")]


def test_the_documented_shell_commands_work(town: tuple[Command, str]) -> None:
    if not (shutil.which("openssl") and shutil.which("curl")):
        pytest.skip("openssl or curl is not installed")
    event = {"events": [saved(42)]}
    (town[0].folder / "42.json").write_text(json.dumps(event))
    town[0].run("send-event", "town", "42.json", "--url", town[1], "--wait")
    done = subprocess.run(
        ["sh", "-euc", example("sh", town)], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    accepted, asked = map(json.loads, done.stdout.splitlines())
    assert [(job["page"], job["status"]) for job in accepted["jobs"]] == [("42", "queued")]
    assert [state["language"] for state in asked["pages"]] == ["en"]


def test_the_documented_fields_answers_and_settings_exist() -> None:
    for number in ("202", "400", "401", "403", "404", "409", "411", "413", "415", "422", "429"):
        assert number in DOCUMENT
    assert load_settings().max_event_bytes == 10_000_000
    for name in (*saved(), "new_id", "republish", "markdown", "text", "keywords", "publish_until"):
        assert f"`{name}`" in DOCUMENT


def test_a_folder_and_a_file_of_pages_are_sent_as_they_would_be_indexed(town: tuple[Command, str]) -> None:
    command, url = town
    pages = [
        {"id": f"walk-{n}", "url": f"https://town.example/{n}", "language": "en", "html": f"<p>walk {n}</p>"}
        for n in range(30)
    ]
    lines = command.folder / "walks.jsonl"
    lines.write_text("\n".join(json.dumps(page | {"kind_of_page": "walk"}) for page in pages))
    sent = command.run("send-event", "town", "--saved", lines, "--url", url, "--wait")
    assert (sent.code, sent.out, sent.err) == (0, "30 indexed\n", "")
    again = command.run("send-event", "town", "--saved", lines, "--url", url)
    assert again.out == "30 unchanged\n"
    folder = command.folder / "walks"
    folder.mkdir()
    (folder / "lake.md").write_text("---\nurl: https://town.example/lake\n---\n# Around the lake\n")
    lake = command.run("send-event", "town", "--saved", folder, "--url", url, "--wait", "--language", "en")
    assert re.fullmatch(r"indexed +lake\.md \(en\) +[\w-]{22}\n", lake.out)


def test_pages_that_cannot_be_sent_are_told_in_one_line_and_none_is(town: tuple[Command, str]) -> None:
    command, url = town
    lines = command.folder / "bad.jsonl"
    good = {"id": "unsent", "url": "https://town.example/", "language": "en", "text": "unsent"}
    for bad in ({"id": "nowhere", "text": "text"}, {"id": "broken", "html": 1}):
        lines.write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n")
        sent = command.run("send-event", "town", "--saved", lines, "--url", url)
        assert (sent.code, sent.err.count("\n")) == (2, 1)
    assert "unsent" not in found(town, "unsent")


def test_a_plain_title_is_sent_as_text_for_readers_of_html() -> None:
    fields: dict[FieldName, RawField] = {
        "name": RawField(text="a &amp; <b>b</b>", media_type="text/html"),
        "title": RawField(text="a &amp; <b>b</b>", media_type="text/plain"),
        "content": RawField(text="a &amp; b", media_type="text/plain"),
    }
    event = saved_page(replace(raw_page("p", {}), fields=fields))
    assert (event["name"], event["title"]) == ("a &amp; <b>b</b>", "a &amp;amp; &lt;b&gt;b&lt;/b&gt;")
    assert event["text"] == "a &amp; b"


def test_documents_are_sent_as_they_came_or_as_what_was_read_of_them() -> None:
    file = RawField(text="UEs=", media_type=ODT)
    read = RawField(text="# Fees\n\f\n96 euros", media_type=PAGED_MARKDOWN)
    assert saved_page(replace(raw_page("p", {}), fields={"content": file}))["odt"] == "UEs="
    event = saved_page(replace(raw_page("p", {}), fields={"content": read}))
    assert event["markdown"] == "# Fees\n\n96 euros"


def test_many_pages_go_in_several_messages() -> None:
    events = [{"type": "page.deleted", "id": str(n), "text": "x" * 30_000} for n in range(700)]
    bodies = list(messages(events))
    assert [len(json.loads(body)["events"]) for body in bodies] == [133, 133, 133, 133, 133, 35]
    assert [event for body in bodies for event in json.loads(body)["events"]] == events
    small = [len(json.loads(body)["events"]) for body in messages({"id": str(n)} for n in range(700))]
    assert small == [500, 200]
