"""OpenDocument texts: what a reader sees of them becomes Markdown."""

import pytest

from ingest.documents.odt import to_markdown
from tests.fakes.office import odt

LISTS = """
<text:list-style style:name="L1"><text:list-level-style-bullet text:level="1"/>
  <text:list-level-style-bullet text:level="2"/></text:list-style>
<text:list-style style:name="L2">
  <text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>
"""
HIDDEN = """
<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="T2" style:family="text" style:parent-style-name="T1"/>
<style:style style:name="T3" style:family="text"><style:text-properties fo:font-size="1pt"/></style:style>
<style:style style:name="P1" style:family="paragraph">
  <style:text-properties text:display="none"/></style:style>
"""


def p(text: str, style: str = "Standard") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def item(*blocks: str) -> str:
    return f"<text:list-item>{''.join(blocks)}</text:list-item>"


def test_headings_have_their_outline_levels_and_a_title_is_the_first() -> None:
    styles = '<style:style style:name="P9" style:family="paragraph" style:parent-style-name="Title"/>'
    body = p("Fees", "P9") + '<text:h text:outline-level="2">Dogs</text:h>' + p("The tax is due.")
    assert to_markdown(odt(body, automatic=styles)) == "# Fees\n\n## Dogs\n\nThe tax is due."


def test_lists_have_bullets_or_numbers_and_go_on_where_they_are_continued() -> None:
    inner = f"<text:list>{item(p('large ones'))}</text:list>"
    bullets = f'<text:list text:style-name="L1">{item(p("dogs"), inner)}{item(p("cats"))}</text:list>'
    first = f'<text:list xml:id="a" text:style-name="L2">{item(p("Come."))}{item(p("Pay."))}</text:list>'
    last = f'<text:list text:continue-list="a" text:style-name="L2">{item(p("Go."))}</text:list>'
    body = bullets + p("Steps:") + first + p("In cash.") + last
    assert to_markdown(odt(body, automatic=LISTS)) == (
        "- dogs\n  - large ones\n- cats\n\nSteps:\n\n1. Come.\n2. Pay.\n\nIn cash.\n\n3. Go."
    )


def test_the_header_of_a_list_has_no_number_and_counts_for_none() -> None:
    header = f"<text:list-header>{p('Bring your dog.')}</text:list-header>"
    steps = item(p("Come.")) + header + item(p("Pay."))
    body = f'<text:list text:style-name="L2">{header}{steps}</text:list>'
    assert to_markdown(odt(body, automatic=LISTS)) == (
        "Bring your dog.\n\n1. Come.\n\nBring your dog.\n\n2. Pay."
    )


def test_a_numbered_heading_is_a_heading() -> None:
    heading = '<text:list text:style-name="L2"><text:list-item><text:h text:outline-level="1">Dogs</text:h>'
    assert to_markdown(odt(heading + "</text:list-item></text:list>", automatic=LISTS)) == "# Dogs"


COVERED = "<table:covered-table-cell/>"


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def cell(text: str, columns: int = 1, rows: int = 1) -> str:
    spanned = f'table:number-columns-spanned="{columns}" table:number-rows-spanned="{rows}"'
    return f"<table:table-cell {spanned}>{p(text)}</table:table-cell>"


def test_tables_keep_rows_and_columns_where_cells_are_merged() -> None:
    rows = (
        f"<table:table-header-rows>{row(cell('Animal'), cell('Euros'))}</table:table-header-rows>",
        row(cell("Dog"), cell("96")),
        row(cell("Cats are free", columns=2), COVERED),
        row(cell("Snake", rows=2), cell("10")),
        row(COVERED, cell("12")),
        '<table:table-row table:visibility="collapse">' + cell("secret") + "</table:table-row>",
    )
    assert to_markdown(odt(f"<table:table>{''.join(rows)}</table:table>")) == (
        "| Animal | Euros |\n| --- | --- |\n| Dog | 96 |\n| Cats are free |  |\n"
        "| Snake | 10 |\n| Snake | 12 |"
    )


def test_a_cell_over_rows_and_columns_stands_in_each_of_them() -> None:
    rows = (
        row(cell("Animal"), cell("Kind"), cell("Euros")),
        row(cell("Any bird", columns=2, rows=2), COVERED, cell("5")),
        row(COVERED, COVERED, cell("6")),
    )
    assert to_markdown(odt(f"<table:table>{''.join(rows)}</table:table>")) == (
        "| Animal | Kind | Euros |\n| --- | --- | --- |\n"
        "| Any bird | Any bird | 5 |\n| Any bird | Any bird | 6 |"
    )


def repeated(content: str) -> str:
    """A table of two cells with the same content, which is written once."""
    cell = f'<table:table-cell table:number-columns-repeated="2">{content}</table:table-cell>'
    return f"<table:table><table:table-row>{cell}</table:table-row></table:table>"


def test_repeated_cells_are_written_as_often() -> None:
    assert "| 96 | 96 |" in to_markdown(odt(repeated(p("96"))))


