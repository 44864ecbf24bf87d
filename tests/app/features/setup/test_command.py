"""``auskunft init``, as people begin with a website."""

import json
import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup

from tests.fakes.command import Command
from tests.fakes.installation import find
from tests.fakes.website import Answer, FakeWebsite, made
from tests.shared import PAGES, needs

SUBJECTS = ("library", "museum", "pool", "market", "theatre")


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    """A start page that leads to five others, each with a heading of its own."""
    with FakeWebsite() as web:
        head = '<meta property="og:site_name" content="Otterfurt"><meta name="theme-color" content="#7a0b3f">'
        mail = '<a href="mailto:hall@town.example">Write</a>'
        web.page("/", f"Welcome to the town. {mail}", *(f"/{subject}" for subject in SUBJECTS), head=head)
        web.answers |= {f"/{subject}": about(subject) for subject in SUBJECTS}
        yield web


def about(subject: str, *links: str) -> Answer:
    """A page about one subject."""
    hours = f"<p>The {subject} opens at {SUBJECTS.index(subject) + 7} o'clock sharp.</p>"
    leads = "".join(f'<a href="{link}">{link}</a>' for link in links)
    head = f"<head><title>The {subject}</title></head>"
    body = f"<nav>{leads}</nav><main><h1>The {subject}</h1><h2>Opening hours</h2>{hours}</main>"
    return Answer(f"<html lang='en'>{head}<body>{body}</body></html>".encode())


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, fetch_per_second=1000, fetch_seconds=1)


def test_a_website_is_read_asked_and_written_down(command: Command, web: FakeWebsite) -> None:
    done = command.run("init", web.address)
    assert (done.code, done.err) == (0, ""), done
    asked = re.findall(r"^\? (.+)\n  (.+)\n  (\S+)$", done.out, re.MULTILINE)
    assert len({url for _, _, url in asked}) == len(asked) == 3
    for question, answer, url in asked:
        subject = url.rpartition("/")[2]
        assert subject in question
        assert answer == f"The {subject} opens at {SUBJECTS.index(subject) + 7} o'clock sharp."
    assert 'data-site="site" async></script>' in done.out
    assert "--auskunft-accent: light-dark(#7a0b3f" in done.out
    file = tomllib.loads((command.folder / "auskunft.toml").read_text("utf-8"))
    [site] = file["sites"]
    assert (site["name"], site["contact"], site["language"]) == ("Otterfurt", "hall@town.example", "en")
    assert site["examples"] == [question for question, _, _ in asked]
    assert "BAD" not in command.run("status").out


@needs(PAGES)
def test_a_real_website_is_asked_what_it_answers(command: Command) -> None:
    rows = [json.loads(line) for line in PAGES.read_text("utf-8").splitlines()]
    with FakeWebsite() as web:
        for row in rows:
            title, path = escape(row["title"]), urlsplit(row["url"]).path
            head = f"<head><title>{title} - The government</title></head>"
            body = f"<nav><a href='/'>Home</a></nav><main><h1>{title}</h1>{row['html']}</main>"
            web.answers[path] = Answer(f"<html lang='{row['language']}'>{head}<body>{body}".encode())
        web.page("/", "Welcome to the government.", *web.answers)
        done = command.run("init", web.address)
        assert (done.code, "\n? " in done.out) == (0, True), done
        asked = re.findall(r"^\? .+\n  (.+)\n  (\S+)$", done.out, re.MULTILINE)
        assert len({url for _, url in asked}) == len(asked) == 3
        for answer, url in asked:
            page = BeautifulSoup(web.answers[urlsplit(url).path].body, "lxml").get_text(" ")
            words = re.findall(r"\w+", answer.removesuffix(" …"))
            assert " ".join(words) in " ".join(re.findall(r"\w+", page)), answer


