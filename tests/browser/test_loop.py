"""The loop of editors, on the sample site without five of its paragraphs: what visitors miss is found,
drafted, saved in the CMS, and shown to be answered."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from app import create_app
from app.background.importer import Importer
from app.demo import site
from app.features.questions.services import QuestionServices
from app.indexing.stopping import never
from app.services import Services
from ingest.sources.files import FilesSource
from tests.browser import test_console as consoles
from tests.fakes.kept_vectors import kept_vectors
from tests.fakes.sample_site import SOURCE, indexed

open_page = consoles.open_page


@dataclass(frozen=True)
class Topic:
    """What is taken out of a page of the sample site, and what visitors ask for then."""

    page: str
    begins: str
    ends: str
    questions: tuple[str, str]

    def cut(self, text: str) -> tuple[str, str]:
        """The text without its section, and the section."""
        start = text.index(self.begins)
        end = text.index(self.ends, start + len(self.begins))
        return text[:start] + text[end:], text[start:end]


TOPICS: Final = (
    Topic(
        "de/friedhof.html",
        "<h2>Grabpflege",
        "<h2",
        ("Braucht ein Grabstein eine Genehmigung?", "Was kostet die Genehmigung für einen Grabstein?"),
    ),
    Topic(
        "de/feuerwehr.txt",
        "Rauchmelder\n",
        "Mitmachen",
        ("Wo muss ein Rauchmelder hängen?", "Wer muss Rauchmelder einbauen?"),
    ),
    Topic(
        "de/buergeramt.html",
        "<h2>Fundbüro",
        "<h2",
        ("Wie lange werden Fundsachen aufbewahrt?", "Wie lange bewahrt man Fundsachen auf?"),
    ),
    Topic(
        "de/gewerbe.html",
        "<h2>Gewerbesteuer",
        "<h2",
        ("Wie hoch ist der Hebesatz der Gewerbesteuer?", "Welchen Hebesatz hat die Gewerbesteuer?"),
    ),
    Topic(
        "de/wahlen.md",
        "## Wahlhelfer gesucht",
        "## ",
        ("Wie hoch ist das Erfrischungsgeld für Wahlhelfer?", "Wie viel Erfrischungsgeld gibt es?"),
    ),
)


ANSWERED: Final = "Was kostet die Hundesteuer für den ersten Hund?"
"""Asked all the time, and answered all the time."""


@dataclass
class Town:
    """The CMS whose pages are in a folder, and the service that has read them."""

    folder: Path
    services: Services

    def save(self, page: str, text: str) -> None:
        """Save a page; it is indexed by then."""
        (self.folder / page).write_text(text, "utf-8")
        services = self.services
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        with kept_vectors(services):
            assert importer.run(FilesSource(SOURCE, str(self.folder))).failures == {}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """The sample site, as a copy, without the sections of :data:`TOPICS`."""
    folder = tmp_path / "pages"
    shutil.copytree(site(), folder)
    for topic in TOPICS:
        file = folder / topic.page
        file.write_text(topic.cut(file.read_text("utf-8"))[0], "utf-8")
    with Services(indexed(tmp_path / "data", pages=folder)) as services:
        yield Town(folder, services)


def gap(page: Page, topic: Topic) -> Any:
    """The topic among what is missing."""
    return page.locator("section.pair").filter(has_text=re.compile("|".join(map(re.escape, topic.questions))))


def test_five_paragraphs_that_visitors_miss_are_found_drafted_saved_and_answered(
    open_page: Any, town: Town
) -> None:
    services, visitor = town.services, create_app(services=town.services).test_client()
    for question in (ANSWERED, ANSWERED, *(each for topic in TOPICS for each in topic.questions)):
        visitor.post("/api/chat", json={"question": question}).get_data()
    services.feature(QuestionServices).grouping.run(never)
    with consoles.console(services) as address:
        page = open_page("gil", at=(services, address))
        page.goto(f"{address}questions/groups")
        expect(page.locator("section.pair")).to_have_count(len(TOPICS))
        for topic in TOPICS:
            original = (site() / topic.page).read_text("utf-8")
            expect(gap(page, topic)).to_contain_text("2")
            gap(page, topic).get_by_role("link", name="Begin a draft").click()
            page.get_by_label("Title").fill(topic.questions[0])
            section = re.sub(r"<[^>]+>", "", topic.cut(original)[1])
            page.get_by_label("Your text").fill(section)
            page.get_by_role("button", name="Check draft").click()
            expect(page.get_by_role("status")).to_contain_text("New answers: 2.")
            page.goto(f"{address}questions/groups")
            gap(page, topic).get_by_role("button", name="Ask again").click()
            expect(page.get_by_role("status")).to_contain_text("0 of 2 questions")
            town.save(topic.page, original)
            page.get_by_role("button", name="Ask again").click()
            receipt = page.get_by_role("status")
            expect(receipt).to_contain_text("Would be answered now: 2 of 2 questions.")
            expect(receipt).to_contain_text("No other answer got worse")
            receipt.get_by_role("button", name="Done").click()
        expect(page.locator("section.pair")).to_have_count(0)
