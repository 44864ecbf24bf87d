"""The chat on pages of all kinds: strict policies, other languages, other places, other colours."""

import pytest
from playwright.sync_api import ConsoleMessage, expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, source, started
from tests.browser.town import answering
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm

QUESTION = "Was kostet die Hundesteuer im Jahr?"
CITING = '<p>Sie kostet 96 Euro <a class="citation" href="#source-1">[1]</a>.</p>'
WHOLE = (started(), found(source(1), source(None)), block(CITING), done())


def test_a_strict_policy_lets_the_whole_chat_work_without_a_complaint(
    visit: StartVisit, website: Website, service: str, llm: FakeLlm
) -> None:
    chat = visit().go(website.embed(service, strict=True))
    answering(llm, "STATUS: answered\nSie kostet 96 Euro [1].")
    chat.ask(QUESTION)
    chat.finished()
    expect(chat.answer).to_contain_text("96 Euro")
    chat.button("Ja, hilfreich").click()
    expect(chat.exchanges.last).to_contain_text("Danke")
    chat.answer.get_by_role("link").click()
    chat.button("Gespräch löschen").click()
    chat.button("Löschen").click()
    expect(chat.exchanges).to_have_count(0)
    background = chat.panel.evaluate("panel => getComputedStyle(panel).backgroundColor")
    assert background == "rgb(255, 255, 255)"
    assert chat.console == []


def test_the_policy_of_that_test_is_in_force(visit: StartVisit, website: Website, service: str) -> None:
    chat = visit().go(website.embed(service, strict=True))
    message = chat.page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; } catch (error) { return error.name; } }"
    )
    assert message == "TypeError"


def test_a_page_whose_visitors_ask_nothing_loads_one_file_asks_whether_it_may_and_stores_nothing(
    visit: StartVisit, website: Website, service: str
) -> None:
    chat = visit()
    chat.page.goto(website.embed(service))
    expect(chat.launcher).to_be_visible()
    own = [url for url in chat.requests if url.startswith(service)]
    assert own == [f"{service}/widget.js", f"{service}/api/site?site=town"]
    assert chat.page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_an_element_that_is_named_like_the_script_does_not_say_where_the_chat_comes_from(
    visit: StartVisit, website: Website, service: str
) -> None:
    forged = '<img name="currentScript" src="/elsewhere/a.js" data-site="town" hidden>'
    chat = visit().go(website.embed(service, path="/forged", body=forged))
    expect(chat.field).to_be_visible()
    assert not [url for url in chat.requests if "/elsewhere/widget/" in url]


def test_a_second_page_loads_nothing_again(visit: StartVisit, website: Website, service: str) -> None:
    chat = visit().go(website.embed(service))
    chat.page.goto(website.embed(service, path="/second"))
    loaded: list[str] = []
    chat.page.on("response", lambda r: loaded.append(r.url) if not _from_cache(r.url, chat) else None)
    chat.open()
    assert [url for url in loaded if "/widget/" in url] == []


def _from_cache(url: str, chat: Visit) -> bool:
    script = "url => performance.getEntriesByName(url).every(entry => entry.transferSize === 0)"
    return bool(chat.page.evaluate(script, url))


def test_the_loader_leaves_one_element_and_no_globals(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    visitor = visit()
    visitor.page.goto(website.address + "/dog-tax")
    before = set(visitor.page.evaluate("Object.getOwnPropertyNames(window)"))
    visitor.go(website.embed(scripted.address))
    assert set(visitor.page.evaluate("Object.getOwnPropertyNames(window)")) - before == set()
    assert visitor.page.evaluate("customElements.get('auskunft-chat').name") == "AuskunftChat"


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("de", "Frage stellen"),
        ("en-GB", "Ask a question"),
        ("fr", "Poser une question"),
        ("cy", "Ask a question"),
    ],
)
def test_the_button_speaks_the_pages_language(
    visit: StartVisit, website: Website, scripted: ScriptedService, language: str, label: str
) -> None:
    chat = visit()
    chat.page.goto(website.embed(scripted.address, language=language))
    expect(chat.launcher).to_have_text(label)


@pytest.mark.parametrize(
    ("languages", "label"),
    [
        (("en", "de", ""), "Your question"),
        (("en", "de", "de"), "Ihre Frage"),
        (("cy", "de", ""), "Ihre Frage"),
        (("cy", "nl", ""), "Your question"),
    ],
)
def test_the_chat_speaks_the_elements_language_else_the_pages_else_the_sites(
    visit: StartVisit, website: Website, scripted: ScriptedService, languages: tuple[str, ...], label: str
) -> None:
    page, scripted.site["language"], element = languages
    chat = visit().go(website.embed(scripted.address, language=page, lang=element))
    expect(chat.page.get_by_role("textbox", name=label)).to_be_visible()
    expect(chat.panel).to_have_attribute("lang", "de" if label == "Ihre Frage" else "en")


@pytest.mark.parametrize("by_script", [True, False])
def test_the_chat_can_be_part_of_the_page(
    visit: StartVisit, website: Website, scripted: ScriptedService, by_script: bool
) -> None:
    chat = visit()
    if by_script:
        place = '<div id="place"></div>'
        address = website.embed(scripted.address, body=place, variant="inline", target="#place")
    else:
        element = '<auskunft-chat site="town"></auskunft-chat>'
        address = website.embed(scripted.address, body=element, site="")
    chat.page.goto(address)
    expect(chat.field).to_be_visible()
    expect(chat.panel).to_have_count(0)
    expect(chat.page.get_by_role("region", name="Chat")).to_be_visible()
    expect(chat.button("Chat schließen")).to_have_count(0)
    expect(chat.page.locator("body")).to_be_focused()
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("96 Euro")


