"""Word documents: what a reader sees of them becomes Markdown."""

import pytest

from ingest.documents.docx import to_markdown
from tests.fakes.office import docx, p, r

STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"

NUMBERING = """
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="3">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/>
    <w:pStyle w:val="berschrift1"/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="(%2)"/></w:lvl>
  <w:lvl w:ilvl="2"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1.%3"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="2"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
"""


def cell(*paragraphs: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(map(p, paragraphs))}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


@pytest.mark.parametrize("namespace", [None, STRICT], ids=["transitional", "strict"])
def test_headings_are_told_by_their_styles_in_any_language(namespace: str | None) -> None:
    body = p("Dog tax", style="berschrift1") + p("Office", style="Amt") + p("Opens at nine.")
    file = docx(body, namespace=namespace) if namespace else docx(body)
    assert to_markdown(file) == "# Dog tax\n\n## Office\n\nOpens at nine."


def test_lists_have_bullets_or_their_numbers_and_go_on_behind_other_text() -> None:
    body = (
        p("dogs", number=(1, 0)) + p("large ones", number=(1, 1)) + p("cats", number=(1, 0)) + p("Steps:")
        + p("Come.", number=(2, 0)) + p("Pay.", number=(2, 0)) + p("In cash.") + p("Go.", number=(2, 0))
        + p("Begin.", number=(4, 0))
    )  # fmt: skip
    assert to_markdown(docx(body, numbering=NUMBERING)) == (
        "- dogs\n  - large ones\n- cats\n\nSteps:\n\n1. Come.\n2. Pay.\n\nIn cash.\n\n3. Go.\n\n1. Begin."
    )


def test_numbers_that_word_writes_are_part_of_the_text() -> None:
    body = (
        p("Subject", style="berschrift1")
        + p("Dogs are taxed.", number=(3, 1))
        + p("Cats not.", number=(3, 1))
        + p("Rate", style="berschrift1")
        + p("It is 96 euros.", number=(3, 1))
        + p("For one.", number=(3, 2))
        + p("pugs", number=(2, 1))
    )
    styles = docx(body, numbering=NUMBERING, styles=STYLES_WITH_NUMBERS)
    assert to_markdown(styles) == (
        "# § 1 Subject\n\n(1) Dogs are taxed.\n\n(2) Cats not.\n\n"
        "# § 2 Rate\n\n(1) It is 96 euros.\n\n2.IV For one.\n\na) pugs"
    )


STYLES_WITH_NUMBERS = """<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>
<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>"""


def test_tables_keep_rows_and_columns_where_cells_are_merged() -> None:
    merged = '<w:vMerge w:val="restart"/>'
    rows = (
        cell("Animal") + cell("Euros", "a year"),
        cell("Dog", properties=merged) + cell("96"),
        cell("", properties="<w:vMerge/>") + cell("148"),
        cell("Cats are free", properties='<w:gridSpan w:val="2"/>'),
    )
    deleted = "<w:trPr><w:del/></w:trPr>" + cell("Snake") + cell("10")
    assert to_markdown(docx(table(*rows, deleted))) == (
        "| Animal | Euros a year |\n| --- | --- |\n| Dog | 96 |\n| Dog | 148 |\n| Cats are free |  |"
    )


@pytest.mark.parametrize(
    ("above", "below", "row"),
    [(2, 1, "|  | Tue | noon |"), (1, 2, "|  |  | Tue |"), (2, 2, "| North | North | Tue |")],
)
def test_a_cell_goes_on_below_where_it_is_as_wide(above: int, below: int, row: str) -> None:
    def merged(columns: int, start: str = "") -> str:
        return f'<w:gridSpan w:val="{columns}"/><w:vMerge{start}/>'

    others = [cell("Tue"), cell("noon")]
    rows = (
        cell("Place") + cell("Day") + cell("Time"),
        cell("North", properties=merged(above, ' w:val="restart"')) + "".join(others[: 3 - above]),
        cell("", properties=merged(below)) + "".join(others[: 3 - below]),
    )
    assert to_markdown(docx(table(*rows))).splitlines()[-1] == row


def test_a_footnote_follows_its_paragraph_with_a_mark_that_is_no_citation() -> None:
    notes = '<w:footnote w:id="0" w:type="separator">' + p("line") + "</w:footnote>"
    notes += '<w:footnote w:id="2">' + p("Only the first one.") + "</w:footnote>"
    reference = "<w:r><w:footnoteReference w:id='2'/></w:r>"
    body = p("A dog costs 96 euros", reference, " a year.") + p("Pay in May.")
    assert to_markdown(docx(body, footnotes=notes)) == (
        "A dog costs 96 euros ¹ a year.\n\n¹ Only the first one.\n\nPay in May."
    )


