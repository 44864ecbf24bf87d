"""A fixed answer in a real browser, from a visitor's question to the chat."""

from typing import Any

from playwright.sync_api import expect

from tests.browser import test_console as consoles

services, address, open_page = consoles.services, consoles.address, consoles.open_page


def test_a_fixed_answer_for_an_unanswered_question_is_in_the_chat_at_once(
    open_page: Any, address: str
) -> None:
    page = open_page("eve", "town")
    chat = address.replace("/admin/", "/chat?site=town&lang=en")
    question = "Who paints the town hall?"
    asked = page.context.request.post(
        address.replace("/admin/", "/api/chat?site=town"), data={"question": question}
    )
    assert asked.ok
    page.get_by_role("link", name="Questions", exact=True).click()
    page.get_by_role("link", name=question).click()
    page.get_by_role("link", name="Write a fixed answer").click()
    page.get_by_label("Answer", exact=True).fill("The painter's name is **Otto**.")
    page.set_viewport_size({"width": 390, "height": 600})
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("The painter's name is Otto.", exact=True)).to_be_in_viewport()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("applies at once")
    page.route("**/widget.js", lambda route: route.abort())
    page.goto(chat)
    page.locator("#question").fill(question)
    page.locator("form.ask button").first.click()
    turn = page.locator("article.turn").first
    expect(turn).to_contain_text("The painter's name is Otto.")
    expect(turn).to_contain_text("Written by the editors of this website.")
    expect(turn).not_to_contain_text("Written by AI")
