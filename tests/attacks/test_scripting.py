"""No text from anywhere runs a script, asks another host, or becomes more than text, wherever it is shown."""

import json
import random
import time
from collections.abc import Iterator
from html import escape
from typing import Final
from urllib.parse import quote, urlsplit

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, expect

from app.chat.redaction import redacted
from app.chat.text.render import ATTRIBUTES, TAGS, BlockRenderer
from ingest.text import visible
from tests.attacks.hostile import (
    COMMENT_CHARACTERS,
    DOG_TAX,
    PER_ANSWER,
    QUESTION,
    QUESTION_CHARACTERS,
    TOKEN,
    TOWN,
    UNKNOWN,
    Installation,
    decade_word,
    group_word,
    joined,
    page_groups,
    serving,
)
from tests.attacks.payloads import PAYLOADS, Payload
from tests.attacks.watch import CONTACTS, Element, Trap, Watch, assert_no_traps, watching
from tests.browser.visit import OPEN
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm, Reply

SEED: Final = 7
MEMORY: Final = "auskunft:demo"
ANSWERS: Final = ".blocks, .prose"
FRAMES: Final = ("{}", "> {}", "- {}", "# {}", "| {} |\n|---|", "**{}**", f"[{{}}]({DOG_TAX})")
SHOWN_FRAMES: Final = (FRAMES[0], FRAMES[2], FRAMES[4], FRAMES[6])
"""Those of which a browser is shown the answer."""

CITATION: Final = frozenset({"#source-", "#answer-"})

QUESTIONS: Final = "h3.question, h2[id^=question]"
SOURCES: Final = ".sources"
CONVERSATIONS: Final = {"asked": (QUESTIONS, ANSWERS), "quoted": (SOURCES,)}
"""Where all payloads are in each: in questions and what a model wrote, or in pages that are quoted."""

CUT: Final = 0.02
"""Share of the payloads that are at the end of a title too long to be shown whole."""

QUOTED: Final = 0.8
"""Share of the payloads that the quotes hold; they are too short for some."""

URL_CHARACTERS: Final = 9_000
SEND_FORM: Final = """([action, fields]) => {
  const form = Object.assign(document.createElement("form"), { method: "post", action });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { name, value }));
  }
  document.body.append(form);
  form.submit();
}"""

SANDBOX: Final = "allow-scripts allow-same-origin allow-forms allow-popups"
TOUCH: Final = """() => {
  for (const frame of document.querySelectorAll("iframe")) {
    for (const each of frame.contentDocument?.querySelectorAll("[autofocus], [onfocus]") ?? []) each.focus();
    for (const each of frame.contentDocument?.querySelectorAll("a, area, .clickme") ?? []) {
      each.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
  }
}"""
"""Do what a visitor would be led to do."""

MARKDOWN_KINDS: Final = frozenset({"scheme", "markdown", "nesting"})
ENOUGH: Final = 200
"""Payloads that do something in this browser, where texts are trusted; others did in earlier ones."""

SECONDS: Final = 60
POLL_MS: Final = 100


def effective(watch: Watch) -> set[int]:
    """The payloads that ran or asked their host."""
    asked = {urlsplit(url).hostname for url in watch.foreign} | set(watch.trapped)
    return {each.number for each in PAYLOADS if each.number in watch.fired or each.host in asked}


def framed(frame: str, payload: Payload) -> str:
    """The payload as a block of Markdown; its label in a paragraph before it."""
    text = payload.text if frame == "{}" else payload.line
    return f"{payload.label}\n\n{frame.replace('{}', text)}\n\n"


def reply(frame: str) -> Reply:
    """All payloads in one answer, cut anywhere as a model's words are."""
    text = "STATUS: answered\nJa [1].\n\n" + "".join(framed(frame, payload) for payload in PAYLOADS)
    dice, pieces, position = random.Random(SEED), [], 0
    while position < len(text):
        end = position + dice.randint(1, 60)
        pieces.append(text[position:end])
        position = end
    return Reply(deltas=tuple(pieces))


@pytest.fixture(scope="module")
def website() -> Iterator[Website]:
    with Website() as site:
        yield site


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.repeats_questions = True
        yield fake


