import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

from app import demo

SITE = demo.site()
PAGES = sorted(path for path in SITE.rglob("*") if path.suffix in {".html", ".md", ".txt"})
HTML = [path for path in PAGES if path.suffix == ".html"]
MARKDOWN = [path for path in PAGES if path.suffix == ".md"]
POOL = [json.loads(line) for line in demo.question_pool().read_text(encoding="utf-8").splitlines()]
KINDS = {"lookup", "keyword", "vague", "follow-up", "unanswerable"}
VOID = {"meta", "link", "br", "hr", "img", "input"}


def page_id(path: Path) -> str:
    return path.relative_to(SITE).as_posix()


@cache
def parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")


@cache
def front_matter(path: Path) -> dict[str, str]:
    _, head, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    pairs = (line.split(": ", 1) for line in head.splitlines())
    return {key: value.strip('"') for key, value in pairs}


def attribute(path: Path, selector: str, name: str) -> str:
    elements = parsed(path).select(selector)
    assert len(elements) == 1, f"{page_id(path)}: {len(elements)} x {selector}"
    return str(elements[0][name]).strip()


def about(path: Path) -> dict[str, str]:
    """Language, title, description, keywords and canonical URL of an HTML or Markdown page."""
    if path.suffix == ".md":
        return front_matter(path)
    return {
        "language": attribute(path, "html", "lang"),
        "title": parsed(path).select_one("title").get_text(),  # type: ignore[union-attr]
        "description": attribute(path, 'meta[name="description"]', "content"),
        "keywords": attribute(path, 'meta[name="keywords"]', "content"),
        "url": attribute(path, 'link[rel="canonical"]', "href"),
    }


def links(path: Path) -> list[str]:
    if path.suffix == ".md":
        return re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
    return [str(a.get("href") or a.get("src")) for a in parsed(path).select("[href], [src]")]


def anchors(path: Path) -> set[str]:
    return {str(element["id"]) for element in parsed(path).select("[id]")}


