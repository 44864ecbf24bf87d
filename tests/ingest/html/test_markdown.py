"""Deep, wide and hostile pages, and real ones: nothing visible is lost, and it takes linear time."""

import json
import re

import pytest
from lxml import etree
from lxml import html as lxml_html

from ingest.html.markdown import to_markdown
from tests.growth import grows_with_size
from tests.shared import LAW, PAGES, needs

ACTS = ["32023L1791_2023-09-13_en.xhtml", "32004L0039_2004-04-21_en.html", "12012E294_2012-10-26_en.xhtml"]
URL = "https://example.org/a/b"

OPENINGS = ["<div>", "<b>", "<span>", "<font>", "<blockquote>", "<table><tr><td>", "<ul><li>", "<ol><li>"]
OPENINGS += ["<dl><dd>", "<em><div>", "<section>", "<a href=x>", "<pre>"]

TEXTLESS = [
    "",
    " \n",
    "<!--",
    "<script>",
    "</p>",
    "\x00",
    "\ud800",
    "<!DOCTYPE html>",
    "<body></body>",
    "<h1> </h1>",
]
TEXTLESS += [
    "<table></table>",
    "<table><tr><td></table>",
    "<ul><li></ul>",
    "<pre> </pre>",
    "<a href=x></a>",
    "<b> </b>",
]

_MERGED = re.compile(r'\b(?:row|col)span="\d+"')
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
_SKIPPED = ("script", "style", "noscript", "svg", "title", "select", "textarea", "iframe")


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("closed", [True, False])
def test_text_below_ten_thousand_elements_is_found(opening: str, closed: bool) -> None:
    tags = re.findall(r"<(\w+)", opening)
    closing = "".join(f"</{tag}>" for tag in reversed(tags)) if closed else ""
    markdown = to_markdown(f"<p>before</p>{opening * 10_000}marker{closing * 10_000}<p>after</p>", URL)
    assert re.findall("[a-z]+", _LINK_TARGET.sub("", markdown)) == ["before", "marker", "after"]


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1f", "\x85", "\u2028", "&#12;", "&#x0B;", "&#x1f"])
def test_what_separates_words_does_not_glue_them(separator: str) -> None:
    assert to_markdown(f"<p>page{separator}page &#123;&#120;", URL) == "page page {x"


def test_deep_lists_keep_every_item_without_endless_indentation() -> None:
    markdown = to_markdown("<ul><li>item</li><li>" * 2_000 + "end", URL)
    assert markdown.count("item") == 2_000
    assert max(map(len, markdown.splitlines())) < 100


