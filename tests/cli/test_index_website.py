"""``auskunft index`` with the address of a website, as people run it."""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.demo import question_pool, site
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import DOCX, ODT
from tests.app.api.events import named, parse
from tests.fakes.command import Command
from tests.fakes.installation import find
from tests.fakes.office import docx, odt
from tests.fakes.office import p as paragraph
from tests.fakes.pdf import pdf
from tests.fakes.website import Answer, FakeWebsite

README = Path(__file__).parents[2] / "README.md"
TYPES = {".html": "text/html", ".md": "text/markdown", ".txt": "text/plain"}


@pytest.fixture
def web() -> Iterator[FakeWebsite]:
    """A start page and three more, which differ."""
    with FakeWebsite() as web:
        web.page("/", "Welcome to the town.", "/library", "/museum", "/pool")
        for word in ("library", "museum", "pool"):
            web.page(f"/{word}", f"The {word} opens at nine o'clock.")
        yield web


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, fetch_allow='["127.0.0.1"]', fetch_per_second=1000, fetch_seconds=1)


def show_town(web: FakeWebsite) -> None:
    """Put the sample town's pages on the website."""
    for path in site().rglob("*.*"):
        if path.suffix in TYPES:
            where = f"/{path.relative_to(site()).as_posix()}"
            web.answers[where] = Answer(path.read_bytes(), headers={"Content-Type": TYPES[path.suffix]})
    web.redirect("/", "/de/index.html", 302)


def summary(command: Command, web: FakeWebsite) -> str:
    """The first line of a run that succeeded, without the time."""
    result = command.run("index", web.address, "--source", "town")
    assert (result.code, result.err) == (0, ""), result
    return result.out.splitlines()[0].partition(" in ")[0]


def found(command: Command, web: FakeWebsite, word: str) -> list[str]:
    [ids] = find(command.data, [word])
    return [page.removeprefix(web.address) for page in ids]


def test_changed_moved_and_vanished_pages_are_followed(command: Command, web: FakeWebsite) -> None:
    assert summary(command, web) == "4 listed: 4 changed, 0 unchanged, 0 failed"
    web.page("/library", "The library has burnt down.")
    web.answers["/house"] = web.answers["/museum"]
    web.redirect("/museum", "/house")
    del web.answers["/pool"]
    web.requests.clear()
    assert summary(command, web) == "3 listed: 2 changed, 1 unchanged, 1 deleted, 0 failed"
    assert ("/", 304) in web.requests
    assert len(web.requests) == len(set(web.requests))
    assert found(command, web, "burnt") == ["/library"]
    assert found(command, web, "museum") == ["/house"]
    assert found(command, web, "pool") == ["/pool"]
    assert summary(command, web) == "3 listed: 0 changed, 3 unchanged, 1 deleted, 0 failed"
    assert found(command, web, "pool") == []


def test_a_page_that_moved_to_where_nothing_is_stays_until_it_is_gone_twice(
    command: Command, web: FakeWebsite
) -> None:
    summary(command, web)
    web.redirect("/museum", "/lost")
    assert summary(command, web) == "3 listed: 0 changed, 3 unchanged, 0 failed"
    assert found(command, web, "museum") == ["/museum"]
    summary(command, web)
    assert found(command, web, "museum") == []


