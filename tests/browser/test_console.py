"""The console in a real browser: no barriers, nothing runs that should not, the way of an editor."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from sqlalchemy import delete
from werkzeug.serving import make_server

from app import create_app
from app.accounts.types import User
from app.features.questions.services import QuestionServices
from app.pages.account_tables import user_sessions
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings, load_settings
from app.settings.sites import SiteSettings
from tests.app.features.foreign import add_all, pages
from tests.app.law.ferries import library
from tests.app.site import PAGES as SITE_PAGES
from tests.app.site import raw_page
from tests.browser.barriers import OVERFLOW, barriers, barriers_in_every_look
from tests.browser.visit import Visit
from tests.fakes.databases import new_data
from tests.fakes.llm import FakeLlm, Reply
from tests.services.fixtures import BROWSER_PATIENCE_MS

PASSWORD = "vier grosse otter baden"
PATHS = (
    "",
    "try",
    "try?site=town&q=How+much+is+the+dog+tax&page=https://town.example/pool",
    "draft",
    "questions",
    "questions/groups",
    "questions/groups?state=all",
    "pages",
    "pages?state=failed",
    "pages/town/en/dog-tax",
    "pages/town/en/evil-1",
    "sources",
    "sources/town",
    "sites",
    "sites/town",
    "sites/town?accent=ffcc00",
    "sites/town/preview?accent=ffcc00",
    "sites/town/texts",
    "sites/town/texts?preview=1&site_name=Ottertown&contact=0%20555&examples=Is%20the%20pool%20open%3F",
    "sites/town/texts/preview?site_name=Ottertown",
    "index",
    "users",
    "users/lee",
    "nothing",
    "settings",
    "changes",
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    data = new_data(tmp_path_factory.mktemp("console"))
    sites = [SiteSettings(key="town", name="Town", sources=["town"], language="en")]
    with Services(load_settings(data=data, embedder="hashing", sites=sites)) as services:
        services.store.accept([raw_page("blank", "", ""), *(raw_page(*page) for page in SITE_PAGES)])
        services.store.accept_documents("law", library())
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        services.users.add(User(name="lee", role="editor", sources=frozenset({"town"})))
        yield services


@contextmanager
def console(services: Services, port: int = 0) -> Iterator[str]:
    """Where the console of these services is."""
    server = make_server("127.0.0.1", port, create_app(services=services), threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/admin/"
    finally:
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def address(services: Services) -> Iterator[str]:
    """Where the console is served."""
    with console(services) as address:
        yield address


@pytest.fixture
def own_address(services: Services) -> Iterator[str]:
    """Where a console of one test is served, which counts log-ins anew."""
    with console(services) as address:
        yield address


@pytest.fixture
def open_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Log a new user in, and give their browser's page; no script of theirs may break. ``at``: services and
    the address of their console, by default those of the module."""
    contexts, errors = [], []

    def log_in(name: str, *sources: str, at: tuple[Services, str] | None = None, **options: Any) -> Page:
        services, address = at or (
            request.getfixturevalue("services"),
            request.getfixturevalue("address"),
        )
        context = browser.new_context(locale="en-GB", **options)
        context.set_default_timeout(BROWSER_PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        role: Any = "editor" if sources else "admin"
        key = services.users.add(User(name=name, role=role, sources=frozenset(sources) or None))
        page.goto(f"{address}welcome?key={key}")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Repeat the password").fill(PASSWORD)
        page.get_by_role("button", name="Save password and log in").click()
        expect(page).to_have_url(address)
        return page

    yield log_in
    for context in contexts:
        context.close()
    assert errors == []


DOWNLOADS = re.compile(r"questions/(.*/)?(export|pool)\b")


@pytest.fixture(scope="module")
def paths(services: Services) -> list[str]:
    """All pages, those of features with something on them; no downloads."""
    urls = create_app(services=services).url_map
    of_features = (path.removeprefix("/") for path in pages(urls, [*add_all(services)]))
    return [*PATHS, *(path for path in of_features if not DOWNLOADS.match(path))]


def test_axe_finds_no_barrier_on_any_page(open_page: Any, address: str, axe: str, paths: list[str]) -> None:
    page = open_page("ada", bypass_csp=True)
    for path in paths:
        page.goto(address + path)
        assert barriers_in_every_look(page, axe) == [], path


@pytest.mark.parametrize("scripts", [True, False])
def test_what_somebody_typed_outlives_their_session_without_scripts_too(
    open_page: Any, own_address: str, services: Services, axe: str, scripts: bool
) -> None:
    name, address = "mia" if scripts else "noa", own_address
    options = {"java_script_enabled": scripts, "bypass_csp": scripts}
    reader = Visit(open_page(name, at=(services, address), **options).context)
    page = reader.page
    page.goto(f"{address}users")
    page.get_by_role("textbox", name="Name").fill(f"otto.{name}")
    with services.engine.begin() as connection:
        connection.execute(delete(user_sessions).where(user_sessions.c.user == name))
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was saved")
    if scripts:
        assert barriers(page, axe) == []
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Not saved yet")).to_be_visible()
    if scripts:
        assert barriers(page, axe) == []
    assert f"otto.{name}" not in [account.user.name for account in services.users.all()]
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_role("status")).to_contain_text(f"otto.{name}")
    assert services.users.get(f"otto.{name}").role == "editor"