def test_a_chat_below_the_page_is_loaded_when_it_comes_near(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    body = "<p>Bienen.</p>" * 100 + '<auskunft-chat site="town"></auskunft-chat>'
    chat.page.goto(website.embed(scripted.address, body=body, site=""))
    chat.page.wait_for_function("document.querySelector('auskunft-chat').shadowRoot !== null")
    assert not [url for url in chat.requests if "/chat.js" in url]
    chat.page.locator("auskunft-chat").scroll_into_view_if_needed()
    expect(chat.field).to_be_visible()


def test_a_website_gives_it_its_colours_and_the_page_does_not_leak_in(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    chat.page.add_style_tag(content="auskunft-chat { --auskunft-accent: #7a0b3f; color-scheme: light; }")
    send = chat.button("Frage senden")
    assert send.evaluate("button => getComputedStyle(button).backgroundColor") == "rgb(122, 11, 63)"
    example = chat.button("Wann fährt die Fähre?")
    assert example.evaluate("button => getComputedStyle(button).textTransform") == "none"
    assert "Georgia" not in str(example.evaluate("button => getComputedStyle(button).fontFamily"))


def test_the_page_is_told_what_happens_without_what_is_said(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit()
    chat.page.add_init_script(
        "window.told = []; for (const name of ['open', 'answer', 'close'])"
        " document.addEventListener(`auskunft-${name}`, (event) => told.push([name, event.detail]));"
    )
    chat.go(website.embed(scripted.address))
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    chat.finished()
    chat.page.keyboard.press("Escape")
    assert chat.page.evaluate("told") == [
        ["open", None],
        ["answer", {"answer": "a1", "status": "answered", "sources": 2}],
        ["close", None],
    ]


def test_an_answer_is_copied_with_its_sources(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit(permissions=["clipboard-read", "clipboard-write"]).go(website.embed(scripted.address))
    scripted.script(Reply(pieces=WHOLE))
    chat.ask(QUESTION)
    chat.finished()
    chat.button("Antwort kopieren").click()
    expect(chat.page.get_by_role("status")).to_contain_text("Kopiert.")
    assert chat.page.evaluate("navigator.clipboard.readText()") == (
        "Sie kostet 96 Euro [1].\n\n[1] Hundesteuer – https://www.otterfurt.example/steuern/hundesteuer"
    )


ENDINGS = (
    (done("partly"), ["Von einer KI", "nur zum Teil"]),
    (done("answered", citations=[], probable=[1]), ["Wahrscheinlich aus", "Hundesteuer"]),
    (done("extractive", model=None, degraded=["model_unavailable"]), ["Das Sprachmodell hat"]),
    (done("out_of_scope", citations=[]), ["Gefundene Seiten (2)"]),
    (done("no_answer", model=None, citations=[]), ["Gefundene Seiten (2)"]),
    (done("interrupted"), ["nicht zu Ende geführt", "Noch einmal fragen"]),
)


def test_it_is_said_how_an_answer_came_about(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    for number, (ending, texts) in enumerate(ENDINGS, 1):
        scripted.script(Reply(pieces=(*WHOLE[:2], block("<p>Sie kostet 96 Euro.</p>"), ending)))
        chat.ask(QUESTION)
        expect(chat.exchanges).to_have_count(number)
        for text in texts:
            expect(chat.exchanges.last).to_contain_text(text)
        chat.finished()


def test_a_greeting_is_answered_plainly(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    empty = b'event: sources\ndata: {"sources": [], "mode": null, "degraded": []}\n\n'
    greeting = done("greeting", model=None, citations=[])
    scripted.script(Reply(pieces=(started(), empty, block("<p>Guten Tag!</p>"), greeting)))
    chat.ask("Hallo")
    chat.finished()
    expect(chat.exchanges.last.get_by_role("heading", name="Quellen")).to_have_count(0)
    expect(chat.exchanges.last).not_to_contain_text("KI")


def test_sources_that_cannot_be_followed_are_no_links(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    evil = source(1, "<img src=x onerror=alert(1)>", href="javascript:alert(1)", url="javascript:alert(1)")
    scripted.script(Reply(pieces=(started(), found(evil), *WHOLE[2:])))
    chat.ask(QUESTION)
    chat.finished()
    item = chat.exchanges.last.locator(".sources li")
    expect(item).to_contain_text("<img src=x onerror=alert(1)>")
    expect(item.get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("variant", ["floating", "inline"])
@pytest.mark.parametrize("key", ["twon", "town"])
def test_who_embeds_it_with_a_wrong_key_or_origin_is_told_so_and_visitors_see_no_chat(
    visit: StartVisit, service: str, key: str, variant: str
) -> None:
    visitor = visit()
    with Website() as other, visitor.page.expect_console_message(_is_ours) as told:
        visitor.page.goto(other.embed(service, site=key, variant=variant))
    reasons = {
        "twon": "site 'twon' is unknown: use a key declared under [[sites]] in auskunft.toml",
        "town": f"origin {other.address} is not among `origins` of site 'town': add it to auskunft.toml",
    }
    assert told.value.text == f"Auskunft: {reasons[key]}"
    expect(visitor.launcher).to_have_count(0)
    assert visitor.page.locator("auskunft-chat").inner_text() == ""
    assert not [url for url in visitor.requests if "/chat.js" in url]


def _is_ours(told: ConsoleMessage) -> bool:
    return told.text.startswith("Auskunft: ")
