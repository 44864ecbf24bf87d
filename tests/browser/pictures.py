"""``make pictures``: those of the console in ``docs/images``, German and English, from the sample site."""

import base64
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from logging import ERROR, getLogger
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Page

from app import create_app
from app.accounts.types import User
from app.demo import site
from app.features.contradictions.services import ContradictionServices
from app.features.questions.services import QuestionServices
from app.indexing.stopping import never
from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import Settings, load_settings
from app.settings.sites import SiteSettings
from app.settings.sources import SourceSettings
from tests.browser.test_console import PASSWORD, console
from tests.browser.test_loop import Town
from tests.fakes.sample_site import SOURCE, indexed
from tests.services import MissingServiceError
from tests.services.chromium import chromium

IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
ADDRESS: Final = "https://www.otterfurt.example"
WIDTH: Final = 1120
QUALITY: Final = 80
"""Of webp, in per cent: with less, letters have fringes."""


class Story(NamedTuple):
    """One language's. ``asked``: questions, the first three about what no page says, and how often each is
    asked. ``missing``: the page that these three lack. ``news``: a page that contradicts another. ``found``:
    a question, and the id of a page that does not answer it. ``fixed``: a question, and its fixed answer."""

    contact: str
    asked: dict[str, int]
    missing: tuple[str, str]
    news: tuple[str, str]
    found: tuple[str, str]
    fixed: tuple[str, str]


def main() -> None:
    configure_quiet_logging()
    getLogger("werkzeug").setLevel(ERROR)
    stories = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    for language, table in stories.items():
        story = Story(**table)
        with (
            tempfile.TemporaryDirectory() as folder,
            Services(installed(Path(folder), story, language)) as services,
        ):
            town = Town(Path(folder) / "pages", services)
            save(town, f"{language}/news.md", *story.news)
            visitor = create_app(services=services).test_client()
            for question, times in {story.fixed[0]: 1, **story.asked}.items():
                for _ in range(times):
                    visitor.post("/api/chat?site=town", json={"question": question}).get_data()
            services.feature(QuestionServices).grouping.run(never)
            services.feature(ContradictionServices).scanner.run()
            photograph(town, story, language)


def installed(folder: Path, story: Story, language: str) -> Settings:
    """The settings of the town's installation, which has indexed a copy of the sample site in a language."""
    shutil.copytree(site() / language, folder / "pages" / language)
    indexed(folder / "data", pages=folder / "pages")
    town = SiteSettings(key="town", name="Otterfurt", contact=story.contact, origins=[ADDRESS])
    town.questions_per_minute = 1000
    cms = SourceSettings(edit_url="https://cms.otterfurt.example/edit?page={id}")
    return load_settings(data=folder / "data", embedder="e5", sites=[town], sources={SOURCE: cms})


def save(town: Town, page: str, title: str, text: str) -> None:
    town.save(page, f"---\ntitle: {title}\nlanguage: {page[:2]}\n---\n{text}\n")


def photograph(town: Town, story: Story, language: str) -> None:
    """Store every picture in this language."""
    os.environ["LANGUAGE"] = language  # of Chromium's own texts, such as those of date fields
    with console(town.services) as address, chromium() as browser:
        page = browser.new_page(locale=language)
        key = town.services.users.add(User(name="ada", role="admin", sources=None))
        page.goto(f"{address}welcome?key={key}")
        for field in page.locator("input[type=password]").all():
            field.fill(PASSWORD)
        press(page, "main button")
        camera = page.context.new_cdp_session(page)
        for name, height in walk(page, address, town, story, language):
            page.set_viewport_size({"width": WIDTH, "height": height})
            shot = camera.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
            (IMAGES / f"console-{name}-{language}.webp").write_bytes(base64.b64decode(shot["data"]))


def walk(page: Page, address: str, town: Town, story: Story, language: str) -> Iterator[tuple[str, int]]:
    """Go through the console; at each place to photograph, yield its name and height in pixels."""
    page.goto(address)
    yield "overview", 900
    question, other = story.found
    page.goto(f"{address}try?{urlencode({'q': question, 'page': f'{ADDRESS}/{other}'})}")
    yield "try", 854
    page.goto(f"{address}pages/{SOURCE}/{language}/{other}")
    yield "page", 900
    page.goto(f"{address}questions/groups")
    yield "groups", 880
    press(page, "a[href*='gap=']")
    yield "skeleton", 760
    page.goto(f"{address}draft")
    page.fill("#title", story.missing[0])
    page.fill("#text", story.missing[1])
    press(page, "form.wide button")
    yield "draft", 900
    page.goto(f"{address}contradictions")
    yield "contradictions", 760
    question, answer = story.fixed
    page.goto(f"{address}answers/new?{urlencode({'kind': 'answer', 'site': 'town', 'phrasing': question})}")
    page.fill("#text", answer)
    press(page, "button[name=preview]")
    yield "answer", 1080
    save(town, f"{language}/missing.md", *story.missing)
    page.goto(f"{address}questions/groups")
    press(page, "button[formaction]")
    yield "gap", 940


def press(page: Page, selector: str) -> None:
    """Press the first of these buttons or links, and wait for the page to which it leads."""
    with page.expect_navigation():
        page.locator(selector).first.click()


if __name__ == "__main__":
    try:
        main()
    except MissingServiceError as missing:
        sys.exit(str(missing))