def test_an_editor_finds_out_why_a_page_is_not_found_mends_it_and_sees_it_found(
    open_page: Any, address: str, services: Services
) -> None:
    services.store.accept([raw_page("ferry", "Crossing", "It leaves every ten minutes from the old pier.")])
    services.store.exclude("town", "ferry")
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    page = open_page("ed", "town")
    page.get_by_role("link", name="Try it").click()
    page.get_by_label("Question").fill("When does the crossing leave from the old pier?")
    page.get_by_label("Why is this page not found?").fill("https://town.example/ferry")
    page.get_by_role("button", name="Ask").click()
    why = page.locator("section.notice")
    expect(why).to_contain_text("taken out")
    page.get_by_role("link", name="Pages", exact=True).click()
    page.get_by_label("Words in the title").fill("Crossing")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="Crossing").click()
    page.get_by_role("button", name="Bring back").click()
    expect(page.get_by_role("status")).to_contain_text("comes back")
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    page.goto(f"{address}try?site=town&q=When+does+the+crossing+leave+from+the+old+pier%3F")
    expect(page.locator("article.answer")).to_contain_text("every ten minutes")


def test_an_editor_writes_the_page_that_a_gap_lacks_and_sees_it_answered(
    open_page: Any, services: Services, own_address: str, axe: str
) -> None:
    asked = ["Where is the sauna and what does it cost?", "What does the sauna cost?"]
    client = create_app(services=services).test_client()
    for question in asked:
        client.post("/api/chat?site=town", json={"question": question}).get_data()
    questions = services.feature(QuestionServices)
    ranks = {each.id: (1, rank) for rank, each in enumerate(questions.questions.newest().questions[:2])}
    questions.groups.keep(ranks, 0)
    page = open_page("gil", "town", at=(services, own_address), bypass_csp=True, reduced_motion="reduce")
    reader = Visit(page.context)
    page = reader.page
    page.goto(f"{own_address}questions/groups")
    page.get_by_role("link", name="Begin a draft").click()
    expect(page.get_by_label("Title")).to_have_value("Sauna")
    assert barriers(page, axe) == []
    text = page.get_by_label("Your text")
    expect(text).to_have_value(re.compile(r"## What it costs\n\n\[to be added]"))
    written = "The sauna stands at 3 Harbour Street. What does the sauna cost? It costs 9 euros."
    text.fill(f"## What it costs\n\n{written}\n\nThe dog tax is 120 euros a year for the first dog.")
    page.get_by_role("button", name="Check draft").click()
    expect(page.get_by_role("status")).to_contain_text("New answers: 2.")
    expect(page.get_by_role("region", name="The draft contradicts")).to_contain_text("96 euros")
    assert barriers(page, axe) == []
    page.locator(".trail").get_by_role("link", name="What is missing").click()
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("status")).to_contain_text("0 of 2 questions")
    services.store.accept([raw_page("sauna", "Sauna", written)])
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("status")).to_contain_text("Would be answered now: 2 of 2 questions.")
    assert barriers(page, axe) == []
    page.set_viewport_size({"width": 320, "height": 568})
    assert page.evaluate(OVERFLOW) <= 0
    page.get_by_role("status").get_by_role("button", name="Done").click()
    expect(page.get_by_role("status")).to_contain_text("Done.")
    expect(page.get_by_role("link", name=asked[0])).to_have_count(0)