def test_what_was_not_read_at_first_comes_with_the_next_pull(command: Command, web: FakeWebsite) -> None:
    web.answers["/pool"] = about("pool", "/theatre")
    web.answers["/library"] = about("library", "/theatre")
    for number in range(20):
        web.page(f"/news/{number}", f"<p>What happened in week {number} was nothing.</p>")
    links = [f"/news/{number}" for number in range(20)] + [f"/{subject}" for subject in SUBJECTS]
    web.page("/", "Welcome to the town.", "/pool", "/library", *links)
    web.answers["/theatre"] = about("theatre", "/pool", "/library")
    done = command.run("init", web.address, "--pages", "4")
    assert "4 pages read" in done.out, done
    assert "22 addresses are left for `auskunft pull site`" in done.out
    assert find(command.data, ["theatre", "museum"]) == [[f"{web.address}/theatre"], []]
    assert command.run("pull", "site").out.startswith("26 listed: 22 changed, 4 unchanged, 0 failed")
    again = command.run("index", web.address)
    assert again.out.startswith("26 listed: 0 changed, 26 unchanged, 0 failed"), "it is the same source"


def test_settings_that_are_there_stay_as_they_are(command: Command, web: FakeWebsite) -> None:
    file = command.folder / "auskunft.toml"
    file.write_text("port = 9000\n")
    said = command.run("init", web.address).complaint(2)
    assert "auskunft.toml already exists" in said
    assert "auskunft index" in said
    assert (file.read_text(), web.requests) == ("port = 9000\n", [])


def put(web: FakeWebsite, what: str) -> None:
    if what == "robots":
        web.answers["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /\n")
    elif what == "json":
        web.answers["/"] = Answer(b"{}", headers={"Content-Type": "application/json"})
    elif what == "text":
        web.answers["/"] = Answer(b"Some text of the town.", headers={"Content-Type": "text/plain"})
    elif what == "hidden":
        web.answers = {"/": made("/", "Nothing to see.", head="<meta name=robots content=noindex>")}
    elif what == "script":
        web.answers = {"/": Answer(b"<html><body><script>show()</script></body></html>")}
    elif what == "outage":
        web.outage = True
    else:
        web.answers.clear()


@pytest.mark.parametrize(
    ("what", "code", "complaint"),
    [
        ("robots", 2, "robots.txt forbids programs to read it: allow Auskunft there"),
        ("json", 2, "the start page cannot be read"),
        ("text", 2, "is not HTML: use the address of a website"),
        ("hidden", 2, "no page was found: 1 without a page (noindex)"),
        ("script", 2, "no page was found: 1 without a page (no text without scripts)"),
        ("gone", 2, "the start page cannot be read"),
        ("outage", 1, "check the address, or try again later"),
    ],
)
def test_what_is_no_website_is_told_in_one_line_and_leaves_nothing(
    command: Command, web: FakeWebsite, what: str, code: int, complaint: str
) -> None:
    put(web, what)
    assert complaint in command.run("init", web.address).complaint(code)
    assert list(command.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "code", "complaint"),
    [
        ("nowhere.invalid", 1, "the name cannot be resolved"),
        ("not an address", 2, "enter the address of a website, such as https://www.town.example"),
        ("https://anna:hush@www.town.example", 2, "enter the address of a website"),
        ("http://169.254.169.254", 1, "a cloud's metadata server"),
    ],
)
def test_an_address_that_cannot_be_read_is_told_and_leaves_nothing(
    command: Command, address: str, code: int, complaint: str
) -> None:
    said = command.run("init", address).complaint(code)
    assert complaint in said
    assert "hush" not in said
    assert list(command.folder.iterdir()) == []


def test_no_secret_gets_into_the_file(command: Command, web: FakeWebsite) -> None:
    address = f"{web.address}/?token=hush-token"
    done = command.run("init", address, chat__api_key="hush-key", admin_token="hush-" * 8)
    assert done.code == 0, done
    assert "hush" not in (command.folder / "auskunft.toml").read_text("utf-8") + done.out
