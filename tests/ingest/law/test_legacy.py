"""Acts without classes in their text: samples for each rule, and the real files where they are."""

import re
from collections import Counter
from datetime import date

import pytest
from lxml import etree, html

from ingest.errors import PageError
from ingest.law.inline import SKIPPED
from ingest.law.legacy import parse_legacy
from ingest.law.model import Act, Unit
from tests.shared import LAW, needs

PREAMBLE = (
    "COUNCIL REGULATION (EEC) No 12/80 of 3 March 1980 on apples",
    "THE COUNCIL OF THE EUROPEAN COMMUNITIES,",
    "Having regard to the Treaty (1),",
    "HAS ADOPTED THIS REGULATION:",
)


def root(text: str) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    return html.document_fromstring(text.encode(), parser=parser)


def page(*paragraphs: str, description: str = "", source: str = "") -> html.HtmlElement:
    """A page of the old site with its furniture."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return root(
        f'<html><head><title>EUR-Lex - 31980R0012 - EN</title><meta name="DC.language" content="EN">'
        f'<meta name="DC.description" content="{description}"><meta name="DC.source" content="{source}">'
        f'<meta name="DC.subject" content="fruit, trade, "></head><body><h1>31980R0012</h1>'
        f'<p><strong>Furniture</strong></p><div id="TexteOnly"><p><TXT_TE>{body}</TXT_TE></p></div>'
        "</body></html>"
    )


def parsed(*paragraphs: str, celex: str = "31980R0012", language: str = "en", description: str = "") -> Act:
    return parse_legacy(
        page(*paragraphs, description=description), celex=celex, language=language, version=date(1980, 3, 3)
    )


def consolidated(*elements: str) -> html.HtmlElement:
    return root(
        "<html><head><title>Consolidated TEXT: 31980R0012 — EN — 01.05.2004</title></head><body>"
        "<p>1980R0012 — EN — 01.05.2004 — 001.001</p><hr/><p>COUNCIL REGULATION (EEC) No 12/80</p>"
        "<p>(OJ L 60, 5.3.1980, p. 7)</p><p>Amended by:</p><table><tr><td>"
        '<a title="31990R0001">►M1</a></td><td>Regulation 1/90</td><td>L 1</td></tr></table><hr/>'
        f"<p><a>▼B</a></p>{''.join(elements)}</body></html>"
    )


def unit(act: Act, name: str) -> Unit:
    return next(found for found in act.units if found.id == name)


def names(act: Act) -> list[str]:
    return [found.id for found in act.units]


def test_the_text_is_found_within_the_furniture_of_the_page() -> None:
    act = parsed(*PREAMBLE, "Article 1", "Apples are round.")
    assert names(act) == ["act", "art_1"]
    assert not any("Furniture" in found.markdown for found in act.units)


def test_fields_of_the_page_and_its_title_give_the_metadata() -> None:
    described = page(
        *PREAMBLE,
        "Article 1",
        "Apples.",
        description="Council Regulation (EEC) No 12/80 of 3 March 1980 on apples",
        source="Official Journal L 060 , 05/03/1980 P. 0007 - 0011",
    )
    act = parse_legacy(described, celex="", language="", version=None)
    assert (act.celex, act.language, act.number, act.type) == ("31980R0012", "en", "12/80", "regulation")
    assert (act.version, act.document_date, act.published) == (
        date(1980, 3, 3), date(1980, 3, 3), date(1980, 3, 5),
    )  # fmt: skip
    assert act.title == "Council Regulation (EEC) No 12/80 of 3 March 1980 on apples"
    assert act.subjects == ("fruit", "trade")
    assert act.layout == "legacy" and not act.consolidated


def test_the_printed_title_is_the_heading_of_the_act_where_it_takes_several_lines() -> None:
    act = parsed(
        "REGULATION No 12/80 OF THE COUNCIL", "of 3 March 1980", "on apples", "THE COUNCIL OF APPLES,",
        "Article 1", "Apples.",
    )  # fmt: skip
    assert (
        unit(act, "act").heading
        == act.title
        == "REGULATION No 12/80 OF THE COUNCIL of 3 March 1980 on apples"
    )
    assert unit(act, "act").markdown == "THE COUNCIL OF APPLES,"


def test_printed_numbers_name_recitals_and_are_no_part_of_their_text() -> None:
    act = parsed(*PREAMBLE[:3], "Whereas:", "(1) Apples fall.", "They roll.", "(2) Pears too,", PREAMBLE[3])
    assert names(act) == ["act", "rct_1", "rct_2"]
    assert (unit(act, "rct_1").label, unit(act, "rct_1").markdown) == ("(1)", "Apples fall.\n\nThey roll.")
    assert unit(act, "act").markdown.endswith("Whereas:\n\nHAS ADOPTED THIS REGULATION:")


@pytest.mark.parametrize("word", ["Whereas", "considérant que"])
def test_recitals_without_numbers_are_counted(word: str) -> None:
    act = parsed(
        *PREAMBLE[:3], f"{word} apples fall;", f"{word} pears fall;", PREAMBLE[3], "Article 1", "Fruit."
    )
    assert names(act) == ["act", "rct_1", "rct_2", "art_1"]
    assert (unit(act, "rct_2").number, unit(act, "rct_2").label) == ("2", "")
    assert unit(act, "rct_2").markdown == f"{word} pears fall;"


def test_german_recitals_are_the_paragraphs_between_their_formulas() -> None:
    act = parsed(
        "VERORDNUNG (EWG) Nr. 12/80 DES RATES", "DER RAT DER EUROPÄISCHEN GEMEINSCHAFTEN -",
        "gestützt auf den Vertrag,", "in Erwägung nachstehender Gründe:", "Äpfel fallen.", "Birnen auch.",
        "HAT FOLGENDE VERORDNUNG ERLASSEN:", "Artikel 1", "Äpfel sind rund.",
        "Diese Verordnung ist in allen ihren Teilen verbindlich.", "Geschehen zu Brüssel am 3. März 1980.",
        language="de",
    )  # fmt: skip
    assert names(act) == ["act", "rct_1", "rct_2", "art_1", "final"]
    assert unit(act, "rct_2").markdown == "Birnen auch."
    assert act.title == "VERORDNUNG (EWG) Nr. 12/80 DES RATES"


def test_german_divisions_hold_until_one_as_high_begins() -> None:
    act = parsed(
        "VERORDNUNG (EWG) Nr. 12/80 DES RATES", "HAT FOLGENDE VERORDNUNG ERLASSEN:", "TITEL I", "ÄPFEL",
        "Kapitel 1", "Artikel 1", "Rot.", "TITEL II", "BIRNEN", "Artikel 2", "Grün.", language="de",
    )  # fmt: skip
    assert [list(map(str, found.divisions)) for found in act.units[1:]] == [
        ["TITEL I: ÄPFEL", "Kapitel 1"], ["TITEL II: BIRNEN"],
    ]  # fmt: skip


@pytest.mark.parametrize("formula", ["DONE at Paris, 3 March 1980.", "Geschehen zu Paris", "Hecho en París"])
def test_place_and_day_begin_the_final_formulas(formula: str) -> None:
    assert names(parsed(*PREAMBLE, "Article 1", "Red.", formula)) == ["act", "art_1", "final"]


def test_what_is_done_at_least_once_is_no_final_formula() -> None:
    act = parsed(*PREAMBLE, "Article 1", "Apples are counted.", "Done at least once a year.")
    assert names(act) == ["act", "art_1"]


CONTENTS = (
    ("Article 1 - Scope", "Article 2 - Depth"),
    ("CHAPTER I", "Article 1", "Scope", "Article 2", "Depth"),
    ("Article 1", "Article 2", "ANNEX"),
)


@pytest.mark.parametrize("contents", CONTENTS)
def test_a_table_of_contents_makes_no_units(contents: tuple[str, ...]) -> None:
    body = ("Article 1 - Scope", "Apples fall.", "Article 2 - Depth", "Pears fall.")
    recital = "Whereas fruit falls;"
    act = parsed(*PREAMBLE[:2], *contents, recital, PREAMBLE[3], *body)
    assert names(act) == ["act", "rct_1", "art_1", "art_2"]
    assert [found.markdown for found in act.units[1:]] == [recital, "Apples fall.", "Pears fall."]
    assert all(line in unit(act, "act").markdown for line in contents)
    assert names(parsed(*PREAMBLE, *contents, *body)) == ["act", "art_1", "art_2"]


def test_numbered_paragraphs_of_a_text_that_enacts_nothing_are_no_recitals() -> None:
    act = parsed("NOTICE on apples", "(1) Apples fall.", "(2) Pears fall.")
    assert names(act) == ["act"]


def test_an_act_without_articles_keeps_its_terms_apart_from_its_recitals() -> None:
    act = parsed(*PREAMBLE[:3], "(1) Apples fall.", "HAS DECIDED AS FOLLOWS:", "Eat apples.", "Done at Paris")
    assert names(act) == ["act", "rct_1", "final"]
    assert unit(act, "act").markdown.endswith("Eat apples.")


@pytest.mark.parametrize(
    ("caption", "name", "number"),
    [
        ("Article 7", "art_7", "7"),
        ("Article 7a", "art_7a", "7a"),
        ("Article 7 bis", "art_7a", "7 bis"),
        ("Article premier", "art_1", "1"),
        ("Article 1er", "art_1", "1"),
        ("ARTICLE 12", "art_12", "12"),
        ("Article unique", "art_1", ""),
        ("Sole Article", "art_1", ""),
        ("Article II", "art_II", "II"),
        ("Article IIa", "art_IIa", "IIa"),
        ("Article 100 A", "art_100a", "100A"),
        ("Article 7 BIS", "art_7a", "7 BIS"),
        ("Artikel 7a", "art_7a", "7a"),
        ("Einziger Artikel", "art_1", ""),
        ("Artículo único", "art_1", ""),
        ("Artigo 7.º", "art_7", "7"),
        ("7 artikla", "art_7", "7"),
        ("Άρθρο 7", "art_7", "7"),
    ],
)
def test_captions_name_articles(caption: str, name: str, number: str) -> None:
    act = parsed(*PREAMBLE, caption, "Apples fall.")
    found = unit(act, name)
    assert (found.number, found.label, found.markdown) == (number, caption, "Apples fall.")


@pytest.mark.parametrize(
    "line",
    [
        "Article 85 (3)",
        "Article 2. Apples fall.",
        "Article 7 of the Treaty",
        "Article 57 - EEC Treaty",
        "«Article 7",
        "Articles 7 and 8",
        "Article 7;",
    ],
)
def test_lines_that_only_begin_like_captions_name_no_articles(line: str) -> None:
    assert names(parsed(*PREAMBLE, "Article 1", "Apples fall.", line)) == ["act", "art_1"]


def test_a_short_line_under_a_caption_is_its_heading_and_a_sentence_is_not() -> None:
    act = parsed(*PREAMBLE, "Article 1", "Scope", "Apples.", "Article 2", "Pears fall.", "They do.")
    assert (unit(act, "art_1").heading, unit(act, "art_1").markdown) == ("Scope", "Apples.")
    assert unit(act, "art_2").heading == ""
    one_line = parsed(*PREAMBLE, "Article 1 - Scope", "Apples.")
    assert (unit(one_line, "art_1").label, unit(one_line, "art_1").heading) == ("Article 1", "Scope")


def test_a_heading_may_stand_behind_a_full_stop() -> None:
    act = parsed(*PREAMBLE, "Article 1. Scope", "Apples.")
    found = unit(act, "art_1")
    assert (found.label, found.heading, found.markdown) == ("Article 1", "Scope", "Apples.")


@pytest.mark.parametrize(
    ("caption", "name", "label", "heading"),
    [
        ("ANNEX I (1)", "anx_I", "ANNEX I (1)", "LIST OF APPLES"),
        (
            "ANNEX II (referred to in Article 3)",
            "anx_II",
            "ANNEX II",
            "(referred to in Article 3) LIST OF APPLES",
        ),
        ("ANNEX IA", "anx_Ia", "ANNEX IA", "LIST OF APPLES"),
        ("ANNEX V-B", "anx_Vb", "ANNEX V-B", "LIST OF APPLES"),
        ("Appendix 1", "anx.app_1", "Appendix 1", "LIST OF APPLES"),
        ("ALLEGATO I", "anx_I", "ALLEGATO I", "LIST OF APPLES"),
    ],
)
def test_captions_name_annexes(caption: str, name: str, label: str, heading: str) -> None:
    act = parsed(*PREAMBLE, "Article 1", "Apples fall.", caption, "LIST OF APPLES", "Gala.")
    found = unit(act, name)
    assert (found.label, found.heading, found.markdown) == (label, heading, "Gala.")


def test_appendices_are_named_within_their_annex() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "Red.", "ANNEX II", "Gala.", "Appendix 1", "Big.", "Appendix 2", "Tiny."
    )
    assert names(act)[2:] == ["anx_II", "anx_II.app_1", "anx_II.app_2"]


def test_the_only_line_of_an_article_is_never_its_heading() -> None:
    act = parsed(*PREAMBLE, "Article 1", "Directive 1/60 is repealed", "Article 2", "Pears.")
    assert (unit(act, "art_1").heading, unit(act, "art_1").markdown) == ("", "Directive 1/60 is repealed")


def test_divisions_hold_until_one_as_high_begins() -> None:
    act = parsed(
        *PREAMBLE, "TITLE I", "APPLES", "CHAPTER 1", "Section 2 - Cores", "Article 1", "Red.",
        "CHAPITRE II", "Pears", "Article 2", "Green.", "FINAL PROVISIONS", "Article 3", "Done.",
    )  # fmt: skip
    divisions = [[str(division) for division in found.divisions] for found in act.units[1:]]
    assert divisions == [
        ["TITLE I: APPLES", "CHAPTER 1", "Section 2: Cores"],
        ["TITLE I: APPLES", "CHAPITRE II: Pears"],
        ["TITLE I: APPLES", "FINAL PROVISIONS"],
    ]


def test_annexes_end_the_divisions_and_have_their_parts_as_headings() -> None:
    act = parsed(
        *PREAMBLE, "CHAPTER I", "Article 1", "Red.", "ANNEX II", "LIST OF APPLES", "Section A", "(1) Boskoop",
        "I. Kinds of apples", "I.1. Red kinds", "Gala.", "ANNEXE", "Rien.",
    )  # fmt: skip
    annex = unit(act, "anx_II")
    assert (annex.number, annex.label, annex.heading) == ("II", "ANNEX II", "LIST OF APPLES")
    assert annex.divisions == ()
    assert annex.markdown == (
        "## Section A\n\n- (1) Boskoop\n\n## I. Kinds of apples\n\n### I.1. Red kinds\n\nGala."
    )
    assert unit(act, "anx").markdown == "Rien."


def test_articles_of_an_annexed_text_are_told_apart_by_their_part() -> None:
    act = parsed(
        *PREAMBLE, "CHAPTER I", "Article 1", "Red.", "PROTOCOL", "Article 1", "Green.", "Article 2", "Blue.",
    )  # fmt: skip
    assert names(act) == ["act", "art_1", "anx", "art_1.2", "art_2"]
    assert unit(act, "art_1.2").markdown == "Green."
    assert [len(found.divisions) for found in act.units] == [0, 1, 0, 0, 0]


def test_final_formulas_and_signatures_are_a_unit() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "Red.", "This Regulation shall be binding in its entirety.", "Done at Paris",
        "The President",
    )  # fmt: skip
    assert unit(act, "art_1").markdown == "Red."
    assert unit(act, "final").markdown.splitlines()[-1] == "The President"


def test_footnotes_go_to_the_unit_that_refers_to_them_and_stay_where_none_does() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "Under Article 85 (2) and Regulation No 17 (2), apples(3) fall.",
        "Done at Paris", "(1) OJ No 1, p. 1.", "(2) OJ No 2, p. 2;", "OJ No 3, p. 3.", "(3) OJ No 4.",
        "(4) OJ No 5.",
    )  # fmt: skip
    assert "Treaty[^1]," in unit(act, "act").markdown
    assert unit(act, "act").markdown.endswith("[^1]: OJ No 1, p. 1.")
    assert unit(act, "art_1").markdown == (
        "Under Article 85 (2) and Regulation No 17[^2], apples[^3] fall.\n\n"
        "[^2]: OJ No 2, p. 2; OJ No 3, p. 3.\n\n[^3]: OJ No 4."
    )
    assert unit(act, "final").markdown == "Done at Paris\n\n(4) OJ No 5."


def test_footnotes_whose_numbers_begin_anew_belong_to_later_places() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "Apples(1).", "Article 2", "Pears(1).", "Done at Paris", "(1) A.", "(1) B.",
        "(1) C.",
    )  # fmt: skip
    notes = [re.findall(r"^\[\^1\]: (\w)", found.markdown, re.MULTILINE) for found in act.units]
    assert notes == [["A"], ["B"], ["C"], []]


def test_points_are_lists_with_their_printed_markers() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "1. Apples are:", "(a) red:", "(i) dark,", "(ii)light,", "- very",
        "(b) green.", "2. Pears:", "a) yellow,", "-green.",
    )  # fmt: skip
    assert unit(act, "art_1").markdown.replace("\u00a0", " ") == (
        "1. Apples are:\n\n- (a) red:\n  - (i) dark,\n  - (ii) light,\n- very\n- (b) green.\n\n"
        "2. Pears:\n\n- a) yellow,\n- green."
    )


def test_i_after_h_is_a_letter_and_otherwise_a_roman_numeral() -> None:
    letters = [f"({letter}) x:" for letter in "abcdefghij"]
    act = parsed(*PREAMBLE, "Article 1", "Apples:", *letters, "(i) y,", "(ii) z.")
    lines = unit(act, "art_1").markdown.splitlines()
    assert [line for line in lines if "(i)" in line] == ["- (i) x:", "  - (i) y,"]


def test_quoted_text_is_a_block_quote_and_its_captions_name_nothing() -> None:
    act = parsed(
        *PREAMBLE, "Article premier", "1) L'article 2 est remplacé par le texte suivant:", "«Article 2",
        "Les pommes.", "Article 3", "Les poires.»", "Article 2", "Fin.",
    )  # fmt: skip
    assert names(act) == ["act", "art_1", "art_2"]
    assert unit(act, "art_1").markdown.endswith(
        "> «Article 2\n>\n> Les pommes.\n>\n> Article 3\n>\n> Les poires.»"
    )


def test_a_quotation_that_never_closes_does_not_swallow_the_act() -> None:
    act = parsed(
        *PREAMBLE, "Article 1", "is replaced by the following:", "“Article 5", "Red.", "Article 2", "End."
    )
    assert names(act) == ["act", "art_1", "art_2"]


def test_defined_terms_in_quotation_marks_are_no_quotations() -> None:
    act = parsed(
        *PREAMBLE,
        "Article 1",
        "The following definitions apply:",
        '"Apple" means a fruit.',
        "Article 2",
        "End.",
    )
    assert ">" not in unit(act, "art_1").markdown


def test_a_treatys_page_is_one_article_under_the_divisions_above_it() -> None:
    act = parsed(
        "Treaty on apples (Nice consolidated version)", "Part Three: Policies", "Chapter 2: Cores",
        "Article 47", "Article 57 - EC Treaty (Maastricht consolidated version)", "Article 57 - EEC Treaty",
        "Article 47", "1. Apples.", celex="12002E047",
        description="Treaty on apples (Nice consolidated version) - Part Three - Article 47",
    )  # fmt: skip
    assert names(act) == ["act", "art_47"]
    assert [str(division) for division in unit(act, "art_47").divisions] == [
        "Part Three: Policies", "Chapter 2: Cores",
    ]  # fmt: skip
    assert "Article 57 - EEC Treaty" in unit(act, "act").markdown
    assert act.type == "treaty"
    assert act.title == act.short_title == "Treaty on apples (Nice consolidated version)"


def test_amendment_markers_are_metadata_and_no_text() -> None:
    text = consolidated(
        "<p>COUNCIL REGULATION (EEC) No 12/80</p><p>of 3 March 1980</p><p>THE COUNCIL OF APPLES,</p>",
        "<p>Article 1</p><p>Red ►M2 and green ◄ apples.</p><p><a>▼M1</a></p><p>Article 2</p><p>Pears.</p>",
        "<p><a>▼M3</a> —————</p><p><a>▼B</a></p><p>Article 4</p><p>Plums.</p>",
    )
    act = parse_legacy(text, celex="", language="", version=None)
    assert names(act) == ["act", "art_1", "art_2", "art_4"]
    assert unit(act, "art_1").markdown == "Red and green apples."
    assert [found.amended_by for found in act.units] == [(), ("M2",), ("M1",), ()]
    assert act.consolidated and act.amended_by == (("M1", "31990R0001"),)


def test_the_head_of_a_consolidated_text_is_metadata() -> None:
    act = parse_legacy(consolidated("<p>Article 1</p><p>Red.</p>"), celex="", language="", version=None)
    assert (act.celex, act.language, act.version) == ("31980R0012", "en", date(2004, 5, 1))
    assert act.published == date(1980, 3, 5)
    assert [found.markdown for found in act.units] == ["", "Red."]


def test_tables_that_lay_out_markers_are_text_and_others_are_tables() -> None:
    cells = (
        "<table><tr><td>(1)</td><td><p>Whereas apples fall;</p></td></tr></table><p>HAVE ADOPTED THIS:</p>"
    )
    head = "<tr><td>Kind</td><td>Size</td><td>Price</td></tr>"
    data = f"<table>{head}<tr><td>Gala</td><td>7|8</td><td>2</td></tr></table>"
    text = consolidated(cells, "<p>Article 1</p>", data)
    act = parse_legacy(text, celex="", language="", version=None)
    assert unit(act, "rct_1").markdown == "Whereas apples fall;"
    assert unit(act, "art_1").markdown == (
        "| Kind | Size | Price |\n| --- | --- | --- |\n| Gala | 7\\|8 | 2 |"
    )


def test_tables_drawn_with_spaces_are_tables() -> None:
    act = parsed(
        *PREAMBLE, "Article 1</p><pre>Prices of apples:\n\nKind   Price\nGala   2\nBoskoop   3\n</pre><p>End."
    )
    assert unit(act, "art_1").markdown == (
        "Prices of apples:\n\n| Kind | Price |\n| --- | --- |\n| Gala | 2 |\n| Boskoop | 3 |\n\nEnd."
    )


def test_line_breaks_cut_paragraphs() -> None:
    act = parsed(*PREAMBLE, "Article 1<br>Scope<br>Apples.<br>- red,<br>- green.")
    assert (unit(act, "art_1").heading, unit(act, "art_1").markdown) == (
        "Scope",
        "Apples.\n\n- red,\n- green.",
    )


SITE = (
    '<div id="op-header">EUR-Lex</div><div id="document1"><div id="banner">'
    '<a class="langue" href="/lex/es/n">x</a>'
)


def test_a_page_of_the_site_without_a_text_is_refused_with_the_reason() -> None:
    empty = root(
        f"<html><body>{SITE}</div></div><p>The HTML format is unavailable</p></body></html>".replace(
            ">x<", "><"
        )
    )
    with pytest.raises(PageError, match="no text of an act") as caught:
        parse_legacy(empty, celex="12010E113", language="en", version=date(1957, 3, 25))
    assert caught.value.reason == "empty"


def test_a_text_in_another_language_than_asked_says_so() -> None:
    spanish = root(
        f"<html><body>{SITE}</div><p><strong>Tratado (Versión) - Parte</strong></p><div id='TexteOnly'>"
        "<TXT_TE><p>Artículo 44</p><p>1. Manzanas.</p></TXT_TE></div></div></body></html>"
    )
    act = parse_legacy(spanish, celex="12006E044", language="en", version=date(1957, 3, 25))
    assert (act.language, act.title) == ("es", "Tratado (Versión)")
    assert names(act) == ["act", "art_44"]


def test_a_page_that_does_not_say_what_it_is_is_refused() -> None:
    with pytest.raises(PageError, match="does not say which act") as caught:
        parse_legacy(root("<html><body><p>Apples.</p></body></html>"), celex="", language="en", version=None)
    assert caught.value.reason == "invalid"


def test_unclosed_and_crossing_elements_lose_no_word() -> None:
    broken = root(
        "<html><body><div><p>Article 1<p><b>Red, <i>green</b>, blue</i> plums;<td>and pears<div>fall."
    )
    act = parse_legacy(broken, celex="31980R0012", language="en", version=date(1980, 3, 3))
    assert " ".join(unit(act, "art_1").markdown.split()) == "Red, green, blue plums; and pears fall."


NO_TEXT = (
    "12010E113_1957-03-25_en.html", "12010E113_1957-03-25_fr.html", "12010E114_1957-03-25_en.html",
    "12010E115_1957-03-25_fr.html", "31967L0227_1969-12-15_fr.html", "31977L0799_1995-01-01_en.html",
)  # fmt: skip
"""Pages of the site that say that the text is unavailable in HTML."""

PRINTED = (
    # file, recitals, articles, annexes
    ("11997E083_1957-03-25_en.html", 0, "83", ""),
    ("11997E083_1957-03-25_fr.html", 0, "83", ""),
    ("12002E047_1957-03-25_en.html", 0, "47", ""),
    ("12002E047_1957-03-25_fr.html", 0, "47", ""),
    ("12002E055_1957-03-25_en.html", 0, "55", ""),
    ("12002E083_1957-03-25_en.html", 0, "83", ""),
    ("12002E093_1957-03-25_fr.html", 0, "93", ""),
    ("12002E095_1986-02-28_fr.html", 0, "95", ""),
    ("12002E141_1957-03-25_en.html", 0, "141", ""),
    ("12006E044_1957-03-25_en.html", 0, "44", ""),
    ("31965R0019_2004-05-01_fr.xhtml", 8, "1 1a 2 3 4 5 6 8", ""),
    ("31971R2821_2004-05-01_en.xhtml", 9, "1-6", ""),
    ("31971R2821_2004-05-01_fr.xhtml", 9, "1-6", ""),
    ("31987R3976_1987-12-14_en.html", 10, "1-9", ""),
    ("31991R1534_2004-05-01_en.xhtml", 13, "1-6 8", ""),
    ("31994L0004_1999-01-01_fr.xhtml", 7, "1-5", ""),
    ("31995L0046_2003-11-20_en.xhtml", 72, "1-34", ""),
    ("31996L0097_1996-12-20_fr.html", 16, "1-5", ""),
    ("31997R1310_1997-06-30_en.html", 14, "1-3", ""),
    ("31998L0027_1998-05-19_en.html", 16, "1-10", "anx"),
    ("31999L0085_1999-10-22_fr.html", 7, "1-3", "anx"),
    ("32004L0039_2004-04-21_en.html", 71, "1-73", "anx_I anx_II"),
)
"""Counted by hand in the printed texts."""


def read(file: str) -> tuple[html.HtmlElement, Act]:
    celex, version, language = file.rpartition(".")[0].split("_")
    tree = root((LAW / file).read_text())
    return tree, parse_legacy(tree, celex=celex, language=language, version=date.fromisoformat(version))


@needs(LAW)
@pytest.mark.parametrize(
    ("file", "recitals", "articles", "annexes"), PRINTED, ids=[row[0] for row in PRINTED]
)
def test_the_units_of_real_texts_are_the_printed_ones(
    file: str, recitals: int, articles: str, annexes: str
) -> None:
    _, act = read(file)
    by_kind = {
        kind: [found.id for found in act.units if found.kind == kind]
        for kind in ("recital", "article", "annex")
    }
    assert by_kind["recital"] == [f"rct_{number}" for number in range(1, recitals + 1)]
    assert by_kind["article"] == [f"art_{number}" for part in articles.split() for number in numbers(part)]
    assert by_kind["annex"] == annexes.split()
    assert all(found.markdown for found in act.units if found.kind != "act")


@needs(LAW)
@pytest.mark.parametrize("file", [row[0] for row in PRINTED])
def test_every_word_of_real_texts_is_in_exactly_one_place(file: str) -> None:
    tree, act = read(file)
    assert words_of(act) == printed_words(tree, consolidated=act.consolidated)


@needs(LAW)
@pytest.mark.parametrize("file", NO_TEXT)
def test_real_pages_without_a_text_are_refused(file: str) -> None:
    with pytest.raises(PageError, match="no text of an act"):
        read(file)


@needs(LAW)
def test_all_44_footnotes_of_a_real_text_find_their_places() -> None:
    _, act = read("32004L0039_2004-04-21_en.html")
    notes = [
        int(number) for found in act.units for number in re.findall(r"^\[\^(\d+)\]: ", found.markdown, re.M)
    ]
    assert notes == list(range(1, 45))


def numbers(part: str) -> list[str]:
    first, _, last = part.partition("-")
    return [str(number) for number in range(int(first), int(last) + 1)] if last else [first]


def words_of(act: Act) -> Counter[str]:
    texts: list[str] = []
    before: tuple[object, ...] = ()
    for found in act.units:
        new = [
            division
            for at, division in enumerate(found.divisions)
            if found.divisions[: at + 1] != before[: at + 1]
        ]
        texts += [text for division in new for text in (division.label, division.heading)]
        before = found.divisions or before
        texts += [found.label, found.heading, found.markdown]
    return Counter(re.findall(r"\w+", " ".join(texts)))


def printed_words(tree: html.HtmlElement, *, consolidated: bool) -> Counter[str]:
    """The words of the text, counted without the code that is tested."""
    found = tree.find(".//*[@id='TexteOnly']")
    element = tree.find("body") if found is None else found
    parts: list[str] = []
    rules = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if event == "start" and node.tag == "hr":
            rules += 1
            if consolidated and rules == 2:
                parts = []
        if node.tag not in ("a", "b", "em", "i", "span", "sub", "sup", *SKIPPED):
            parts.append(" ")
        parts.append((node.text if event == "start" else node.tail if node is not element else "") or "")
    text = re.sub(r"[►▼]\s*(?:[ABM]\d?\b)?|◄", " ", "".join(parts))
    return Counter(re.findall(r"\w+", text))