@pytest.mark.parametrize(
    "hidden",
    [
        f"<w:del>{r('secret')}</w:del>",
        f"<w:moveFrom>{r('secret')}</w:moveFrom>",
        "<w:r><w:delText>secret</w:delText></w:r>",
        "<w:r><w:instrText>secret</w:instrText></w:r>",
        r("secret", "<w:vanish/>"),
        r("secret", '<w:rStyle w:val="Geheim"/>'),
        r("secret", '<w:color w:val="FFFFFF"/>'),
        r("secret", '<w:sz w:val="2"/>'),
        "<w:r><w:commentReference w:id='1'/></w:r>",
        f"<w:sdt><w:sdtPr>{r('secret')}</w:sdtPr><w:sdtContent>{r('')}</w:sdtContent></w:sdt>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(hidden: str) -> None:
    comments = {"word/comments.xml": b"<c>secret</c>", "word/header1.xml": b"<h>secret</h>"}
    assert to_markdown(docx(p("The tax is ", hidden, "96 euros."), more=comments)) == "The tax is 96 euros."


def style(name: str, looks: str, *, kind: str = "paragraph", based_on: str = "", default: str = "0") -> str:
    head = f'<w:style w:type="{kind}" w:default="{default}" w:styleId="{name}"><w:name w:val="{name}"/>'
    return f'{head}<w:basedOn w:val="{based_on}"/><w:rPr>{looks}</w:rPr></w:style>'


VANISH = "<w:vanish/>"
RED = '<w:color w:val="FF0000"/>'


@pytest.mark.parametrize(
    "styles",
    [
        style("S", VANISH),
        style("P", VANISH) + style("S", "", based_on="P"),
        style("S", '<w:color w:val="FFFFFF"/>'),
        style("S", '<w:sz w:val="2"/>'),
        style("S", "", default="0") + style("C", VANISH, kind="character", default="1"),
    ],
    ids=["itself", "the one it is based on", "in white", "tiny", "the default of letters"],
)
def test_text_that_its_paragraphs_style_hides_is_left_out(styles: str) -> None:
    shown = r("It is due.", '<w:vanish w:val="0"/><w:color w:val="auto"/><w:sz w:val="20"/>')
    notes = '<w:footnote w:id="2">' + p("secret", style="S") + "</w:footnote>"
    note = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:footnoteReference w:id='2'/></w:r>"
    body = p(shown, note) + p("secret", style="S") + p(f"<w:hyperlink>{r('secret')}</w:hyperlink>", style="S")
    assert "secret" not in to_markdown(docx(body, styles=styles, footnotes=notes))
    assert "It is due." in to_markdown(docx(body, styles=styles, footnotes=notes))


@pytest.mark.parametrize(
    "styles",
    [
        style("Standard", VANISH, default="1"),
        f"<w:docDefaults><w:rPrDefault><w:rPr>{VANISH}</w:rPr></w:rPrDefault></w:docDefaults>",
        style("T", VANISH, kind="table"),
    ],
    ids=["the default style", "of the document", "the table's style"],
)
def test_text_that_a_style_hides_which_its_paragraph_does_not_name_is_left_out(styles: str) -> None:
    shown = r("shown", '<w:vanish w:val="0"/>')
    row = f"<w:tr><w:tc>{p('secret')}</w:tc><w:tc>{p(shown)}</w:tc></w:tr>"
    body = f'<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr>{row}</w:tbl>'
    read = to_markdown(docx(body, styles=styles))
    assert ("secret" in read, "shown" in read) == (False, True)


def test_styles_of_paragraph_and_letters_that_both_hide_let_it_be_seen() -> None:
    styles = style("S", VANISH) + style("C", VANISH, kind="character")
    body = p(r("It is due.", '<w:rStyle w:val="C"/>'), style="S")
    assert to_markdown(docx(body, styles=styles)) == "It is due."


SHADE = '<w:shd w:val="{}" w:fill="{}"/>'


@pytest.mark.parametrize(
    ("letters", "paragraph", "cell_shade", "is_seen"),
    [
        (RED + SHADE.format("clear", "FF0000"), "", "", False),
        (RED + '<w:highlight w:val="red"/>', "", "", False),
        (RED, SHADE.format("clear", "ff0000"), "", False),
        (RED, "", SHADE.format("clear", "FF0000"), False),
        (RED, SHADE.format("clear", "00FF00"), SHADE.format("clear", "FF0000"), True),
        (RED + SHADE.format("pct50", "FF0000"), "", "", True),
        (RED + '<w:highlight w:val="none"/>', "", "", True),
        ('<w:color w:val="auto"/>' + SHADE.format("clear", "auto"), "", "", True),
        (RED, "", "", True),
    ],
)
def test_text_in_the_colour_of_its_own_shade_is_left_out(
    letters: str, paragraph: str, cell_shade: str, is_seen: bool
) -> None:
    body = f"<w:p><w:pPr>{paragraph}</w:pPr>{r('secret', letters)}</w:p>"
    if cell_shade:
        body = f"<w:tbl><w:tr><w:tc><w:tcPr>{cell_shade}</w:tcPr>{body}</w:tc></w:tr></w:tbl>"
    assert ("secret" in to_markdown(docx(body))) == is_seen


def test_white_letters_are_shown_on_a_page_with_a_colour() -> None:
    white = p(r("It is due.", '<w:color w:val="FFFFFF"/>'))
    assert to_markdown(docx(white)) == ""
    assert to_markdown(docx(white, background='<w:background w:color="000000"/>')) == "It is due."


@pytest.mark.parametrize(
    "shown",
    [
        f"<w:ins>{r('96 euros')}</w:ins>",
        f"<w:moveTo>{r('96 euros')}</w:moveTo>",
        f"<w:fldSimple>{r('96 euros')}</w:fldSimple>",
        f"<w:smartTag>{r('96 euros')}</w:smartTag>",
        f"<w:sdt><w:sdtContent>{r('96 euros')}</w:sdtContent></w:sdt>",
        "<m:oMath><m:r><m:t>96 euros</m:t></m:r></m:oMath>",
        r("96 euros", '<w:vanish w:val="0"/>'),
        r("96 euros", '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>'),
    ],
)
def test_what_fields_wrappers_and_accepted_changes_show_is_kept(shown: str) -> None:
    assert to_markdown(docx(p("The tax is ", shown, "."))) == "The tax is 96 euros."


def test_white_letters_on_the_ground_of_a_table_are_shown() -> None:
    white = r("Animal", '<w:color w:val="FFFFFF"/>')
    rows = f"<w:tc><w:p>{white}</w:p></w:tc>" + cell("Euros"), cell("Dog") + cell("96")
    assert "| Animal | Euros |" in to_markdown(docx(table(*rows)))


@pytest.mark.parametrize(
    "shade, text",
    [
        ("<w:p><w:pPr>{}</w:pPr>{{}}</w:p>", "It is due. secret"),
        ("<w:pPr>{}</w:pPr><w:p>{{}}</w:p>", "It is due."),
    ],
    ids=["of its paragraph", "of nothing"],
)
def test_white_letters_are_shown_on_the_shade_of_their_paragraph_alone(shade: str, text: str) -> None:
    runs = r("It is due.") + r(" secret", '<w:color w:val="FFFFFF"/>')
    assert to_markdown(docx(shade.format('<w:shd w:fill="000000"/>').format(runs))) == text


def test_a_table_of_contents_is_left_out() -> None:
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    contents = f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{p('Tax … 3')}</w:sdtContent></w:sdt>"
    body = contents + p("Tax … 3", style="Verzeichnis1") + p("Tax", style="berschrift1") + p("It is due.")
    assert to_markdown(docx(body)) == "# Tax\n\nIt is due."


def test_links_lead_to_the_web_alone_and_pictures_are_their_descriptions() -> None:
    body = p(
        f'<w:hyperlink r:id="a">{r("the form")}</w:hyperlink>', " or ",
        f'<w:hyperlink r:id="b">{r("this")}</w:hyperlink>', " ",
        '<w:r><w:drawing><wp:docPr id="1" descr="A map"/></w:drawing></w:r>',
    )  # fmt: skip
    links = {"a": "https://otterfurt.example/form", "b": "file:///etc/passwd"}
    assert to_markdown(docx(body, links=links)) == "[the form](https://otterfurt.example/form) or this A map"


@pytest.mark.parametrize("kind", ["", "page", "column", "textWrapping"])
def test_words_on_both_sides_of_a_break_stay_apart(kind: str) -> None:
    mark = f'<w:r><w:br w:type="{kind}"/></w:r>' if kind else "<w:r><w:br/></w:r>"
    assert to_markdown(docx(p("Pay in May.", mark, "Or in June."))) == "Pay in May.\nOr in June."
    assert to_markdown(docx(p(mark, "Dogs", mark, style="berschrift1") + p(mark))) == "# Dogs"


def test_a_paragraph_of_a_page_break_has_no_number() -> None:
    page = '<w:r><w:br w:type="page"/></w:r>'
    body = p("Come.", number=(2, 0)) + p(page, number=(2, 0)) + p("Pay.", number=(2, 0))
    assert to_markdown(docx(body, numbering=NUMBERING)) == "1. Come.\n\n2. Pay."


def test_a_text_box_is_read_once_behind_its_paragraph() -> None:
    box = f"<w:txbxContent>{p('Closed on Monday.')}</w:txbxContent>"
    drawing = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    body = p("Opens at nine.", f"<w:r>{drawing}</mc:AlternateContent></w:r>")
    assert to_markdown(docx(body)) == "Opens at nine.\n\nClosed on Monday."


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next() -> None:
    first = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{r('The tax ')}</w:p>"
    assert to_markdown(docx(first + p("is due."))) == "The tax is due."


def test_markup_in_the_text_stays_text() -> None:
    assert to_markdown(docx(p("use &lt;b&gt; &amp; co"))) == "use \\<b> & co"