class Balance(HTMLParser):
    """Fails on the first end tag that does not close the element opened last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"


def test_html_is_well_formed(subtests: pytest.Subtests) -> None:
    for path in HTML:
        with subtests.test(page_id(path)):
            balance = Balance()
            balance.feed(path.read_text(encoding="utf-8"))
            balance.close()
            assert balance.open == []


def test_html_has_one_main_with_the_only_h1(subtests: pytest.Subtests) -> None:
    for path in HTML:
        with subtests.test(page_id(path)):
            assert len(parsed(path).select("main")) == 1
            assert len(parsed(path).select("h1")) == len(parsed(path).select("main h1")) == 1


def test_html_ids_are_unique_within_a_page(subtests: pytest.Subtests) -> None:
    for path in HTML:
        with subtests.test(page_id(path)):
            assert len(anchors(path)) == len(parsed(path).select("[id]"))


def test_html_tells_that_the_town_is_invented(subtests: pytest.Subtests) -> None:
    for path in HTML:
        with subtests.test(page_id(path)):
            footer = parsed(path).select_one("footer")
            assert footer is not None
            assert re.search(r"erfundene Stadt|fictional town", footer.get_text())


def test_a_page_names_language_title_description_and_keywords(subtests: pytest.Subtests) -> None:
    for path in HTML + MARKDOWN:
        with subtests.test(page_id(path)):
            facts = about(path)
            assert facts["language"] == path.parent.name
            assert all(facts[name].strip() for name in ("title", "description", "keywords"))


def test_the_canonical_url_ends_in_the_page_id(subtests: pytest.Subtests) -> None:
    for path in HTML + MARKDOWN:
        with subtests.test(page_id(path)):
            assert about(path)["url"] == f"https://www.otterfurt.example/{page_id(path)}"


def test_titles_are_unique() -> None:
    titles = [about(path)["title"] for path in HTML + MARKDOWN]
    assert len(titles) == len(set(titles))


def test_every_internal_link_leads_to_a_file_and_an_anchor(subtests: pytest.Subtests) -> None:
    for path in HTML + MARKDOWN:
        with subtests.test(page_id(path)):
            for link in links(path):
                if urlsplit(link).scheme:
                    continue
                target, fragment = urldefrag(link)
                file = (path.parent / target).resolve() if target else path
                assert file.is_file(), f"{link} leads nowhere"
                assert not fragment or fragment in anchors(file), f"{link} has no anchor"


def test_an_alternate_page_exists_and_points_back(subtests: pytest.Subtests) -> None:
    for path in HTML:
        with subtests.test(page_id(path)):
            for alternate in parsed(path).select('link[rel="alternate"]'):
                other = SITE / urlsplit(str(alternate["href"])).path.lstrip("/")
                assert other.parent.name == alternate["hreflang"]
                assert attribute(other, 'link[rel="alternate"]', "href") == about(path)["url"]


def test_no_foreign_host_is_named(subtests: pytest.Subtests) -> None:
    for path in [*PAGES, SITE / "style.css"]:
        with subtests.test(page_id(path)):
            text = path.read_text(encoding="utf-8")
            hosts = re.findall(r"(?:https?:)?//([\w.-]+)", text) + re.findall(r"[\w.+-]+@([\w.-]*\w)", text)
            assert [host for host in hosts if host.split(".")[-2:] != ["otterfurt", "example"]] == []
            base = "https://www.otterfurt.example/"
            web = [
                urlsplit(urljoin(base, link))
                for link in (links(path) if path.suffix in {".html", ".md"} else [])
            ]
            assert {url.scheme for url in web} <= {"https", "mailto", "tel"}


def test_phone_numbers_lie_in_the_range_reserved_for_fiction(subtests: pytest.Subtests) -> None:
    for path in PAGES:
        with subtests.test(page_id(path)):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".html":
                hrefs = [link for link in links(path) if link.startswith("tel:")]
                text = "\n".join([parsed(path).get_text(), *hrefs])
            labelled = r"(?:telefon|phone|tel|call)[\s:]*(\+?\d[\d -]{6,}\d)"
            numbers = re.findall(labelled, text, re.IGNORECASE)
            digits = [re.sub(r"^(49|0)", "", re.sub(r"\D", "", number)) for number in numbers]
            assert digits
            assert [number for number in digits if not re.fullmatch(r"6990009\d{3}", number)] == []


def test_languages_and_formats_are_balanced() -> None:
    german = [path for path in PAGES if path.parent.name == "de"]
    english = [path for path in PAGES if path.parent.name == "en"]
    assert len(german) + len(english) == len(PAGES)
    assert 20 <= len(PAGES) <= 30
    assert len(english) >= len(PAGES) / 3
    assert len(german) >= len(PAGES) / 3
    assert len(MARKDOWN) >= 3


def test_some_text_must_stay_invisible() -> None:
    """The site exercises what a converter drops: a script, a comment and two ways of hiding text."""
    everything = "".join(path.read_text(encoding="utf-8") for path in HTML)
    assert all(part in everything for part in ("<script>", "<!-- ", "<p hidden>", "display: none"))


def test_one_page_is_long_and_holds_its_answer_deep_inside() -> None:
    main = parsed(SITE / "de/kita.html").select_one("main")
    assert main is not None
    text = main.get_text()
    assert len(text.encode()) > 6000
    assert text.index("zahlen Sie nur für das jüngste Kind") > 3000


def test_question_ids_and_questions_are_unique() -> None:
    assert len({row["id"] for row in POOL}) == len(POOL)
    standalone = [row["question"] for row in POOL if not row["history"]]
    assert len(set(standalone)) == len(standalone)


def test_a_question_is_complete_and_its_gold_pages_exist(subtests: pytest.Subtests) -> None:
    for row in POOL:
        with subtests.test(row["id"]):
            given = {"id", "question", "language", "gold", "answer", "kind", "history"}
            assert given <= set(row) <= given | {"spans", "must", "must_by_page"}
            assert row["language"] in {"de", "en"}
            assert row["kind"] in KINDS
            assert row["question"]
            assert row["answer"]
            assert set(row["gold"]) <= {page_id(path) for path in PAGES}
            assert bool(row["gold"]) == (row["kind"] != "unanswerable")
            assert bool(row["gold"]) == ("spans" in row) == ("must" in row)
            assert bool(row["history"]) == (row["kind"] == "follow-up")


def test_the_pool_covers_every_kind_and_both_languages() -> None:
    kinds = [row["kind"] for row in POOL]
    assert 60 <= len(POOL) <= 80
    assert set(kinds) == KINDS
    assert kinds.count("unanswerable") >= 8
    assert kinds.count("follow-up") >= 4
    crossing = [row for row in POOL if row["gold"] and all(row["language"] != g[:2] for g in row["gold"])]
    assert {row["language"] for row in crossing} == {"de", "en"}


def test_the_demo_questions_are_in_the_pool_and_answerable() -> None:
    rows = {row["question"]: row for row in POOL}
    assert len(demo.QUESTIONS) == 3
    assert [rows[question]["language"] for question in demo.QUESTIONS] == ["de", "en", "de"]
    assert all(rows[question]["gold"] for question in demo.QUESTIONS)
