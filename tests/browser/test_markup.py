"""The chat's own reader of answers: it makes what a browser would make of them, and nothing else."""

from collections.abc import Iterator

import pytest

from app.chat.text.render import BlockRenderer
from tests.app.site import XSS
from tests.browser.conftest import StartVisit
from tests.browser.scripted import ScriptedService
from tests.browser.visit import Visit
from tests.browser.website import Website

MARKDOWN = (
    "Ein Satz mit **fett**, *kursiv*, ~~alt~~ und `Code & <Tag>` [1], [2, 3].",
    "# Titel\n\n## Unter & über\n\n### Drei\n\nText",
    "- eins\n- zwei\n  1. innen\n  2. innen & außen\n\n     Absatz\n- drei",
    "3. drei\n4. vier",
    "| Hund | Euro |\n|---|--:|\n| der erste | 96 |\n| `a|b` | \\<i\\> |",
    '> Zitat\n> > im Zitat\n\n---\n\n```html\n<b>&amp; "so"</b>\n```',
    '[Seite](https://town.example/a?b=1&c=%22 "Titel") und <https://town.example/a?b=1&c=%22>',
    "Rathaus, 069 90009-100 oder info@otterfurt.example",
    "31. Januar: Abgabe\n15. Februar: Rate",
    "Zeile  \nnächste\xa0Zeile & mehr &lt; &#x27; ' \"",
    "Bienen 🐝 > Fähren < Hunde; 1 < 2 && 3 > 2",
)
EVIL = (
    *XSS,
    "<p onclick=alert(1)>x</p>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://town.example" target="_top" style="position:fixed">x</a>',
    '<a class="launcher" id="title" href="#source-1">x</a>',
    '<ol start="1" onfocus="alert(1)"><li>x</ol>',
    "</div></section><p>x",
    "<p><b>x</b><u>y</u>",
    '<p title="a>b">x</p>',
    '<form action="https://evil.example"><input></form>',
    "<style>*{display:none}</style>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<" * 5_000,
    "<p>" * 500,
)
REBUILD = """async ([module, html]) => {
  const { rebuild } = await import(module);
  const made = document.createElement("div");
  made.append(rebuild(html, "Tabelle"));
  return made.innerHTML;
}"""
EXPECTED = """(html) => {
  const body = new DOMParser().parseFromString(html, "text/html").body;
  for (const heading of body.querySelectorAll("h1, h2, h3, h5, h6")) {
    const same = document.createElement("h4");
    same.append(...heading.childNodes);
    heading.replaceWith(same);
  }
  for (const table of body.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table";
    frame.setAttribute("role", "group");
    frame.tabIndex = 0;
    frame.ariaLabel = "Tabelle";
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const quote of body.querySelectorAll("blockquote")) quote.setAttribute("dir", "auto");
  for (const link of body.querySelectorAll("a")) {
    const { href, className } = link.attributes;
    const plain = { href: link.getAttribute("href"), cited: link.classList.contains("citation") };
    for (const { name } of [...link.attributes]) link.removeAttribute(name);
    link.setAttribute("href", plain.href);
    link.setAttribute(plain.cited ? "class" : "rel", plain.cited ? "citation" : "noopener noreferrer");
  }
  return body.innerHTML;
}"""
FOUND = """(html) => [...new DOMParser().parseFromString(html, "text/html").body.querySelectorAll("*")].map(
  (each) => [each.localName, ...[...each.attributes].map((a) => `${a.name}=${a.value}`)].join(" "))"""


@pytest.fixture(scope="module")
def module() -> Iterator[str]:
    """The address of the reader."""
    with ScriptedService() as service:
        yield f"{service.address}/widget/any/markup.js"


@pytest.fixture
def window(visit: StartVisit, website: Website) -> Visit:
    """A page of a website."""
    window = visit()
    window.page.goto(f"{website.address}/dog-tax")
    return window


def test_an_answer_looks_as_if_the_browser_had_read_it(window: Visit, module: str) -> None:
    renderer = BlockRenderer(links=["https://town.example/a?b=1&c=%22"], numbers=[1, 2, 3])
    for text in MARKDOWN:
        html = renderer.render(text)
        assert window.page.evaluate(REBUILD, [module, html]) == window.page.evaluate(EXPECTED, html), text


def test_nothing_but_the_listed_tags_and_attributes_is_ever_made(window: Visit, module: str) -> None:
    allowed = {
        "p",
        "ol",
        "li",
        "h1",
        "h2",
        "em",
        "strong",
        "div class=table role=group tabindex=0 aria-label=Tabelle",
        "a",
    }
    allowed |= {"ol start=1", "a class=citation href=#source-1", "a href=#source-1 class=citation"}
    allowed |= {"a href=https://town.example rel=noopener noreferrer"}
    for html in EVIL:
        made = window.page.evaluate(REBUILD, [module, html])
        assert set(window.page.evaluate(FOUND, made)) <= allowed, html
    assert window.page.evaluate("document.querySelectorAll('script').length") == 0


def test_markup_that_is_not_the_services_stays_visible_as_text(window: Visit, module: str) -> None:
    html = "<p>1 < 2 <img src=x onerror=alert(1)> &amp;lt;</p>"
    made = window.page.evaluate(REBUILD, [module, html])
    assert made == "<p>1 &lt; 2 &lt;img src=x onerror=alert(1)&gt; &amp;lt;</p>"