def test_a_linked_pdf_is_found_with_its_page_and_followed(command: Command, web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/library", "/files/Fee%20schedule.PDF?download=1")
    address = "/files/Fee%20schedule.PDF?download=1"
    first = [(20, "Dog tax"), (11, "The first dog costs 96 euros.")]
    second = [(20, "Parking"), (11, "A parking permit costs 31 euros.")]
    web.answers[address] = Answer(pdf([first, second]), headers={"Content-Type": "application/pdf"})
    assert summary(command, web) == "3 listed: 3 changed, 0 unchanged, 0 failed"
    assert found(command, web, "permit") == [address]
    answer = command.run("ask", "How much is a parking permit?", "--json")
    assert f"{web.address}{address}#page=2" in answer.out
    assert summary(command, web) == "3 listed: 0 changed, 3 unchanged, 0 failed"
    web.answers[address].headers["X-Robots-Tag"] = "noindex"
    web.answers[address].body += b" "
    summary(command, web)
    summary(command, web)
    assert found(command, web, "permit") == []


def test_linked_documents_are_pages_and_a_broken_one_fails_alone(command: Command, web: FakeWebsite) -> None:
    web.page("/", "Welcome to the town.", "/dogs.docx", "/parking.odt", "/broken.docx")
    texts = "The first dog costs 96 euros.", "A parking permit costs 31 euros."
    files = {"/dogs.docx": docx(paragraph(texts[0])), "/parking.odt": odt(f"<text:p>{texts[1]}</text:p>")}
    for address, data in {**files, "/broken.docx": b"PK\x03\x04"}.items():
        media_type = ODT if address.endswith(".odt") else DOCX
        web.answers[address] = Answer(data, headers={"Content-Type": media_type})
    result = command.run("index", web.address, "--source", "town")
    assert "/broken.docx (und): failed(invalid): the file is damaged" in result.out
    assert found(command, web, "dog") == ["/dogs.docx"]
    assert found(command, web, "permit") == ["/parking.odt"]


def test_an_outage_deletes_nothing(command: Command, web: FakeWebsite) -> None:
    summary(command, web)
    web.outage = True
    for _ in range(2):
        assert "nothing may be fetched" in command.run("index", web.address, "--source", "town").complaint(1)
    assert found(command, web, "pool") == ["/pool"]


def test_a_website_is_not_pruned(command: Command, web: FakeWebsite) -> None:
    assert "--prune is for files" in command.run("index", web.address, "--prune").complaint(2)


def test_a_start_page_that_is_not_there_is_told(command: Command, web: FakeWebsite) -> None:
    result = command.run("index", f"{web.address}/nothing")
    assert "the start page cannot be read" in result.complaint(2)


def test_the_town_as_a_website_gives_the_same_first_sources_as_its_files(
    command: Command, web: FakeWebsite
) -> None:
    show_town(web)
    assert command.run("index", web.address, "--source", "web").code == 0
    assert command.run("index", site(), "--source", "files").code == 0
    settings = load_settings(data=command.data, embedder="hashing")
    with Services(settings) as services:
        questions = [json.loads(line)["question"] for line in question_pool().read_text("utf-8").splitlines()]
        firsts = [
            [_first(services, question, source) for source in ("web", "files")] for question in questions
        ]
    same = sum(web_id.removeprefix(f"{web.address}/") == file_id for web_id, file_id in firsts)
    assert same >= 0.95 * len(questions)


def test_readmes_own_commands_and_settings_make_a_website_answer(command: Command, web: FakeWebsite) -> None:
    """Word for word, but for the address of the website, which is ours here."""
    show_town(web)
    init, serve = re.findall(r"^auskunft ([^#\n]+)", printed("sh", "## Your own website"), re.MULTILINE)
    question, address = "Was kostet die Hundesteuer?", "https://www.town.example"
    assert init.split() == ["init", address]
    begun = Command(command.folder, fetch_per_second=1000).run("init", web.address)
    assert begun.code == 0, begun
    assert begun.out.count("\n? ") == 3
    answer = command.run("ask", question)
    assert "72 €" in answer.out
    assert f"{web.address}/de/hundesteuer.html" in answer.out
    assert "Startseite" not in answer.out
    with served(command, serve) as server:
        chat = httpx.post(f"{server}/chat", data={"q": question}, headers={"Origin": server}, timeout=60)
        assert "72 €" in chat.text

    on_the_website = printed("html", "## The chat on your website")
    tables = printed("toml", "## The chat on your website")
    (command.folder / "auskunft.toml").write_text(tables, "utf-8")
    [key] = re.findall(r'data-site="([^"]+)"', on_the_website)
    [public] = re.findall(r'src="(https://[^/"]+)/widget.js"', on_the_website)
    assert (tomllib.loads(tables)["public_url"], tomllib.loads(tables)["sites"][0]["key"]) == (public, key)
    assert "BAD" not in command.run("status").out
    with served(command, serve) as server:
        asked: dict[str, Any] = {"params": {"site": key}, "headers": {"Origin": address}, "timeout": 60}
        assert httpx.get(f"{server}/api/site", **asked).headers["Access-Control-Allow-Origin"] == address
        events = httpx.post(f"{server}/api/chat", json={"question": question}, **asked).text
        assert httpx.get(f"{server}/chat", timeout=60).status_code == 200
    told = parse(events)
    assert "72 €" in "".join(block["html"] for block in named(told, "block"))
    [listed] = named(told, "sources")
    assert f"{web.address}/de/hundesteuer.html" in [source["url"] for source in listed["sources"]]


def printed(language: str, heading: str) -> str:
    """The first block of code in this language below a heading of README."""
    below = README.read_text("utf-8").partition(f"\n{heading}\n")[2]
    return below.partition(f"```{language}\n")[2].partition("```")[0]


@contextmanager
def served(command: Command, serve: str) -> Iterator[str]:
    """The address of a server that ``serve`` starts, at a free port."""
    with command.start(*serve.split(), "--port", "0") as process:
        try:
            assert process.stdout is not None
            [server] = re.findall(rb"http://\S+?:\d+", process.stdout.readline())
            yield server.decode()
        finally:
            process.terminate()
            process.communicate(timeout=60)


def _first(services: Services, question: str, source: str) -> str:
    retriever = services.chat.default.retriever
    hits = retriever.retrieve(question, sources=frozenset((source,))).hits
    return hits[0].page.ref.id if hits else ""
