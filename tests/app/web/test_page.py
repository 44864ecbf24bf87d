"""The demo page as a browser without scripts sees it."""

import re
from html.parser import HTMLParser
from typing import Final

import pytest
from flask.testing import FlaskClient

from app.web.texts import LANGUAGES, TEXTS
from tests.app.site import XSS
from tests.fakes.llm import FakeLlm, Reply

QUESTION: Final = "How much is the dog tax in euros?"
VOID: Final = {"meta", "link", "input", "br", "hr"}


class Page(HTMLParser):
    """What a browser makes of a page: its elements in order, and whether they nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def named(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.elements if tag in tags]


def load(client: FlaskClient, **query: str) -> tuple[str, Page]:
    response = client.get("/", query_string=query)
    assert response.status_code == 200
    assert response.mimetype == "text/html"
    return response.text, Page(response.text)


def assert_inert(page: Page) -> None:
    """No element but the page's own ones, no inline code, nothing from elsewhere."""
    assert [script["src"] for script in page.named("script")] == ["/static/page.js"]
    assert not page.named("img", "svg", "iframe", "style", "math", "details", "object", "base", "template")
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        target = attributes.get("href", attributes.get("src", "/"))
        assert re.match(r"/|#source-\d+$|https://town\.example/", target), (tag, target)


def test_the_form_works_without_a_script(client: FlaskClient) -> None:
    _, page = load(client)
    (form,) = page.named("form")
    assert (form["action"], form["method"]) == ("/", "get")
    assert {item["name"]: item.get("value") for item in page.named("input")} == {"q": "", "lang": "en"}
    assert [(item["name"], item["value"]) for item in page.named("button")] == [
        ("mode", "ask"),
        ("mode", "search"),
    ]


def test_an_answer_has_numbered_sources_that_link_to_the_pages(client: FlaskClient) -> None:
    html, page = load(client, q=QUESTION, mode="ask")
    assert "96 euros" in html
    assert "[1] " in html
    assert any(item.get("href") == "https://town.example/dog-tax" for item in page.named("a"))
    assert any(item.get("href") == "#source-1" for item in page.named("a"))
    assert any(item.get("id") == "source-1" for item in page.named("li"))
    assert re.search(r"similarity \d+ %", html)
    assert_inert(page)


def test_a_verbatim_answer_says_that_no_ai_wrote_it(client: FlaskClient) -> None:
    assert TEXTS["en"]["origin_extractive"] in load(client, q=QUESTION)[0]
    assert TEXTS["de"]["origin_extractive"] in load(client, q=QUESTION, lang="de")[0]


def test_a_models_answer_says_that_an_ai_wrote_it(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=(QUESTION,)), Reply(deltas=("It is **96 euros** [1].",)))
    html, page = load(model_client, q=QUESTION)
    assert "<strong>96 euros</strong>" in html
    assert TEXTS["en"]["origin_answered"] in html
    assert_inert(page)


def test_a_degraded_answer_says_how(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.default = Reply(status=400)
    html, _ = load(model_client, q=QUESTION)
    assert "The language model did not answer" in html
    assert "Das Sprachmodell hat nicht" in load(model_client, q=QUESTION, lang="de")[0]


def test_a_search_lists_pages_with_an_excerpt(client: FlaskClient) -> None:
    html, page = load(client, q=QUESTION, mode="search")
    assert "96 euros" in html
    assert any(item.get("href") == "https://town.example/dog-tax" for item in page.named("a"))
    assert_inert(page)


def test_a_search_without_hits_says_so(client: FlaskClient) -> None:
    assert TEXTS["en"]["no_hits"] in load(client, q="xyzzy plugh frobnitz qwertz", mode="search")[0]


@pytest.mark.parametrize("mode", ["ask", "search"])
@pytest.mark.parametrize("payload", XSS)
def test_a_hostile_question_is_shown_and_does_nothing(client: FlaskClient, payload: str, mode: str) -> None:
    _, page = load(client, q=f"How much is the dog tax {payload}", mode=mode)
    (question,) = (item for item in page.named("input") if item.get("id") == "question")
    assert question["value"] == f"How much is the dog tax {payload}"
    assert_inert(page)


@pytest.mark.parametrize("mode", ["ask", "search"])
@pytest.mark.parametrize("number", range(len(XSS)))
def test_a_hostile_page_is_shown_and_does_nothing(client: FlaskClient, number: int, mode: str) -> None:
    html, page = load(client, q=f"quarantine report of parcel {number} in full", mode=mode)
    assert "Quarantine report" in html
    assert_inert(page)


@pytest.mark.parametrize(
    ("header", "query", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", {}, "de"),
        ("en-GB", {}, "en"),
        ("fr", {}, "en"),
        ("", {}, "en"),
        ("de", {"lang": "en"}, "en"),
        ("en", {"lang": "de"}, "de"),
        ("de", {"lang": "<script>"}, "de"),
    ],
)
def test_the_page_speaks_the_readers_language(
    client: FlaskClient, header: str, query: dict[str, str], language: str
) -> None:
    response = client.get("/", query_string=query, headers={"Accept-Language": header})
    assert Page(response.text).named("html") == [{"lang": language}]
    assert TEXTS[language]["heading"] in response.text


def test_both_languages_say_everything() -> None:
    assert set(TEXTS) == set(LANGUAGES)
    assert TEXTS["de"].keys() == TEXTS["en"].keys()


def test_every_field_has_a_label_and_every_section_a_heading(client: FlaskClient) -> None:
    _, page = load(client, q=QUESTION)
    labelled = {item["for"] for item in page.named("label")}
    assert {item["id"] for item in page.named("input") if item.get("type") != "hidden"} == labelled
    identifiers = {item["id"] for _, item in page.elements if "id" in item}
    assert {item["aria-labelledby"] for item in page.named("section")} <= identifiers
    assert any(item.get("role") == "status" for item in page.named("p"))


@pytest.mark.parametrize("question", ["x" * 2_001, "\u200b\u2060"])
@pytest.mark.parametrize("mode", ["ask", "search"])
def test_a_question_that_cannot_be_asked_gets_a_page_that_says_why(
    client: FlaskClient, question: str, mode: str
) -> None:
    response = client.get("/", query_string={"q": question, "mode": mode})
    assert response.status_code == 400
    assert "the question " in response.text
    assert_inert(Page(response.text))


@pytest.mark.parametrize(
    "query", ["q=", "q=%20", "q=a%00b%00c+d", "q=%ff%fe", "q=dog&mode=%00", "q=dog&q=tax"]
)
def test_an_odd_address_still_gets_a_page(client: FlaskClient, query: str) -> None:
    assert client.get(f"/?{query}").status_code == 200
