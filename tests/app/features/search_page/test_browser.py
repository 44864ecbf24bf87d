"""The search page and the search element on other websites."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.barriers import barriers_in_every_look
from tests.browser.conftest import StartVisit
from tests.browser.website import STRICT, Website, page

SEARCH = "/?site=town&lang=de"
EVIL = "<img src=x onerror=alert(1)>"


def field(page: Page) -> Locator:
    return page.locator("auskunft-search input[type=search]")


def titles(page: Page) -> Locator:
    return page.locator("auskunft-search .panel .hits h3")


def status(page: Page) -> Locator:
    return page.locator("auskunft-search").get_by_role("status")


@pytest.fixture
def search(visit: StartVisit, service: str) -> Callable[..., Page]:
    """Open the search page."""

    def start(query: str = "", **options: Any) -> Page:
        page = visit(**options).page
        page.goto(f"{service}{SEARCH}{query}")
        return page

    return start


@pytest.fixture
def embedded(website: Website, service: str) -> Iterator[Callable[..., str]]:
    """Put the element on a page of another origin; gives its address."""

    def put(attributes: str = "", language: str = "de") -> str:
        element = (
            f'<auskunft-search site="town" {attributes}><a href="/suche">Zur Suche</a></auskunft-search>'
        )
        script = f'<script src="{service}/search.js" async></script>'
        website.pages["/search"] = page(
            heading="Suche", text="Alles.", language=language, body=element, script=script
        )
        website.policies["/search"] = STRICT.format(service=service)
        return f"{website.address}/search"

    yield put
    website.pages.pop("/search", None)


def results(*titles: list[str], **changes: Any) -> str:
    """What the service replies: these titles."""
    hits = [
        {
            "id": f"p{number}",
            "source": "town",
            "language": "de",
            "kind": "page",
            "updated": "2026-03-01",
            "href": f"https://town.example/p{number}",
            "path": "town.example › p",
            "title": title,
            "heading": "",
            "lines": [{"pieces": ["Text ", "hier"], "listed": False}],
        }
        for number, title in enumerate(titles)
    ]
    reply: dict[str, Any] = {
        "asked": "hunde",
        "question": "hunde",
        "suggestion": None,
        "mode": "keyword",
        "degraded": [],
        "count": len(hits),
        "more": False,
        "page": 1,
        "pages": 1,
        "filters": {"source": {}, "language": {}, "kind": {}},
        "hits": hits,
    }
    return json.dumps(reply | changes)


def replying(page: Page, body: str) -> None:
    page.route(
        "**/api/search/pages?**", lambda route: route.fulfill(body=body, content_type="application/json")
    )


def test_typing_finds_and_marks_what_is_half_typed(search: Callable[..., Page]) -> None:
    page = search()
    field(page).press_sequentially("hundest")
    expect(titles(page)).to_have_text(["Hundesteuer"])
    expect(page.locator("auskunft-search .place")).to_contain_text("dog-tax")
    field(page).fill("hundesteuer")
    expect(page.locator("auskunft-search h3 mark")).to_have_text("Hundesteuer")
    expect(status(page)).to_have_text("1 Seite gefunden")
    expect(page.locator("form:visible")).to_have_count(2)  # the field, and what asks the chat


def test_a_later_key_cancels_what_was_asked_before(search: Callable[..., Page]) -> None:
    page = search()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/search/pages?*q=bie*", hold)
    with page.expect_request("**/api/search/pages?*q=bie*"):
        field(page).fill("bie")
    with page.expect_event("requestfailed"):
        field(page).fill("fähre")
    expect(titles(page)).to_have_text(["Fähre"])


def test_a_result_keeps_the_focus_when_the_list_comes_again(search: Callable[..., Page]) -> None:
    page = search()
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    field(page).fill("hundesteuer")
    page.clock.run_for(200)
    expect(status(page)).to_have_text("1 Seite gefunden")
    field(page).press("ArrowDown")
    expect(titles(page).locator("a")).to_be_focused()
    with page.expect_response(lambda response: "pages?" in response.url and "typing" not in response.url):
        page.clock.run_for(1_000)  # who types has paused
    expect(page.locator("auskunft-search form:visible")).to_have_count(2)  # what asks the chat came with it
    expect(titles(page).locator("a")).to_be_focused()


def test_arrows_lead_through_the_results_and_enter_opens_one(
    search: Callable[..., Page], website: Website
) -> None:
    page = search()
    field(page).fill("hundesteuer")
    expect(status(page)).to_have_text("1 Seite gefunden")
    field(page).press("ArrowDown")
    expect(titles(page).locator("a")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(field(page)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{website.address}/dog-tax**")


def test_escape_clears_the_field_and_the_results(search: Callable[..., Page]) -> None:
    page = search()
    field(page).fill("hundesteuer")
    expect(titles(page)).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(field(page)).to_have_value("")
    expect(field(page)).to_be_focused()
    expect(titles(page)).to_have_count(0)
    expect(status(page)).to_have_text("")


def test_back_leads_to_what_was_searched_before(search: Callable[..., Page]) -> None:
    page = search()
    field(page).fill("hundesteuer")
    page.wait_for_url("**q=hundesteuer")
    titles(page).locator("a").click()
    page.wait_for_url("**/dog-tax**")
    page.go_back()
    expect(field(page)).to_have_value("hundesteuer")
    expect(titles(page)).to_have_text(["Hundesteuer"])
    page.go_back()
    expect(field(page)).to_have_value("")


def test_an_address_shows_its_results_and_a_question_is_found_by_meaning(search: Callable[..., Page]) -> None:
    page = search("&q=Was+kostet+die+Hundesteuer+im+Jahr")
    expect(field(page)).to_have_value("Was kostet die Hundesteuer im Jahr")
    expect(titles(page).first).to_have_text("Hundesteuer")


def test_what_is_misspelt_is_corrected_and_what_nobody_has_finds_nothing(search: Callable[..., Page]) -> None:
    page = search()
    field(page).fill("hundesteur")
    expect(page.locator("auskunft-search .note").first).to_contain_text("Ergebnisse für hundesteuer.")
    field(page).fill("xyzzy plugh frobnitz")
    expect(status(page)).to_have_text("Nichts gefunden zu „xyzzy plugh frobnitz“.")
    expect(titles(page)).to_have_count(0)


def test_lists_are_narrowed_and_turned_over(search: Callable[..., Page]) -> None:
    page = search()
    choices = {"source": {"rathaus": 12, "presse": 3}, "language": {"de": 15}, "kind": {"page": 15}}
    replying(page, results(["A"], count=15, pages=2, filters=choices))
    field(page).fill("hunde")
    select = page.get_by_label("Quelle")
    expect(select.locator("option")).to_have_text(["Alle (15)", "rathaus (12)", "presse (3)"])
    expect(page.locator("auskunft-search select")).to_have_count(1)
    with page.expect_request("**source=presse*"):
        select.select_option("presse")
    expect(page.get_by_text("Seite 1 von 2")).to_be_visible()
    with page.expect_request("**page=2*"):
        page.get_by_role("button", name="Weiter").click()
    page.wait_for_url("**page=2**")
    page.go_back()
    page.wait_for_url("**source=presse")


def test_hostile_results_run_nothing(search: Callable[..., Page]) -> None:
    page = search()
    evil = json.loads(results([EVIL, EVIL]))
    evil["hits"][0] |= {"href": "javascript:alert(1)", "path": EVIL, "heading": EVIL}
    replying(page, json.dumps(evil | {"question": EVIL, "suggestion": EVIL}))
    field(page).fill(EVIL)
    expect(titles(page)).to_have_text([EVIL + EVIL])
    expect(page.locator("auskunft-search :is(img, h3 a)")).to_have_count(0)


def test_without_scripts_the_form_finds(search: Callable[..., Page]) -> None:
    page = search(java_script_enabled=False)
    page.locator("#question").fill("Hundesteuer")
    page.locator("#question").press("Enter")
    expect(page.locator("#hits-heading")).to_have_text("1 Seite gefunden")
    expect(page.locator(".hits h3")).to_have_text(["Hundesteuer"])


def test_what_was_typed_before_the_script_came_is_kept(visit: StartVisit, service: str) -> None:
    page = visit().page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/search.js", hold)
    with page.expect_request("**/search.js"):
        page.goto(f"{service}{SEARCH}", wait_until="commit")
    page.locator("#question").fill("Hundesteuer")
    held[0].continue_()
    expect(field(page)).to_have_value("Hundesteuer")
    expect(titles(page)).to_have_text(["Hundesteuer"])


def test_other_websites_embed_it_under_a_strict_policy(
    visit: StartVisit, embedded: Callable[..., str]
) -> None:
    visitor = visit()
    visitor.page.goto(embedded())
    field(visitor.page).fill("hundest")
    expect(titles(visitor.page)).to_have_text(["Hundesteuer"])
    expect(visitor.page.get_by_text("Zur Suche")).to_be_hidden()
    assert visitor.page.url.endswith("/search")
    assert visitor.console == []
    assert visitor.page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_it_speaks_the_pages_language(visit: StartVisit, embedded: Callable[..., str]) -> None:
    page = visit().page
    page.goto(embedded(language="en-GB"))
    field(page).fill("hundesteuer")
    expect(status(page)).to_have_text("1 page found")


def test_a_failure_is_said_and_the_next_key_tries_again(search: Callable[..., Page]) -> None:
    page = search()
    page.route("**/api/search/pages?**", lambda route: route.fulfill(status=429, body=""))
    field(page).fill("hundesteuer")
    expect(status(page)).to_contain_text("Zu viele Suchanfragen")
    page.unroute("**/api/search/pages?**")
    field(page).press("Enter")
    expect(titles(page)).to_have_count(1)


def test_axe_finds_no_barrier(search: Callable[..., Page], axe: str) -> None:
    page = search()
    choices = {"source": {"rathaus": 12, "presse": 3}, "language": {"de": 9, "en": 6}, "kind": {"page": 15}}
    replying(page, results(["Ein ", "Hund"], ["B"], count=15, pages=2, filters=choices, suggestion="hund"))
    field(page).fill("hunde")
    expect(page.get_by_text("Seite 1 von 2")).to_be_visible()
    assert barriers_in_every_look(page, axe) == []