@pytest.mark.parametrize(
    "piece",
    [
        "<p>Some <b>bold</b> text with a <a href='/x'>link</a>.</p>",
        "<ol><li>item</li></ol>",
        "<b>unclosed ",
        "<i>a</i><b>b</b>",
        "line<br>",
        "&lt;&nbsp;",
        "<pre>   ```   ",
        "<table><tr><td colspan=1000 rowspan=65000>x<td>y",
        "<tr><td colspan=1000 rowspan=65000>x<td>y",
        "<!-- ",
        "<script>",
        "<h1>",
        "<a href='http://[",
    ],
)
def test_twice_the_page_takes_about_twice_the_time(piece: str) -> None:
    def convert(characters: int) -> None:
        page = (
            f"<table>{piece * (characters // len(piece))}"
            if piece.startswith("<tr")
            else piece * (characters // len(piece))
        )
        to_markdown(page, URL)

    assert grows_with_size(convert, 20_000)


def test_cells_that_span_thousands_of_columns_and_rows_do_not_blow_up_a_page() -> None:
    row = "<tr><td colspan=1000 rowspan=65000>x</td><td>y</td></tr>"
    lines = to_markdown(f"<table>{row * 50}</table>", URL).splitlines()
    assert len(lines) == 51
    assert max(map(len, lines)) < 500


def test_a_merged_cell_stands_in_each_row_and_column_that_it_covers() -> None:
    html = """<table><tr><th>Day</th><th>Booked</th><th>Walk-in</th></tr>
      <tr><td>Monday</td><td rowspan="2">8–12</td><td>14–16</td></tr><tr><td>Tuesday</td><td>13–15</td></tr>
      <tr><td>Friday</td><td colspan="2"><b>closed</b></td></tr>
      <tr><td>Group</td><td>9–10</td><td rowspan="2">15–17</td></tr><tr><td>Family</td><td>10–11</td></tr>
      <tr><td colspan="3">In July</td></tr></table>"""
    assert to_markdown(html, URL).splitlines()[2:] == [
        "| Monday | 8–12 | 14–16 |",
        "| Tuesday | 8–12 | 13–15 |",
        "| Friday | **closed** | **closed** |",
        "| Group | 9–10 | 15–17 |",
        "| Family | 10–11 | 15–17 |",
        "| In July |  |  |",
    ]


def test_long_merged_cells_are_told_once() -> None:
    long, short = "a" * 101, "b" * 100
    html = f"<table><tr><td rowspan=2>{long}<td rowspan=2>{short}<td>c<tr><td>d</table>"
    markdown = to_markdown(html, URL)
    assert (markdown.count(long), markdown.count(short)) == (1, 2)


def test_merged_cells_do_not_blow_up_a_page() -> None:
    row = "<tr>" + f"<td rowspan=65000>{'x' * 100}" * 49
    assert len(to_markdown("<table>" + row + "<tr><td>y" * 5_000, URL)) < 1_500_000


def test_three_megabytes_of_one_word_or_blank_are_no_trouble() -> None:
    assert len(to_markdown(f"<p>{'a' * 3_000_000}", URL)) == 3_000_000
    assert to_markdown(f"<pre>a{' ' * 3_000_000}b</pre>", URL).endswith("b\n```")


@pytest.mark.parametrize("html", TEXTLESS)
def test_a_page_without_text_is_empty_markdown(html: str) -> None:
    assert to_markdown(html, URL) == ""


@pytest.mark.parametrize(
    "url", ["", "file:///home/page.html", "https://example.org/", "not a url", "http://["]
)
def test_a_page_needs_no_usable_address(url: str) -> None:
    assert "there" in to_markdown('<base href="http://["><a href="x">there</a>', url)


def _letters_by_lxml(html: str) -> str:
    """The letters of a page's text as lxml sees it, in order, alternative texts in place of images."""
    root = lxml_html.fragment_fromstring(
        html, create_parent="div", parser=lxml_html.HTMLParser(huge_tree=True)
    )
    for element in list(root.iter()):
        if (
            not isinstance(element.tag, str)
            or element.tag in _SKIPPED
            or "display:none" in element.get("style", "")
        ):
            element.drop_tree()
        elif element.tag == "img":
            element.tail = element.get("alt", "") + (element.tail or "")
    return _letters(root.text_content())


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalpha())


@needs(PAGES)
def test_real_pages_of_a_website_keep_every_letter_in_order() -> None:
    with PAGES.open(encoding="utf-8") as lines:
        for page in map(json.loads, lines):
            apart = _MERGED.sub("", page["html"])
            markdown = _LINK_TARGET.sub("]", to_markdown(apart, page["url"]))
            assert _letters(markdown) == _letters_by_lxml(page["html"]), page["id"]


@needs(LAW)
@pytest.mark.parametrize("name", ACTS)
def test_real_acts_keep_the_letters_of_every_paragraph(name: str) -> None:
    html = (LAW / name).read_text("utf-8")
    markdown = _letters(_LINK_TARGET.sub("]", to_markdown(html, URL)))
    root = etree.fromstring(
        html.encode(), etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True)
    )
    paragraphs = [_letters("".join(p.itertext())) for p in root.iter("p") if not p.findall(".//p")]
    assert len(paragraphs) > 5
    assert [p for p in paragraphs if p not in markdown] == []


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>&gt; 18 Jahre: 10 Euro<br>&gt; 65 Jahre: frei</p>", "\\> 18 Jahre: 10 Euro\n\\> 65 Jahre: frei"),
        ("<p>+ 5 Euro am Wochenende</p>", "\\+ 5 Euro am Wochenende"),
        ("<p>+49 69 90009-0</p>", "+49 69 90009-0"),
        ("<p>Preis &gt; 5</p><blockquote>Zitat</blockquote>", "Preis > 5\n\n> Zitat"),
    ],
)
def test_signs_at_the_beginning_of_a_line_stay_signs(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown
