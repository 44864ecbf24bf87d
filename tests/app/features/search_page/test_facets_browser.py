"""Facets in the search element, and filters that a page fixes for it and for the chat."""

import json
import re
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect
from werkzeug.serving import make_server

from app import create_app
from app.services import Services
from tests.browser.conftest import StartVisit


@pytest.fixture(scope="module")
def address(field_services: Services) -> Iterator[str]:
    """The address of an installation with declared fields."""
    server = make_server("127.0.0.1", 0, create_app(services=field_services), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def titles(page: Page) -> list[str]:
    return page.locator("auskunft-search .panel .hits h3").all_inner_texts()


def test_the_element_narrows_the_list_by_values_and_ranges(visit: StartVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?q=form&lang=en")
    office = page.locator("auskunft-search").get_by_label("Office")
    expect(office.locator("option")).to_have_text(["All", "Building (2)", "Registry (2)"])
    office.select_option("Building")
    expect(page.locator("auskunft-search").get_by_role("status")).to_have_text("2 pages found")
    assert set(titles(page)) == {"Building form", "Permit form"}
    assert "filter.office=Building" in page.url
    page.goto(f"{address}/?q=form&lang=en")
    year = page.locator("auskunft-search .panel").get_by_role("group", name="year")
    assert year.get_by_label("from").get_attribute("placeholder") == "2024"
    year.get_by_label("from").fill("2025")
    year.get_by_label("to").fill("2025")
    year.get_by_role("button", name="Apply").click()
    expect(page.locator("auskunft-search").get_by_role("status")).to_have_text("1 page found")
    assert titles(page) == ["Building form"]
    page.go_back()
    expect(page.locator("auskunft-search").get_by_role("status")).to_have_text("4 pages found")


def test_a_range_typed_before_the_list_came_stays(visit: StartVisit, address: str) -> None:
    page = visit().page
    held: list[Route] = []

    def hold(route: Route) -> None:  # a method of a list is none that can be called here
        held.append(route)

    page.route("**/api/search/pages?*", hold)
    with page.expect_request("**/api/search/pages?*"):
        page.goto(f"{address}/?q=form&lang=en")
    search = page.locator("auskunft-search")
    search.get_by_role("group", name="year").get_by_label("from").fill("2025")
    held.pop().continue_()
    expect(search.locator(".panel")).to_be_visible()
    start = search.locator(".panel").get_by_role("group", name="year").get_by_label("from")
    expect(start).to_have_value("2025")
    expect(start).to_be_focused()


def test_a_new_question_keeps_all_filters_of_the_address(visit: StartVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?q=permit&lang=en&filter.office=Building&filter.office=Registry")
    search = page.locator("auskunft-search")
    expect(search.get_by_label("Office")).to_have_value("Building; Registry")
    with page.expect_request(
        lambda request: "pages?" in request.url and "typing" not in request.url
    ) as asked:
        search.get_by_role("searchbox").fill("form")
    assert parse_qs(urlsplit(asked.value.url).query)["filter.office"] == ["Building", "Registry"]
    expect(page).to_have_url(re.compile("q=form.*filter.office=Building&filter.office=Registry"))
    expect(search.locator("form.ask")).to_have_attribute(
        "action", re.compile("office=Building&filter.office=Registry#")
    )


def test_a_choice_that_finds_nothing_is_seen_and_can_be_taken_back(visit: StartVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?q=form&lang=en&filter.office=Nobody")
    search = page.locator("auskunft-search")
    office = search.get_by_label("office")
    expect(office).to_have_value("Nobody")
    office.select_option("All")
    expect(search.get_by_role("status")).to_have_text("4 pages found")
    year = search.get_by_role("group", name="year")
    year.get_by_label("from").fill("2030")
    year.get_by_label("from").press("Enter")
    expect(year.get_by_label("from")).to_have_value("2030")
    year.get_by_label("from").fill("")
    year.get_by_label("from").press("Enter")
    expect(search.get_by_role("status")).to_have_text("4 pages found")


def test_results_that_come_late_leave_the_focus_and_what_is_typed(visit: StartVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?q=form&lang=en")
    search = page.locator("auskunft-search .panel")  # not what the server sent, which it takes the place of
    first = search.get_by_role("group", name="year").get_by_label("from")
    late: list[Route] = []

    def keep(route: Route) -> None:
        late.append(route)

    page.route(re.compile(r"/api/search/pages\?.*from=20(30|25)$"), keep)
    first.fill("2030")
    with page.expect_request("**/api/search/pages?*from=2030"):
        first.press("Enter")
    first.fill("2025")
    late[0].continue_()
    expect(search.get_by_role("status")).to_contain_text("Nothing found")
    expect(first).to_have_value("2025")
    expect(first).to_be_focused()
    with page.expect_request("**/api/search/pages?*from=2025"):
        first.press("Enter")
    first.fill("")
    late[1].continue_()
    expect(search.get_by_role("status")).to_have_text("1 page found")
    expect(first).to_have_value("")
    office = search.get_by_label("Office")
    office.focus()
    office.select_option("Building")
    expect(page).to_have_url(re.compile("office=Building"))
    expect(office).to_be_focused()


def test_the_chat_of_a_page_that_fixes_filters_answers_by_them(visit: StartVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/chat?lang=en&filter.office=Building&filter.office=Registry&filter.year.from=2025")
    box = page.locator("auskunft-chat .panel textarea")
    box.fill("When is the form due?")
    with page.expect_request("**/api/chat?*") as asked:
        box.press("Enter")
    body = json.loads(asked.value.post_data or "")
    assert body["filters"] == {"office": ["Building", "Registry"], "year": {"from": "2025"}}
    expect(page.locator("auskunft-chat")).to_contain_text("The building form is due in May.")
