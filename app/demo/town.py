"""The sample site as a website: every page as HTML, whatever the format of its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag
from markdown_it import MarkdownIt

from app.demo import site
from ingest.sources.textfiles import front_matter

HOME: Final = "index.html"

_UNSEEN: Final = "script, style, [hidden], [style*='display: none']"


@dataclass(frozen=True, slots=True, kw_only=True)
class TownPage:
    """One page. ``id``: its path in the site, such as ``de/abfall.html``. ``html``: the content of
    ``<main>``. ``updated``: a ``<time>`` element, or empty. ``other``: the id of the page in the other
    language, or of that language's home page."""

    id: str
    language: str
    title: str
    description: str
    html: str
    updated: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """The whole site. ``pages`` by id; ``menus``: language -> the id and name of each page in its menu."""

    pages: Mapping[str, TownPage]
    menus: Mapping[str, tuple[tuple[str, str], ...]]


@cache
def town() -> Town:
    """Read the site, once."""
    folder = site()
    pages = [
        _READERS[path.suffix](path, path.relative_to(folder).as_posix())
        for path in sorted(folder.glob("*/*"))
        if path.suffix in _READERS
    ]
    languages = {page.language for page in pages}
    return Town(
        pages={page.id: page for page in pages},
        menus={language: _menu(folder, language) for language in languages},
    )


def other_language(language: str) -> str:
    """Return the other of the site's two languages."""
    return "en" if language == "de" else "de"


def _menu(folder: Path, language: str) -> tuple[tuple[str, str], ...]:
    home = _parsed(folder / language / HOME)
    links = home.select("header nav a:not([hreflang])")
    return tuple((f"{language}/{link['href']}", link.get_text()) for link in links)


def _html_page(path: Path, page_id: str) -> TownPage:
    document = _parsed(path)
    for unseen in document.select(_UNSEEN):
        unseen.decompose()
    alternate = document.select_one("link[rel=alternate]")
    modified = document.select_one("footer time")
    language = path.parent.name
    return TownPage(
        id=page_id,
        language=language,
        title=_content(document, "title"),
        description=_content(document, "meta[name=description]"),
        html=_served(_one(document, "main")),
        updated=str(modified) if modified else "",
        other=urlsplit(str(alternate["href"])).path.lstrip("/")
        if alternate
        else _home(other_language(language)),
    )


def _markdown_page(path: Path, page_id: str) -> TownPage:
    head, text = front_matter(path.read_text("utf-8"))
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return _written_page(path, page_id, str(head["title"]), str(head["description"]), html)


def _text_page(path: Path, page_id: str) -> TownPage:
    """Blocks are divided by empty lines; the first line of several is the block's heading."""
    _, text = front_matter(path.read_text("utf-8"))
    title, *blocks = text.strip().split("\n\n")
    html = [f"<h1>{escape(title)}</h1>"]
    for block in blocks:
        first, *rest = map(escape, block.splitlines())
        html += [f"<h2>{first}</h2>", *(f"<p>{line}</p>" for line in rest)] if rest else [f"<p>{first}</p>"]
    return _written_page(path, page_id, title, "", "\n".join(html))


def _written_page(path: Path, page_id: str, title: str, description: str, html: str) -> TownPage:
    language = path.parent.name
    main = _one(BeautifulSoup(f"<main><article>{html}</article></main>", "lxml"), "main")
    return TownPage(
        id=page_id,
        language=language,
        title=title,
        description=description,
        html=_served(main),
        updated="",
        other=_home(other_language(language)),
    )


def _served(main: Tag) -> str:
    """Return the element's content without external links, which lead nowhere, and with each table in a box
    of its own that scrolls on a narrow screen."""
    for link in main.select("a[href^=https]"):
        link.unwrap()
    for table in main.select("table"):
        heading = table.caption or table.find_previous(["h2", "h1"])
        label = heading.get_text() if heading else ""
        box = {"class": "table", "role": "group", "aria-label": label, "tabindex": "0"}
        table.wrap(Tag(name="div", attrs=box))
    return main.decode_contents()


def _home(language: str) -> str:
    return f"{language}/{HOME}"


def _parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "lxml")


def _one(document: BeautifulSoup, selector: str) -> Tag:
    found = document.select_one(selector)
    if found is None:
        raise ValueError(f"no {selector} in the page")
    return found


def _content(document: BeautifulSoup, selector: str) -> str:
    element = _one(document, selector)
    return str(element.get("content") or element.get_text()).strip()


_READERS: Final = {".html": _html_page, ".md": _markdown_page, ".txt": _text_page}