def test_repeated_cells_in_repeated_cells_do_not_grow_without_end() -> None:
    nested = p("96")
    for _ in range(12):
        nested = repeated(nested)
    assert 0 < to_markdown(odt(nested)).count("96") < 100


def test_a_footnote_follows_its_paragraph() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
    note += p("Only the first one.") + "</text:note-body></text:note>"
    body = p(f"A dog costs 96 euros{note} a year.") + p("Pay in May.")
    assert to_markdown(odt(body)) == (
        "A dog costs 96 euros ¹ a year.\n\n¹ Only the first one.\n\nPay in May."
    )


@pytest.mark.parametrize(
    "hidden",
    [
        '<text:span text:style-name="T1">secret</text:span>',
        '<text:span text:style-name="T2">secret</text:span>',
        '<text:span text:style-name="T3">secret</text:span>',
        '<text:hidden-text text:is-hidden="true">secret</text:hidden-text>',
        '<text:variable-set text:display="none">secret</text:variable-set>',
        "<office:annotation><text:p>secret</text:p></office:annotation>",
        "<text:note><text:note-citation>secret</text:note-citation><text:note-body/></text:note>",
        "<text:ruby><text:ruby-base/><text:ruby-text>secret</text:ruby-text></text:ruby>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(hidden: str) -> None:
    assert to_markdown(odt(p(f"The tax is {hidden}96 euros."), automatic=HIDDEN)) == "The tax is 96 euros."


@pytest.mark.parametrize(
    "hidden",
    [
        p("secret", "P1"),
        p('<text:hidden-paragraph text:is-hidden="true"/>secret'),
        f'<text:section text:display="none">{p("secret")}</text:section>',
        f'<text:section text:display="condition" text:is-hidden="true">{p("secret")}</text:section>',
        f"<text:tracked-changes><text:changed-region>{p('secret')}</text:changed-region></text:tracked-changes>",
        f"<text:table-of-content><text:index-body>{p('secret')}</text:index-body></text:table-of-content>",
    ],
)
def test_blocks_that_a_reader_does_not_see_are_left_out(hidden: str) -> None:
    master = f"<style:master-page><style:header>{p('secret')}</style:header></style:master-page>"
    assert to_markdown(odt(hidden + p("It is due."), automatic=HIDDEN, styles=master)) == "It is due."


WHITE = 'fo:color="#ffffff"'
RED = 'fo:color="#FF0000"'


def looks(letters: str, paragraph: str = "", kind: str = 'style:style style:name="P"') -> str:
    properties = f"<style:paragraph-properties {paragraph}/><style:text-properties {letters}/>"
    return f'<{kind} style:family="paragraph">{properties}</{kind.split(maxsplit=1)[0]}>'


@pytest.mark.parametrize(
    ("style", "is_read"),
    [
        (looks(WHITE), False),
        (looks(f'{RED} fo:background-color="#ff0000"'), False),
        (looks(RED, 'fo:background-color="#ff0000"'), False),
        (looks('text:display="none"', kind="style:default-style"), False),
        (looks(RED), True),
        (looks(WHITE, 'fo:background-color="#000000"'), True),
        (looks(f'{WHITE} fo:background-color="transparent"'), False),
        (looks(f'{WHITE} style:use-window-font-color="true"'), True),
    ],
)
def test_text_that_its_style_does_not_let_be_seen_is_left_out(style: str, is_read: bool) -> None:
    note = f"<text:note><text:note-body>{p('secret', 'P')}</text:note-body></text:note>"
    body = p(f"It is due.{note}") + p("secret", "P")
    assert ("secret" in to_markdown(odt(body, styles=style))) == is_read


def test_white_letters_are_read_in_tables_boxes_and_on_pages_with_a_colour() -> None:
    white = p("It is due.", "P")
    cell = f"<table:table-row><table:table-cell>{white}</table:table-cell></table:table-row>"
    box = p(f"<draw:frame><draw:text-box>{white}</draw:text-box></draw:frame>")
    for body in (f"<table:table>{cell}</table:table>", box):
        assert "It is due." in to_markdown(odt(body, automatic=looks(WHITE)))
    page = "<style:page-layout><style:page-layout-properties {}/></style:page-layout>"
    for colour, read in (("#000000", "It is due."), ("transparent", "")):
        background = page.format(f'fo:background-color="{colour}"')
        assert to_markdown(odt(white, automatic=looks(WHITE), styles=background)) == read


def test_blanks_breaks_links_boxes_and_fields_are_read() -> None:
    link = '<text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://o.example/f">form</text:a>'
    box = f"<draw:frame><draw:text-box>{p('Closed on Monday.')}</draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><svg:desc>A map</svg:desc></draw:frame>"
    page = "<text:line-break/>on <text:page-number>page 2</text:page-number>"
    body = p(f"See<text:s/>the {link}{page}{box}{picture}")
    assert to_markdown(odt(body)) == (
        "See the [form](https://o.example/f)\non page 2 A map\n\nClosed on Monday."
    )
