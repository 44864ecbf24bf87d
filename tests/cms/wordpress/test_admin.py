"""The page of the settings, as an administrator uses it."""

import ast
import gettext
import html
import json
import re
import subprocess
from typing import Final

import httpx

from tests.cms.service import Auskunft, seconds_until
from tests.cms.wordpress.site import PLUGIN, WordPress
from tests.cms.wordpress.test_wordpress import saved

PAGE: Final = "/wp-admin/options-general.php?page=auskunft"


def press(client: httpx.Client, action: str) -> str:
    """Press a button of the page; the page that follows."""
    page = client.get(PAGE).text
    form = re.search(rf'value="auskunft_{action}".*?name="_wpnonce" value="(\w+)"', page, re.S)
    assert form, page[-3000:]
    data = {"action": f"auskunft_{action}", "_wpnonce": form[1]}
    return html.unescape(client.post("/wp-admin/admin-post.php", data=data).text)


def test_the_test_button_says_that_all_is_right(administrator: httpx.Client) -> None:
    assert "address, source and secret are right" in press(administrator, "test")


def test_the_test_button_says_what_is_wrong(
    administrator: httpx.Client, wordpress: WordPress, service: Auskunft
) -> None:
    wordpress.configure(source="village")
    try:
        assert "404 no source of this name is configured" in press(administrator, "test")
    finally:
        wordpress.configure(source="town")


def test_all_pages_are_sent_again(administrator: httpx.Client, wordpress: WordPress) -> None:
    saved(wordpress, "again")
    seconds_until(lambda: wordpress.waiting() == 0)
    assert "All pages are being sent." in press(administrator, "all")
    seconds_until(lambda: wordpress.waiting() == 0)


def test_a_button_without_its_nonce_does_nothing(administrator: httpx.Client) -> None:
    assert administrator.post("/wp-admin/admin-post.php", data={"action": "auskunft_all"}).status_code == 403


def test_settings_are_saved_by_the_form_and_the_secret_is_never_shown(
    administrator: httpx.Client, service: Auskunft
) -> None:
    page = administrator.get(PAGE).text
    assert service.secrets[0] not in page
    names = ("option_page", "action", "_wpnonce", "_wp_http_referer")
    hidden = {name: re.search(rf'name=[\'"]{name}[\'"] value=[\'"](.*?)[\'"]', page) for name in names}
    data = {name: html.unescape(found[1]) for name, found in hidden.items() if found}
    given = {"url": f"{service.url}/", "source": "town", "secret": "", "site": "default", "everywhere": "1"}
    fields = {f"auskunft[{name}]": value for name, value in given.items()}
    chosen: dict[str, str | list[str]] = {**data, **fields, "auskunft[types][]": ["page", "post"]}
    administrator.post("/wp-admin/options.php", data=chosen)
    assert "address, source and secret are right" in press(administrator, "test")
    front = administrator.get("/").text
    assert re.search(rf'<script async data-site="default"[^>]* src=\'{service.url}/widget.js\'', front), front


def test_the_chat_is_where_its_short_code_is(wordpress: WordPress, service: Auskunft) -> None:
    wordpress.configure(site="default")
    page = saved(wordpress, "shortcode", content="[auskunft_chat]", slug="chat-page")
    shown = httpx.get(page["link"], timeout=30).text
    assert f'<auskunft-chat site="default"><a href="{service.url}/chat?site=default">' in shown


def test_the_chat_is_where_its_block_is_and_no_part_of_what_is_sent(
    wordpress: WordPress, service: Auskunft
) -> None:
    wordpress.configure(site="default")
    page = saved(wordpress, "block", content="<!-- wp:auskunft/chat /--><p>Text</p>", slug="block-page")
    shown = httpx.get(page["link"], timeout=30).text
    assert f'<auskunft-chat site="default"><a href="{service.url}/chat?site=default">' in shown
    assert f"{service.url}/widget.js" in shown
    row = f"(object) ['post_id' => {page['id']}, 'revision' => 1, 'language' => '']"
    sent = wordpress.php(f"return Auskunft\\Pages::events({row})[0]['html'];")
    assert "<p>Text</p>" in sent
    assert "auskunft-chat" not in sent


def test_editors_find_the_block(administrator: httpx.Client) -> None:
    editor = administrator.get("/wp-admin/post-new.php").text
    texts = re.search(r"var auskunftBlock = (\{.*?\});", editor)
    assert texts
    script = re.search(r"src='([^']*/assets/block\.js[^']*)'", editor)
    assert script
    run = (
        "globalThis.window = {wp: {blocks: {registerBlockType: (n, b) => console.log(JSON.stringify({n, ...b,"
        " shown: b.edit(), saved: b.save()}))}, element: {createElement: (n, p, text) => text},"
        f" blockEditor: {{useBlockProps: p => p}}}}, auskunftBlock: {texts[1]}}};"
    )
    done = subprocess.run(
        ["node", "-e", run + administrator.get(script[1]).text], capture_output=True, text=True, check=True
    )
    block = json.loads(done.stdout)
    assert (block["n"], block["title"], block["saved"]) == ("auskunft/chat", "Chat of Auskunft", None)
    assert block["shown"]


def test_the_page_tells_in_which_languages_entries_are_sent(
    administrator: httpx.Client, wordpress: WordPress
) -> None:
    assert "All pages are sent as en_US." in html.unescape(administrator.get(PAGE).text)
    with_polylang = (
        "function pll_get_post_language($id) { return 'fr'; } return Auskunft\\Pages::languages();"
    )
    assert wordpress.php(with_polylang) == "Each translation is sent in its own language."


def test_every_text_is_translated() -> None:
    sources = [path.read_text("utf-8") for path in PLUGIN.rglob("*.php")]
    pattern = r"(?:__|esc_html_e|esc_html__|esc_attr_e)\( ('(?:[^'\\]|\\.)*'), 'auskunft' \)"
    texts = {ast.literal_eval(found) for source in sources for found in re.findall(pattern, source)}
    with (PLUGIN / "languages" / "auskunft-de_DE.mo").open("rb") as file:
        german = gettext.GNUTranslations(file)
    assert len(texts) > 25
    assert {text for text in texts if german.gettext(text) == text} == {"Chat"}


def test_the_page_is_german_for_austrians(wordpress: WordPress) -> None:
    text = wordpress.php(
        "add_filter('locale', fn() => 'de_AT'); unload_textdomain('auskunft'); Auskunft\\Admin::texts();"
        "return __('Test the connection', 'auskunft');"
    )
    assert text == "Verbindung prüfen"
