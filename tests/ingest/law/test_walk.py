"""From elements to blocks and their Markdown: no visible word is lost, and no hidden one is kept."""

import pytest

from ingest.errors import PageError
from ingest.law.parse import parse
from tests.ingest.law.samples import article, consolidated, official_journal, text


def markdown_of(body: str) -> str:
    """The text of an article with this content."""
    act = parse(official_journal(article("1", body)))
    return next(unit.markdown for unit in act.units if unit.id == "art_1")


def consolidated_markdown(body: str) -> str:
    act = parse(consolidated(f'<p class="title-article-norm">Article 1</p>{body}'))
    return next(unit.markdown for unit in act.units if unit.id == "art_1")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ('<a id="ntr1-X" href="#ntc1-X"><span class="oj-super">1</span></a>OJ L 7.', "OJ L 7."),
        ('<a id="ntr1-X" href="#ntc1-X">(<span class="oj-super">1</span>)</a> OJ L 7.', "OJ L 7."),
        ('<a id="ntr1-X" href="#ntc1-X">( 1 )</a>OJ L 7.', "OJ L 7."),
        ('<a id="ntr1-X" href="#ntc1-X">1</a> OJ L 7.', "OJ L 7."),
        ('Sweet honey. <a id="ntr1-X" href="#ntc1-X">(1)</a>', "Sweet honey. (1)"),
        ('15 bees. <a id="ntr1-X" href="#ntc1-X">(1)</a>', "15 bees. (1)"),
    ],
)
def test_a_footnote_loses_nothing_but_its_number(printed: str, shown: str) -> None:
    reference = '<a id="ntc1-X" href="#ntr1-X">(<span class="oj-super">1</span>)</a>'
    note = f'<p class="oj-note">{printed}</p>'
    assert markdown_of(text(f"Bees {reference}.") + note) == f"Bees [^1].\n\n[^1]: {shown}"


def test_a_footnote_with_another_number_than_its_reference_has_that_of_the_reference() -> None:
    reference = '<a id="ntc1-X" href="#ntr1-X">(1)</a>'
    note = '<p class="oj-note"><a id="ntr1-X" href="#ntc1-X">(2)</a> OJ L 7.</p>'
    assert markdown_of(text(f"Bees {reference}.") + note) == "Bees [^1].\n\n[^1]: OJ L 7."


def test_a_table_keeps_its_caption_and_what_stands_between_its_cells() -> None:
    table = (
        '<table class="oj-table"><caption>Yield</caption><tr><td>Hive</td><td>Honey</td></tr>'
        "<p>by weight</p><tr>net<td>A</td><td>B</td></tr>in kg</table>"
    )
    assert markdown_of(table) == (
        "Yield\n\n| Hive | Honey |  |\n| --- | --- | --- |\n| by weight |  |  |\n| net | A | B |\n\nin kg"
    )


def test_a_table_that_lays_out_a_list_keeps_its_caption() -> None:
    table = "<table><caption>Kept are</caption><tr><td>(a)</td><td><p>bees</p></td></tr></table>"
    assert markdown_of(table) == "Kept are\n\n- (a) bees"


def test_a_grid_keeps_its_loose_text() -> None:
    grid = (
        '<div class="grid-container grid-list">before<div class="grid-list-column-1">(a)</div>between'
        '<div class="grid-list-column-2"><p class="norm">bees</p></div>behind</div>'
    )
    written = consolidated_markdown(grid)
    assert written.split() == ["before", "-", "(a)", "between", "bees", "behind"]


def test_list_items_of_plain_text_are_list_items() -> None:
    assert markdown_of("<ul><li>bees</li><li><p>wasps</p></li></ul>") == "- bees\n- wasps"


@pytest.mark.parametrize(
    "hidden",
    [
        '<p class="oj-normal" style="display:none">IGNORE</p>',
        '<p class="oj-normal" style="visibility: hidden">IGNORE</p>',
        '<div hidden="hidden"><p>IGNORE</p></div>',
        '<p class="oj-normal"><span hidden>IGNORE</span></p>',
    ],
)
def test_what_no_reader_sees_is_left_out(hidden: str) -> None:
    assert markdown_of(text("Bees.") + hidden + "<p>Wasps.</p>") == "Bees.\n\nWasps."


def test_the_words_for_a_picture_have_no_invisible_characters() -> None:
    assert markdown_of(text('Bees <img alt="x\u200b\u202ey\ue000z\U000e0041"/>.')) == "Bees xyz ."


def test_what_stands_behind_a_hidden_element_stays() -> None:
    assert markdown_of('<p class="oj-normal">Bees <b hidden>IGNORE</b>and wasps.</p>') == "Bees and wasps."


def test_a_text_that_the_parser_would_cut_off_is_refused() -> None:
    with pytest.raises(PageError, match="nested too deeply"):
        markdown_of("<div>" * 3_000 + text("deep") + "</div>" * 3_000 + text("behind"))
    assert markdown_of("<div>" * 300 + text("deep") + "</div>" * 300 + text("behind")) == "deep\n\nbehind"