def test_an_admin_sees_a_dead_model_and_a_failed_page_on_the_overview_and_mends_both(
    open_page: Any, llm: FakeLlm, tmp_path: Path
) -> None:
    def settings(**more: Any) -> Settings:
        sites = [SiteSettings(key="town", name="Town", sources=["town"], language="en")]
        model = ChatSettings(base_url=llm.base_url, model="fake")
        return load_settings(data=new_data(tmp_path), embedder="hashing", sites=sites, chat=model, **more)

    def index(services: Services) -> None:
        while services.store.pending():
            services.indexing.indexer.sync_pages()

    health = "p.health"
    llm.default = Reply(status=503)
    with Services(settings(max_chunks=2)) as broken, console(broken) as address:
        long = " ".join(f"Line {number} of the timetable names pier {number}." for number in range(90))
        broken.store.accept([raw_page("ferry", "Ferry timetable", long), raw_page(*SITE_PAGES[0])])
        index(broken)
        page, port = open_page("ada", at=(broken, address)), int(address.split(":")[2].partition("/")[0])
        expect(page.locator(health)).to_contain_text("One thing needs attention.")
        expect(page.locator("ul.troubles")).to_contain_text("Language model")
        expect(page.locator("ul.troubles")).to_contain_text("Check the model's server.")
        expect(page.locator("main")).to_contain_text("One page could not be indexed.")
        page.get_by_role("link", name="See why and try again").click()
        expect(page.get_by_role("table")).to_contain_text("raise max_chunks")
        llm.default = Reply(deltas=("The dog tax is 96 euros a year [1].",))

    with Services(settings()) as mended, console(mended, port):
        page.get_by_role("button", name="Index these again").click()
        expect(page.get_by_role("status")).to_contain_text("being indexed again")
        index(mended)
        page.get_by_role("link", name="Try it").click()
        page.get_by_label("Question").fill("How much is the dog tax?")
        page.get_by_role("button", name="Ask").click()
        expect(page.locator("article.answer")).to_contain_text("96 euros a year")
        page.get_by_role("link", name="Overview").click()
        expect(page.locator(health)).to_contain_text("Everything works.")
        expect(page.locator("main")).not_to_contain_text("could not be indexed")


def test_no_text_of_pages_or_questions_runs_in_the_console(
    open_page: Any, address: str, services: Services
) -> None:
    page = open_page("eva")
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(re.sub(r"^\w+://([^:/]*).*", r"\1", request.url)))
    for _, title, content in SITE_PAGES[2:]:
        page.context.request.post(
            address.replace("/admin/", "/api/chat?site=town"), data={"question": f"{title} {content}"[:500]}
        )
    for path in ("questions", "pages", *(f"pages/town/en/{name}" for name, *_ in SITE_PAGES[2:])):
        page.goto(address + path)
        assert page.evaluate("document.querySelectorAll('main script, main iframe, main img').length") == 0
    assert hosts == {"127.0.0.1"}


def test_the_chat_is_shown_in_the_colours_of_the_website(open_page: Any) -> None:
    page = open_page("col", color_scheme="light")
    page.get_by_role("link", name="Sites").click()
    page.get_by_role("link", name="Town").click()
    page.get_by_label("Colour of your website").fill("#7a0b3f")
    page.get_by_role("button", name="Show the chat in this colour").click()
    expect(page.locator("#colours-css")).to_contain_text("--auskunft-accent: light-dark(#7a0b3f,")
    page.locator("iframe.preview").scroll_into_view_if_needed()
    button = page.frame_locator("iframe.preview").get_by_role("button", name="Send question")
    expect(button).to_have_css("background-color", "rgb(122, 11, 63)")


def test_the_console_works_with_the_keyboard_and_a_menu_on_small_windows(open_page: Any) -> None:
    page = open_page("kay", viewport={"width": 320, "height": 568})
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Menu").click()
    expect(page.get_by_role("link", name="Settings")).to_be_in_viewport()


def test_what_was_just_done_is_told_once(open_page: Any, address: str) -> None:
    page = open_page("tess")
    page.goto(f"{address}sites?done=saved&lang=en")
    expect(page.get_by_role("status")).to_contain_text("Saved")
    page.reload()
    expect(page.get_by_role("heading", name="Sites")).to_be_visible()
    expect(page.get_by_role("status")).to_have_count(0)


def _is_blocked(message: ConsoleMessage) -> bool:
    """True where the browser tells that it sent no form."""
    return "Blocked form submission" in message.text


def test_an_admin_writes_the_sites_texts_sees_them_first_and_takes_them_back(
    open_page: Any, address: str
) -> None:
    page = open_page("tex")
    page.goto(f"{address}sites/town")
    page.get_by_role("link", name="Change the texts").click()
    page.get_by_label("Name").fill("Ottertown")
    page.get_by_label("Example questions").fill("Is the pool open?")
    page.get_by_role("button", name="Show before saving").click()
    expect(page.get_by_role("heading", name="Preview", exact=True)).to_be_in_viewport()
    shown = page.frame_locator("iframe.preview")
    expect(shown.locator(".brand")).to_have_text("Ottertown")
    expect(shown.get_by_role("button", name="Is the pool open?")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Ottertown")
    with page.expect_console_message(_is_blocked):
        shown.get_by_role("button", name="Is the pool open?").click()
    shown.locator("a[href^='/about']").click()
    shown.locator("a[href^='/chat']").last.click()
    shown.locator("#ask textarea").fill("Is the pool open?")
    with page.expect_console_message(_is_blocked):
        shown.locator("#ask button").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("from the next question on")
    page.locator(".trail").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ottertown")
    expect(
        page.frame_locator("iframe.preview").get_by_role("button", name="Is the pool open?")
    ).to_be_visible()
    page.get_by_role("link", name="Change the texts").click()
    page.get_by_role("button", name="Restore the texts of the settings file").click()
    expect(page.get_by_label("Name")).to_have_value("Town")