@pytest.fixture(scope="module")
def installation(
    website: Website, llm: FakeLlm, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    with serving(tmp_path_factory.mktemp("hostile"), website.address, llm) as installation:
        yield installation


@pytest.fixture(scope="module")
def conversations(installation: Installation, llm: FakeLlm) -> dict[str, str]:
    """The ids of the conversations."""
    return {"asked": _asked(installation, llm), "quoted": _quoted(installation, llm)}


def _asked(installation: Installation, llm: FakeLlm) -> str:
    """First without an answer, so that the contact is shown; then hostile questions, answers and comments."""
    _, conversation = installation.ask(UNKNOWN)
    questions = list(joined(PAYLOADS, QUESTION_CHARACTERS))
    comments = joined(PAYLOADS, COMMENT_CHARACTERS)
    for number, comment in enumerate(comments):
        written = reply(SHOWN_FRAMES[number]) if number < len(SHOWN_FRAMES) else Reply()
        llm.script(written)
        question = questions[number] if number < len(questions) else QUESTION
        answer, conversation = installation.ask(question, conversation)
        installation.comment(answer, comment)
    return conversation


def _quoted(installation: Installation, llm: FakeLlm) -> str:
    llm.default, conversation = Reply(status=400), None
    for page in range(0, len(page_groups()), PER_ANSWER):
        _, conversation = installation.ask(group_word(page), conversation)
    llm.default = Reply()
    return str(conversation)


@pytest.fixture(params=["no policy", "with its policies"])
def watch(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watch]:
    """A visitor: one whose browser heeds no policy, and one whose browser tells what a policy kept back."""
    with Trap() as trap, watching(browser, trap, bypass_csp=request.param == "no policy") as watch:
        yield watch


@pytest.fixture
def bare(browser: Browser) -> Iterator[Watch]:
    """A visitor whose browser heeds no policy."""
    with Trap() as trap, watching(browser, trap, bypass_csp=True) as watch:
        yield watch


def assert_harmless(watch: Watch, *hosts: str) -> None:
    """Nothing happened, and the answers hold what is listed."""
    watch.assert_quiet()
    assert_listed(watch.elements(ANSWERS))
    assert_no_traps(watch.elements(), [*hosts, TOWN])


def assert_shown(watch: Watch, said: str) -> None:
    """No payload is hidden behind another one."""
    for place in CONVERSATIONS[said]:
        assert len(missing(watch.text(place))) <= (CUT * len(PAYLOADS) if place == SOURCES else 0)
    assert len(missing(watch.text(ANSWERS))) <= (1 - QUOTED) * len(PAYLOADS)


def missing(text: str) -> list[int]:
    return [payload.number for payload in PAYLOADS if payload.label not in text]


def assert_listed(elements: list[Element]) -> None:
    """Only what an answer may hold, and links to nothing but cited pages, citations and contacts."""
    for name, attributes in elements:
        if name == "div":
            assert attributes.keys() <= {"class", "dir", "tabindex", "role", "aria-label"}
            continue
        assert name in TAGS
        assert attributes.keys() <= ATTRIBUTES.get(name, set()) | {
            "class",
            "dir",
            "rel",
            "aria-label",
            "title",
        }
        href = attributes.get("href", "#source-1")
        known = (*CITATION, *CONTACTS)
        assert href.startswith(known) or href.partition("#")[0].startswith(f"{TOWN}/"), href


def restored(watch: Watch, address: str, conversation: str) -> None:
    """Open the chat on a page of a tab that remembers the conversation."""
    watch.page.add_init_script(f"sessionStorage.setItem({json.dumps(MEMORY)}, {json.dumps(conversation)})")
    watch.page.goto(address)
    watch.page.locator(".launcher").click()
    expect(watch.page.locator(".exchange").last.locator(".tools")).to_be_visible()


class TestPayloads:
    def test_they_do_something_in_a_page_that_trusts_them(self, website: Website, bare: Watch) -> None:
        naive = MarkdownIt("commonmark", {"html": True}).enable(["table"])
        naive.validateLink = lambda url: True  # type: ignore[method-assign]
        texts = [(payload.kind in MARKDOWN_KINDS, visible(payload.text)) for payload in PAYLOADS]
        shown = [escape(naive.render(text) if is_markdown else text) for is_markdown, text in texts]
        frames = [f'<iframe sandbox="{SANDBOX}" srcdoc="{html}"></iframe>' for html in shown]
        deadline = time.monotonic() + SECONDS
        website.pages["/trusting"] = f"<!doctype html><body>{''.join(frames)}"
        bare.page.goto(f"{website.address}/trusting", timeout=SECONDS * 1000)
        bare.page.evaluate(TOUCH)
        while len(did := effective(bare)) < ENOUGH and time.monotonic() < deadline:
            bare.page.wait_for_timeout(POLL_MS)
        assert len(did) >= ENOUGH

    @pytest.mark.parametrize("frame", FRAMES)
    def test_none_hides_another_in_one_answer(self, frame: str) -> None:
        blocks = [framed(frame, payload) for payload in PAYLOADS]
        render = BlockRenderer(links=[DOG_TAX], numbers=[1]).render
        assert render("".join(blocks)) == "".join(map(render, blocks))


FIRST_NESTED: Final = next(n for n, each in enumerate(PAYLOADS, 1) if "<b><b><b>" in each.text)


def test_in_an_answer_while_it_is_written(
    bare: Watch, installation: Installation, website: Website, llm: FakeLlm
) -> None:
    bare.page.goto(website.embed(installation.address, site="demo"))
    bare.page.get_by_role("button", name=OPEN).click()
    field = bare.page.locator("form.ask textarea")
    for number, frame in enumerate(SHOWN_FRAMES, 1):
        llm.script(reply(frame))
        field.fill(QUESTION)
        field.press("Enter")
        expect(bare.page.locator(".exchange .tools")).to_have_count(number)
        expect(bare.page.locator(".exchange").last.locator(".tools")).not_to_be_empty()
        lost = missing(bare.page.locator(".blocks").last.inner_text())
        # Tags nested a hundred times are a repetition: the answer ends there.
        assert lost == list(range(FIRST_NESTED + 1, len(PAYLOADS) + 1))[: len(lost)]
    assert_harmless(bare, installation.address, website.address)


@pytest.mark.parametrize("said", CONVERSATIONS)
class TestShownAgain:
    def test_in_the_chat_on_a_website(
        self,
        watch: Watch,
        installation: Installation,
        website: Website,
        conversations: dict[str, str],
        said: str,
    ) -> None:
        restored(watch, website.embed(installation.address, site="demo", strict=True), conversations[said])
        assert_harmless(watch, installation.address, website.address)
        assert_shown(watch, said)

    def test_in_the_chat_of_the_demos_town(
        self, bare: Watch, installation: Installation, conversations: dict[str, str], said: str
    ) -> None:
        restored(bare, f"{installation.address}/otterfurt/de/index.html", conversations[said])
        bare.assert_quiet()
        assert_listed(bare.elements(ANSWERS))
        assert_no_traps(bare.elements("auskunft-chat"), [installation.address, TOWN])
        assert_shown(bare, said)

    def test_on_the_page_for_browsers_without_scripts(
        self, watch: Watch, installation: Installation, conversations: dict[str, str], said: str
    ) -> None:
        watch.page.goto(f"{installation.address}/?site=demo")
        fields = {"conversation": conversations[said], "q": UNKNOWN}
        watch.page.evaluate(SEND_FORM, ["/chat?site=demo", fields])
        expect(watch.page.locator("article#latest")).to_contain_text(UNKNOWN)
        assert_harmless(watch, installation.address)
        assert_shown(watch, said)


def test_questions_and_the_contact_appear_as_they_were_given(
    bare: Watch, installation: Installation, website: Website, conversations: dict[str, str]
) -> None:
    restored(bare, website.embed(installation.address, site="demo"), conversations["asked"])
    shown = bare.page.locator("h3.question .bubble").all_text_contents()
    for question in joined(PAYLOADS, QUESTION_CHARACTERS):
        assert redacted(visible(question).strip()) in shown
    assert missing(bare.page.locator(".exchange").first.inner_text()) == []


def test_what_is_found_and_asked_on_the_search_page(bare: Watch, installation: Installation) -> None:
    def shown(question: str) -> str:
        bare.page.goto(f"{installation.address}/?site=demo&q={quote(question)}")
        assert bare.page.input_value("#question") == " ".join(question.split("\n"))
        assert_no_traps(bare.elements(), [installation.address, TOWN])
        return bare.text("#hits")

    questions = [decade_word(page) for page in range(0, len(page_groups()), 10)]
    seen = "".join(map(shown, (*questions, *joined(PAYLOADS, QUESTION_CHARACTERS))))
    seen += "".join(shown(payload.label) for payload in PAYLOADS if payload.label not in seen)
    assert missing(seen) == []
    bare.assert_quiet()


class TestSettings:
    def test_names_and_examples_of_sites_in_the_chat(
        self, bare: Watch, installation: Installation, website: Website
    ) -> None:
        chats = "".join(f'<auskunft-chat site="{site.key}"></auskunft-chat>' for site in installation.named)
        bare.page.goto(website.embed(installation.address, body=chats, site=""))
        for chat in bare.page.locator("auskunft-chat").all():
            chat.scroll_into_view_if_needed()
            expect(chat.locator(".example").first).to_be_visible()
        assert_harmless(bare, installation.address, website.address)
        examples = bare.page.locator(".example").all_text_contents()
        given = [example for site in installation.named for example in site.examples]
        assert examples == [example for example in given if example in examples]
        assert 2 * len(examples) > len(given)  # those in the language of the chat

    def test_names_and_examples_of_sites_on_the_page(self, bare: Watch, installation: Installation) -> None:
        bare.page.route("**/widget.js", lambda route: route.abort())
        for site in installation.named:
            bare.page.goto(f"{installation.address}/chat?site={site.key}")
            examples = bare.page.locator(".examples button").evaluate_all("all => all.map(b => b.value)")
            assert examples == [example for example in site.examples if example in examples]
            assert examples
            assert_no_traps(bare.elements(), [installation.address])
        bare.assert_quiet()


class TestAddresses:
    """Opened in a browser as if they were pages."""

    @pytest.mark.parametrize(
        "path",
        [
            "/{}",
            "/otterfurt/de/{}",
            "/widget/{}/chat.js",
            "/api/answers/{}?site=demo",
            "/api/conversations/x?site={}",
            "/api/search?site=demo&q=x&source={}",
            "/api/search?site=demo&q={}",
            "/api/search?site=demo&q=x&at={}",
            "/api/site?site={}",
            "/chat?site={}",
            "/?site={}&q=x",
            "/chat?site=demo&lang={}",
        ],
    )
    def test_what_is_asked_for_in_them(self, bare: Watch, installation: Installation, path: str) -> None:
        for text in joined(PAYLOADS, URL_CHARACTERS):
            response = bare.page.goto(installation.address + path.replace("{}", quote(text, safe="")))
            assert response
            assert response.headers["x-content-type-options"] == "nosniff"
            assert_no_traps(bare.elements(), [installation.address])
        bare.assert_quiet()

    def test_the_export_of_questions_is_json_and_a_file_for_spreadsheets(
        self, browser: Browser, installation: Installation, conversations: dict[str, str]
    ) -> None:
        assert conversations
        with (
            Trap() as trap,
            watching(
                browser, trap, bypass_csp=True, extra_http_headers={"Authorization": f"Bearer {TOKEN}"}
            ) as watch,
        ):
            address = f"{installation.address}/api/admin/questions"
            response = watch.page.goto(f"{address}?limit=200")
            assert response
            assert response.headers["content-type"] == "application/json"
            assert response.headers["x-content-type-options"] == "nosniff"
            assert missing(response.text()) == []
            assert_no_traps(watch.elements(), [])
            sheet = watch.page.context.request.get(f"{address}?format=csv")
            assert sheet.headers["content-type"].startswith("text/csv")
            assert sheet.headers["x-content-type-options"] == "nosniff"
            assert sheet.headers["content-disposition"].startswith("attachment")
            watch.assert_quiet()
