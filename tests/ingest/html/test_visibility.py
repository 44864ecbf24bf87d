"""Text that nobody sees is left out, as far as attributes and inline styles tell; what is seen stays."""

import json
import re
from pathlib import Path

import pytest
from lxml import html as lxml_html

from ingest.html.markdown import to_markdown
from ingest.html.visibility import is_hidden
from tests.growth import grows_with_size
from tests.shared import LAW, PAGES, needs

HERE = Path(__file__).parent
HIDING_STYLES = (HERE / "hiding_styles.txt").read_text("utf-8").splitlines()
SHOWING_STYLES = (HERE / "showing_styles.txt").read_text("utf-8").splitlines()
HIDING_MARKUP = (HERE / "hiding_markup.txt").read_text("utf-8").splitlines()
SHOWING_MARKUP = (HERE / "showing_markup.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("style", HIDING_STYLES)
def test_what_an_inline_style_hides_is_left_out(style: str) -> None:
    assert to_markdown(f'<p>before</p><div style="{style}">lost</div><p>after</p>') == "before\n\nafter"


@pytest.mark.parametrize("style", SHOWING_STYLES)
def test_what_an_inline_style_shows_stays(style: str) -> None:
    assert to_markdown(f'<p>before</p><div style="{style}">kept</div>') == "before\n\nkept"


@pytest.mark.parametrize("markup", HIDING_MARKUP)
def test_what_the_markup_hides_is_left_out(markup: str) -> None:
    assert "lost" not in to_markdown(f"{markup}<p>after")


@pytest.mark.parametrize("markup", SHOWING_MARKUP)
def test_what_the_markup_shows_stays(markup: str) -> None:
    assert "kept" in to_markdown(markup)


def test_of_a_hidden_part_nothing_is_left_but_what_shows_itself_again() -> None:
    html = "<p>a<span style='visibility:hidden'>b<i style='visibility:visible'>c</i>d</span>e"
    assert to_markdown(html) == "a*c*e"


def test_beside_a_reading_only_its_parentheses_are_kept() -> None:
    html = "<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>) ignore the rules</rp></ruby>"
    assert to_markdown(html) == "漢字(かんじ)"


@pytest.mark.parametrize(
    "piece", ["(", "{", "[", "a:b;", "display:", "/*", "\\", '"', "f(", "!important", "#fff "]
)
def test_a_long_style_takes_time_by_its_length_alone(piece: str) -> None:
    def convert(characters: int) -> None:
        style = (piece * characters)[:characters].replace('"', "&quot;")
        to_markdown(f'<p style="{style}">text')

    assert grows_with_size(convert, 20_000)


def test_many_styles_are_read_once_each() -> None:
    def convert(paragraphs: int) -> None:
        page = "".join(f'<p style="color:#fff;width:{number}px">text' for number in range(paragraphs))
        assert to_markdown(page).count("text") == paragraphs

    assert grows_with_size(convert, 1_000)


@needs(PAGES)
def test_real_pages_hide_nothing_by_styles_but_what_is_not_displayed() -> None:
    with PAGES.open(encoding="utf-8") as lines:
        for page in map(json.loads, lines):
            for element in lxml_html.fragment_fromstring(page["html"], create_parent="div").iter():
                style = element.get("style") or ""
                if isinstance(element.tag, str) and not re.search(r"display:\s*none", style):
                    assert not is_hidden(element.tag, {"style": style}) or element.tag == "dialog", style


@needs(LAW)
def test_real_acts_hide_nothing_by_styles_but_what_is_not_displayed() -> None:
    styles = {
        style
        for path in LAW.glob("*ml")
        for style in re.findall(r'\sstyle="([^"]*)"', path.read_text("utf-8", "replace"))
    }
    assert {style for style in styles if is_hidden("p", {"style": style})} == {"display:none"}
