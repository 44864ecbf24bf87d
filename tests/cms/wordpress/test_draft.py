"""The box "Check my draft", as editors use it."""

import html
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cms.service import Auskunft, seconds_until
from tests.cms.wordpress.site import WordPress
from tests.cms.wordpress.test_wordpress import KNOWN_WITHIN_SECONDS, known, saved
from tests.fakes.web_server import web_server

AJAX = "/wp-admin/admin-ajax.php"
SAUNA = "When is the sauna open on Sunday?"
TEXT = "<p>The sauna is open on Sunday from ten to eight.</p><script>alert(1)</script>"

TYPED = "<p>The sauna is open on Sunday, typed just now.</p>"
CLASSIC = """<?php
if ( isset( $_GET['classic'] ) ) {
    add_filter( 'use_block_editor_for_post', '__return_false' );
    add_filter( 'user_can_richedit', '__return_false' );
}
"""


@pytest.fixture(scope="module")
def number(wordpress: WordPress, service: Auskunft) -> int:
    """A draft, beside a page that names a fee and a question that no page answers."""
    saved(wordpress, "saunafee")
    seconds_until(lambda: known(service, "saunafee"), KNOWN_WITHIN_SECONDS)
    service.sources(SAUNA)
    draft = wordpress.save(title="Sauna", content="<p>Saved before.</p>", status="draft")
    return int(draft["id"])


def nonce(client: httpx.Client, number: int) -> str:
    editor = client.get("/wp-admin/post.php", params={"post": number, "action": "edit"}).text
    found = re.search(r'data-nonce="(\w+)"', editor)
    assert found, editor[-2000:]
    return found[1]


def ask(client: httpx.Client, number: int, content: str = TEXT, **more: str) -> httpx.Response:
    fields = {"action": "auskunft_draft", "post": number, "title": "Sauna", "content": content}
    return client.post(AJAX, data={**fields, "_ajax_nonce": nonce(client, number), **more})


def shown(client: httpx.Client, number: int, content: str = TEXT, **more: str) -> str:
    answer = ask(client, number, content, **more).json()
    assert answer["success"], answer
    return str(answer["data"])


def test_the_text_in_the_editor_answers_what_no_page_answers(
    administrator: httpx.Client, number: int
) -> None:
    box = shown(administrator, number)
    assert f"<strong>{SAUNA}</strong><br>answered" in box
    assert "open on Sunday from ten to eight." in box
    assert "No published page says otherwise." in box


def test_the_text_contradicts_a_published_page_with_a_link(administrator: httpx.Client, number: int) -> None:
    box = shown(administrator, number, "<p>The saunafee in Otterfurt costs 120 euros a year.</p>")
    assert "costs 120 euros" in box
    assert re.search(r'<a href="http://127.0.0.1:\d+/all-about-saunafee/"[^>]*>All about saunafee</a>', box)
    assert "costs 96 euros" in box


def test_a_question_of_ones_own_is_answered_by_its_passage(administrator: httpx.Client, number: int) -> None:
    text = "<p>Bring your own towels to the sauna.</p>"
    box = shown(administrator, number, text, question="Do I have to bring towels to the <b>sauna</b>?")
    assert "<blockquote>Bring your own towels to the sauna.</blockquote>" in box
    assert "Contradictions" not in box


def test_what_the_service_says_is_shown_as_text(administrator: httpx.Client, number: int) -> None:
    text = "<p>The sauna &lt;img src=x onerror=alert(1)&gt; is open on Sunday.</p>"
    box = shown(administrator, number, text)
    assert "&lt;img" in box
    assert "<img" not in box


def test_nothing_is_saved_and_the_secret_stays_on_the_server(
    administrator: httpx.Client, wordpress: WordPress, service: Auskunft, number: int
) -> None:
    box = shown(administrator, number)
    assert wordpress.php(f"return get_post({number})->post_content;") == "<p>Saved before.</p>"
    editor = administrator.get("/wp-admin/post.php", params={"post": number, "action": "edit"}).text
    assert service.secrets[0] not in box + editor


def test_what_the_service_refuses_is_said(
    administrator: httpx.Client, wordpress: WordPress, number: int
) -> None:
    wordpress.configure(source="village")
    try:
        box = html.unescape(shown(administrator, number))
    finally:
        wordpress.configure(source="town")
    assert "Auskunft did not take the draft: 404 no source of this name is configured" in box


@pytest.mark.parametrize("body", [b"<html>Log in</html>", b"{}"])
def test_a_page_in_the_services_place_is_no_answer(
    administrator: httpx.Client, wordpress: WordPress, service: Auskunft, number: int, body: bytes
) -> None:
    try:
        with web_server(200, body, {}) as address:
            wordpress.configure(url=address)
            assert f"no answer from {address}" in html.unescape(shown(administrator, number))
    finally:
        wordpress.configure(url=service.url)


def test_without_its_nonce_or_for_another_author_nothing_is_asked(
    administrator: httpx.Client, wordpress: WordPress, number: int
) -> None:
    assert ask(administrator, number, _ajax_nonce="none").status_code == 403
    wordpress.php("wp_insert_user(['user_login' => 'guest', 'user_pass' => 'pw', 'role' => 'author']);")
    with httpx.Client(base_url=wordpress.url, follow_redirects=True, timeout=30) as author:
        author.get("/wp-login.php")
        author.post("/wp-login.php", data={"log": "guest", "pwd": "pw", "testcookie": "1"})
        own = re.search(r'data-nonce="(\w+)"', author.get("/wp-admin/post-new.php").text)
        assert own
        refused = author.post(AJAX, data={"action": "auskunft_draft", "post": number, "_ajax_nonce": own[1]})
    assert (refused.status_code, refused.json()["success"]) == (403, False)


@pytest.fixture
def page(browser: Browser, wordpress: WordPress) -> Iterator[Page]:
    """A window in which the administrator is logged in."""
    context = browser.new_context(base_url=wordpress.url, viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.goto("/wp-login.php")
    page.fill("#user_login", "editor")
    page.fill("#user_pass", "password")
    page.click("#wp-submit")
    page.wait_for_url("**/wp-admin/**")
    yield page
    context.close()


def assert_answers(page: Page) -> None:
    box = page.locator("[data-auskunft-draft]")
    box.get_by_role("button", name="Check my draft").click()
    expect(box.get_by_role("status")).to_contain_text("typed just now.")
    box.get_by_label("A question of your own").fill("Is the sauna open?")
    box.get_by_label("A question of your own").press("Enter")
    expect(box.get_by_role("status")).to_contain_text("Is the sauna open?")


def test_the_button_asks_what_is_typed_in_blocks_and_not_saved(page: Page, number: int) -> None:
    page.goto(f"/wp-admin/post.php?post={number}&action=edit")
    page.evaluate("wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false)")
    typed = f"<!-- wp:paragraph -->{TYPED}<!-- /wp:paragraph -->"
    page.evaluate("text => wp.data.dispatch('core/block-editor').resetBlocks(wp.blocks.parse(text))", typed)
    assert_answers(page)


def test_the_button_asks_what_is_typed_in_the_classic_editor(
    page: Page, wordpress: WordPress, number: int
) -> None:
    plugins = wordpress.folder / "wordpress" / "wp-content" / "mu-plugins"
    plugins.mkdir(exist_ok=True)
    (plugins / "classic.php").write_text(CLASSIC, "utf-8")
    page.goto(f"/wp-admin/post.php?post={number}&action=edit&classic=1")
    page.fill("#content", TYPED)
    assert_answers(page)
