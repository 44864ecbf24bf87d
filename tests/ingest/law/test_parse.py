"""Acts with classes become units whose text a lawyer can read."""

from collections.abc import Sequence
from datetime import date

import pytest

from ingest.errors import PageError
from ingest.law.model import Act, Unit
from ingest.law.parse import parse
from tests.ingest.law.samples import (
    PAGE_HEAD,
    TITLE,
    annex,
    article,
    consolidated,
    item,
    official_journal,
    page,
    text,
)

NBSP = "\u00a0"


def ids(act: Act) -> Sequence[str]:
    return [unit.id for unit in act.units]


def unit(act: Act, name: str) -> Unit:
    return next(unit for unit in act.units if unit.id == name)


def markdown_of(body: str, name: str = "art_1") -> str:
    return unit(parse(official_journal(article("1", body))), name).markdown


def parsed_in(layout: str, *lines: str) -> Act:
    """An act with these paragraphs before its only article."""
    if layout == "consolidated":
        paragraphs = "".join(f'<p class="norm">{line}</p>' for line in lines)
        return parse(
            consolidated(f'{paragraphs}<p class="title-article-norm">Article 1</p><p class="norm">Bees.</p>')
        )
    html = official_journal("".join(map(text, lines)) + article("1", text("Bees.")))
    return parse(html.replace("oj-", "") if layout == "oj-old" else html)


class TestAct:
    def test_what_is_printed_about_the_act_is_known(self) -> None:
        foot = "<p>ELI: http://data.europa.eu/eli/reg/2031/77/oj</p>"
        act = parse(
            official_journal(article("1", text("This Regulation shall apply from 1 July 2032.")) + foot)
        )
        assert (act.celex, act.language, act.version) == ("32031R0077", "en", date(2031, 3, 3))
        assert (act.type, act.number, act.short_title) == ("regulation", "2031/77", "Bees Act")
        assert (act.document_date, act.published) == (date(2031, 3, 3), date(2031, 3, 5))
        assert act.applies_from == date(2032, 7, 1)
        assert act.eli == "http://data.europa.eu/eli/reg/2031/77/oj"
        assert act.layout == "oj-convex"
        assert (
            act.title
            == "REGULATION (EU) 2031/77 OF THE COUNCIL of 3 March 2031 on the keeping of bees (Bees Act)"
        )

    def test_what_is_known_from_elsewhere_goes_before_what_is_printed(self) -> None:
        html = official_journal(article("1", text("Bees.")))
        act = parse(html, celex="32031R0078", language="de", version=date(2031, 1, 1))
        assert (act.celex, act.language, act.version) == ("32031R0078", "de", date(2031, 1, 1))

    def test_the_head_and_foot_of_the_page_are_no_text_of_the_act(self) -> None:
        foot = text("ELI: http://data.europa.eu/eli/reg/2031/77/oj") + text(
            "ISSN 1977-0677 (electronic edition)"
        )
        act = parse(official_journal(article("1", text("Bees.")) + foot))
        everything = " ".join(unit.markdown for unit in act.units)
        assert "Official Journal" not in everything
        assert "ISSN" not in everything
        assert "ELI" not in everything

    def test_the_older_layout_without_prefixes_is_read_alike(self) -> None:
        html = official_journal(
            text("whereas bees are useful;") + item("(1)", text("Bees fly."))
            + '<p class="oj-ti-art">Article 1</p>' + text("Bees.")
        ).replace("oj-", "")  # fmt: skip
        act = parse(html)
        assert act.layout == "oj-old"
        assert ids(act) == ["act", "rct_1", "art_1"]

    @pytest.mark.parametrize("layout", ["oj-convex", "oj-old", "consolidated"])
    def test_recitals_in_plain_paragraphs_are_units(self, layout: str) -> None:
        lines = ("Whereas:", "(14) Bees fly.", "They like it.", "(15) So do wasps.")
        act = parsed_in(layout, *lines, "HAS ADOPTED THIS REGULATION:")
        assert ids(act) == ["act", "rct_14", "rct_15", "art_1"]
        assert unit(act, "rct_14").markdown == "Bees fly.\n\nThey like it."
        assert unit(act, "act").markdown.endswith("Whereas:\n\nHAS ADOPTED THIS REGULATION:")

    @pytest.mark.parametrize("layout", ["oj-convex", "oj-old", "consolidated"])
    def test_recitals_without_numbers_are_counted(self, layout: str) -> None:
        lines = ("Having regard to the Treaty,", "Whereas bees fly;", "Whereas wasps fly;")
        act = parsed_in(layout, *lines, "HAS ADOPTED THIS REGULATION:")
        assert ids(act) == ["act", "rct_1", "rct_2", "art_1"]
        assert unit(act, "rct_2").markdown == "Whereas wasps fly;"

    @pytest.mark.parametrize("formula", ["HAS ADOPTED THIS RECOMMENDATION:", "A ADOPTÉ:", "HAT EMPFOHLEN:"])
    def test_points_behind_the_enacting_formula_are_no_recitals(self, formula: str) -> None:
        points = item("(1)", text("Keep bees.")) + item("(2)", text("Keep hives."))
        act = parse(
            official_journal(text("Whereas:") + item("(1)", text("Bees fly.")) + text(formula) + points)
        )
        assert ids(act) == ["act", "rct_1"]
        assert "- (2) Keep hives." in unit(act, "act").markdown

    def test_what_is_done_at_least_once_is_no_final_formula(self) -> None:
        assert markdown_of(text("Bees are counted.") + text("Done at least once a year.")).endswith("year.")

    def test_an_act_without_articles_is_one_unit(self) -> None:
        body = (
            text("On page 3, article 4:")
            + item("(1)", text("for: ‘bee’,"))
            + item("(2)", text("read: ‘bees’."))
        )
        act = parse(official_journal(body))
        assert ids(act) == ["act"]
        assert "- (2) read: ‘bees’." in unit(act, "act").markdown


class TestUnits:
    def test_recitals_articles_annexes_and_the_end_are_units(self) -> None:
        preamble = (
            text("THE COUNCIL,") + text("Whereas:")
            + f'<div id="rct_1">{item("(1)", text("Bees fly."))}</div>' + text("HAS ADOPTED THIS REGULATION:")
        )  # fmt: skip
        end = f'<div id="fnp_1"><div class="oj-final">{text("Done at Brussels, 3 March 2031.")}</div></div>'
        body = (
            preamble
            + article("1", text("Bees."), "Scope")
            + end
            + annex("ANNEX I", text("Hives."), heading="List")
        )
        act = parse(official_journal(body))
        assert ids(act) == ["act", "rct_1", "art_1", "anx_I", "final"]
        assert unit(act, "rct_1").markdown == "Bees fly."
        assert (unit(act, "art_1").label, unit(act, "art_1").heading) == ("Article 1", "Scope")
        assert (unit(act, "anx_I").label, unit(act, "anx_I").heading) == ("ANNEX I", "List")
        assert unit(act, "final").markdown == "Done at Brussels, 3 March 2031."
        assert unit(act, "act").markdown.endswith("Whereas:\n\nHAS ADOPTED THIS REGULATION:")

    @pytest.mark.parametrize(
        ("caption", "name", "number"),
        [
            ("Article 7a", "art_7a", "7a"),
            ("Article 12 <span>bis</span>", "art_12a", "12 bis"),
            ("Article premier", "art_1", "1"),
            ("Article premier bis", "art_1a", "1 bis"),
            ("Article unique", "art_1", ""),
            ("Sole Article", "art_1", ""),
            ("Artikel 3", "art_3", "3"),
            ("Article 28 quaterdecies", "art_28m", "28 quaterdecies"),
            ("Article 3<br/>EU law", "art_3", "3"),
            ("Article 4<br/>A bee", "art_4", "4"),
            ("Article 100 A", "art_100a", "100A"),
            ("Article 7A", "art_7a", "7A"),
            ("Article 7 BIS", "art_7a", "7 BIS"),
            ("Article IIa", "art_IIa", "IIa"),
        ],
    )
    def test_articles_are_named_by_their_printed_number(self, caption: str, name: str, number: str) -> None:
        act = parse(official_journal(f'<p class="oj-ti-art">{caption}</p>{text("Bees.")}'))
        assert (act.units[-1].name, act.units[-1].number) == (name, number)

    @pytest.mark.parametrize(
        ("caption", "name"),
        [
            ("ANNEX", "anx"),
            ("ANNEXE II", "anx_II"),
            ("ANNEX Ia", "anx_Ia"),
            ("ANNEXE I bis", "anx_Ia"),
            ("ANNEX K", "anx_K"),
            ("ANNEX IA", "anx_Ia"),
            ("ANNEX XIIC", "anx_XIIc"),
            ("ANNEX XC", "anx_XC"),
            ("ANNEX V-B", "anx_Vb"),
            ("Annex iii", "anx_III"),
            ("ANNEX II B", "anx_IIb"),
            ("APPENDIX 1", "anx.app_1"),
            ("APPENDIX", "anx.app"),
        ],
    )
    def test_annexes_are_named_by_their_printed_number(self, caption: str, name: str) -> None:
        act = parse(official_journal(article("1", text("Bees.")) + annex(caption, text("Hives."))))
        assert act.units[-1].name == name

    @pytest.mark.parametrize("number", ["1" * 5, "1" * 300, "1" * 5000, "I" * 300])
    @pytest.mark.parametrize("caption", ["Article {}", "{} cikk", "Klausel {}", "Klausel"])
    def test_a_caption_with_an_endless_number_makes_no_article(self, number: str, caption: str) -> None:
        printed = f'<div id="art_{number}"><p class="oj-ti-art">{caption.format(number)}</p></div>'
        act = parse(official_journal(article("1", text("Bees.")) + printed))
        assert ids(act) == ["act", "art_1"]

    @pytest.mark.parametrize("number", ["1" * 300, "I" * 300])
    def test_an_annex_with_an_endless_number_has_none(self, number: str) -> None:
        act = parse(official_journal(article("1", text("Bees.")) + annex(f"ANNEX {number}", text("Hives."))))
        assert ids(act) == ["act", "art_1", "anx"]

    def test_appendices_are_named_within_their_annex(self) -> None:
        body = (
            annex("ANNEX I", text("a"))
            + annex("Appendix 1", text("b"), "x")
            + annex("Appendix 2", text("c"), "y")
        )
        act = parse(official_journal(article("1", text("Bees.")) + body + annex("ANNEX II", text("d"), "z")))
        assert ids(act)[2:] == ["anx_I", "anx_I.app_1", "anx_I.app_2", "anx_II"]

    def test_an_identifier_that_repeats_names_only_its_first_place(self) -> None:
        body = annex("ANNEX I", text("Hives.")) + annex("ANNEX IX", text("Honey."), identifier="anx_I")
        act = parse(official_journal(article("1", text("Bees.")) + body))
        assert [(unit.id, unit.anchor) for unit in act.units[2:]] == [
            ("anx_I", "anx_I"),
            ("anx_IX", "caption-of-ANNEX-IX"),
        ]

    def test_units_with_the_same_number_are_told_apart(self) -> None:
        act = parse(official_journal(article("1", text("Bees.")) + article("1", text("Wasps."))))
        assert ids(act) == ["act", "art_1", "art_1.2"]

    def test_units_know_the_divisions_they_stand_in(self) -> None:
        def division(label: str, heading: str) -> str:
            return f'<p class="oj-ti-section-1">{label}</p><p class="oj-ti-section-2">{heading}</p>'

        act = parse(
            official_journal(
                division("CHAPTER I", "General") + article("1", text("a")) + division("Section 1", "Hives")
                + article("2", text("b")) + division("CHAPTER II", "Honey") + article("3", text("c"))
            )
        )  # fmt: skip
        assert [list(map(str, unit.divisions)) for unit in act.units[1:]] == [
            ["CHAPTER I: General"],
            ["CHAPTER I: General", "Section 1: Hives"],
            ["CHAPTER II: Honey"],
        ]

    def test_divisions_that_are_called_alike_stand_side_by_side(self) -> None:
        def division(label: str) -> str:
            return f'<p class="oj-ti-section-1">{label}</p>'

        body = division("CAPO I") + article("1", text("a")) + division("CAPO II") + article("2", text("b"))
        act = parse(official_journal(body))
        assert [list(map(str, unit.divisions)) for unit in act.units[1:]] == [["CAPO I"], ["CAPO II"]]

    def test_divisions_reach_no_deeper_than_acts_do(self) -> None:
        body = "".join(f'<p class="oj-ti-section-1">bee{number}</p>' for number in range(4000))
        act = parse(official_journal(body + article("1", text("a"))))
        assert len(unit(act, "art_1").divisions) == 10
        assert "bee3990" in unit(act, "act").markdown

    def test_a_table_of_contents_makes_no_units(self) -> None:
        contents = '<p class="title-toc">CONTENTS</p><p class="toc-item">Article 1 Scope</p>'
        act = parse(
            consolidated(contents + '<p class="title-article-norm">Article 1</p><p class="norm">Bees.</p>')
        )
        assert ids(act) == ["act", "art_1"]
        assert "Article 1 Scope" in unit(act, "act").markdown

    @pytest.mark.parametrize("between", ["", text("Whereas:") + text("(1) Bees fly.")])
    def test_a_table_of_contents_with_the_classes_of_captions_makes_no_units(self, between: str) -> None:
        chapter = '<p class="oj-ti-section-1">CHAPTER I</p><p class="oj-ti-section-2">Bees</p>'
        contents = "".join(
            f'<p class="oj-ti-art">Article {number}</p><p class="oj-sti-art">{heading}</p>'
            for number, heading in ((1, "Scope"), (2, "Hives"))
        )
        body = article("1", text("Bees."), "Scope") + article("2", text("Wood."), "Hives")
        act = parse(official_journal(chapter + contents + between + chapter + body))
        assert ids(act) == ["act", *(["rct_1"] if between else []), "art_1", "art_2"]
        assert "CHAPTER I\n\nBees\n\nArticle 1\n\nScope\n\nArticle 2" in unit(act, "act").markdown
        assert (unit(act, "art_2").markdown, str(*unit(act, "art_2").divisions)) == (
            "Wood.",
            "CHAPTER I: Bees",
        )

    def test_a_long_annex_is_split_at_its_own_parts(self) -> None:
        filler = text("Honey is sweet and keeps for a long time. " * 60) * 25
        parts = "".join(f'<p class="oj-ti-grseq-1">{letter}. Sorts</p>{filler}' for letter in "ABC")
        act = parse(official_journal(article("1", text("Bees.")) + annex("ANNEX V", parts)))
        assert ids(act)[2:] == ["anx_V", "anx_V.B", "anx_V.C"]
        assert unit(act, "anx_V.C").heading == "C. Sorts"
        assert "Sorts" not in unit(act, "anx_V.C").markdown

    def test_no_unit_is_longer_than_a_page_may_be(self) -> None:
        row = "<tr><td>Honey</td><td>" + "sweet " * 100 + "</td></tr>"
        body = text("bees " * 200_000) + f'<table class="oj-table">{row * 2000}</table>'
        act = parse(official_journal(article("1", body)))
        assert all(len(unit.markdown.encode()) <= 900_000 for unit in act.units)
        words = " ".join(unit.markdown for unit in act.units).split()
        assert (words.count("bees"), words.count("Honey")) == (200_000, 2000)
        assert ids(act)[:3] == ["act", "art_1", "art_1.2"]


class TestMarkdown:
    def test_points_are_nested_lists_with_their_printed_markers(self) -> None:
        inner = text("hives:") + item("(i)", text("of straw;")) + item("(ii)", text("of wood;"))
        body = text("1.   The following are kept:") + item("(a)", inner) + item("—", text("bees."))
        assert markdown_of(body) == (
            f"1.{NBSP}The following are kept:\n\n- (a) hives:\n  - (i) of straw;\n  - (ii) of wood;\n- bees."
        )

    def test_the_grids_of_consolidated_texts_are_the_same_lists(self) -> None:
        body = (
            '<p class="title-article-norm">Article 1</p>'
            '<div class="norm"><span class="no-parag">2.</span>'
            '<div class="norm inline-element"><p class="norm inline-element">Kept are:</p>'
            '<div class="grid-container grid-list">'
            '<div class="list grid-list-column-1"><span>(a)</span></div>'
            '<div class="grid-list-column-2"><p class="norm">bees;</p></div></div></div></div>'
        )
        assert unit(parse(consolidated(body)), "art_1").markdown == f"2.{NBSP}Kept are:\n\n- (a) bees;"

    def test_tables_are_tables_with_their_spans(self) -> None:
        table = (
            '<table class="oj-table"><tr><td rowspan="2">Hive</td><td colspan="2">Honey</td></tr>'
            "<tr><td>kg</td><td>a|b</td></tr></table>"
        )
        assert markdown_of(table) == "| Hive | Honey |  |\n| --- | --- | --- |\n|  | kg | a\\|b |"

    def test_footnotes_stand_at_the_end_of_the_unit_that_refers_to_them(self) -> None:
        reference = '<a id="ntc1-X" href="#ntr1-X">(<span class="oj-super oj-note-tag">1</span>)</a>'
        label = '<a id="ntr1-X" href="#ntc1-X">(<span class="oj-super">1</span>)</a>'
        note = f'<p class="oj-note">{label} OJ L 7.</p>'
        body = article("1", text(f"Bees {reference}.")) + article("2", text("Wasps.")) + note
        act = parse(official_journal(body))
        assert unit(act, "art_1").markdown == "Bees [^1].\n\n[^1]: OJ L 7."
        assert "OJ L 7" not in unit(act, "art_2").markdown

    def test_footnotes_whose_numbers_start_anew_in_a_unit_are_told_apart(self) -> None:
        def reference(key: str) -> str:
            return f'<a id="ntc1-{key}" href="#ntr1-{key}">(<span class="oj-super">1</span>)</a>'

        def note(key: str, words: str) -> str:
            return f'<p class="oj-note"><a id="ntr1-{key}" href="#ntc1-{key}">(1)</a> {words}</p>'

        body = (
            text(f"Bees {reference('X')} and wasps {reference('Y')}.")
            + note("X", "Sweet.")
            + note("Y", "Not.")
        )
        assert markdown_of(body) == "Bees [^1] and wasps [^1′].\n\n[^1]: Sweet.\n\n[^1′]: Not."

    def test_a_footnote_inside_a_list_stays_where_it_is(self) -> None:
        reference = '<a id="ntc*1-X" href="#ntr*1-X">(<span class="oj-super">*1</span>)</a>'
        note = '<p class="oj-note"><a id="ntr*1-X" href="#ntc*1-X">(*1)</a> OJ L 7.’;</p>'
        body = item("(1)", text("the following is added:") + text(f"‘Bees {reference}.") + note)
        assert (
            markdown_of(body) == "- (1) the following is added:\n\n  > ‘Bees (*1).\n  >\n  > (*1) OJ L 7.’;"
        )

    def test_formulas_and_images_are_their_alternative_text(self) -> None:
        assert markdown_of(text('<img alt="E = mc2" src="x.png"/>')) == "E = mc2"
        assert markdown_of(text('<img class="oj-formula" src="x.png"/>')) == "[formula]"

    def test_powers_keep_their_meaning(self) -> None:
        assert markdown_of(text('10<span class="oj-super">6</span> bees')) == "10⁶ bees"

    def test_quoted_text_of_other_acts_is_set_apart_and_makes_no_units(self) -> None:
        quoted = '<p class="oj-ti-art">‘Article 5</p>' + text("Wasps are kept.’;")
        body = item("(1)", text("the following Article is inserted:") + quoted) + item(
            "(2)", text("point 3 is deleted.")
        )
        act = parse(official_journal(article("1", body)))
        assert ids(act) == ["act", "art_1"]
        assert unit(act, "art_1").markdown == (
            "- (1) the following Article is inserted:\n\n  > **‘Article 5**\n  >\n  > Wasps are kept.’;\n\n"
            "- (2) point 3 is deleted."
        )

    def test_a_quoted_article_outside_a_list_makes_no_unit(self) -> None:
        body = (
            '<p class="title-article-norm">Article 1</p><p class="norm">The following is inserted:</p>'
            '<p class="title-article-quoted">‘Article 7b</p><p class="norm">Wasps.’</p>'
            '<p class="title-article-norm">Article 2</p><p class="norm">Bees.</p>'
        )
        act = parse(consolidated(body))
        assert ids(act) == ["act", "art_1", "art_2"]
        assert "> **‘Article 7b**\n>\n> Wasps.’" in unit(act, "art_1").markdown

    def test_a_defined_term_in_quotation_marks_is_no_quotation(self) -> None:
        assert ">" not in markdown_of(
            text("In this Act:") + text("‘bee’ means an insect;") + text("‘hive’ means a home.")
        )

    def test_text_that_looks_like_markup_stays_text(self) -> None:
        assert markdown_of(text("# not a heading &lt;b&gt;")) == "\\# not a heading \\<b>"

    def test_a_quotation_that_is_never_closed_ends_with_its_list(self) -> None:
        body = text("the following point is added:") + item("‘(g)", text("wasps;")) + text("Bees stay.")
        assert markdown_of(body) == "the following point is added:\n\n> - ‘(g) wasps;\n\nBees stay."


class TestConsolidated:
    BODY = (
        '<p class="title-article-norm">Article 1</p><p class="norm">Bees ►M1 and wasps ◄ fly.</p>'
        '<p class="title-article-norm">Article 2</p><p class="norm">Hives.</p>'
        '<p class="modref"><a>▼M1</a></p>'
        '<p class="title-article-norm">Article 2a</p><p class="norm">Honey.</p>'
        '<p class="modref"><a>▼B</a></p>'
    )

    def test_the_head_is_metadata(self) -> None:
        act = parse(consolidated(self.BODY))
        assert act.layout == "consolidated"
        assert (act.celex, act.language) == ("32031R0077", "en")
        assert (act.version, act.consolidated, act.document_date) == (
            date(2032, 6, 1),
            True,
            date(2031, 3, 3),
        )
        assert act.amended_by == (("M1", "32032R0005"),)
        assert "legal effect" not in " ".join(unit.markdown for unit in act.units)

    def test_amendment_markers_are_metadata_and_not_text(self) -> None:
        act = parse(consolidated(self.BODY))
        assert [(unit.id, unit.markdown, unit.amended_by) for unit in act.units[1:]] == [
            ("art_1", "Bees and wasps fly.", ("M1",)),
            ("art_2", "Hives.", ()),
            ("art_2a", "Honey.", ("M1",)),
        ]


class TestBadInput:
    @pytest.mark.parametrize(
        ("html", "reason", "words"),
        [
            ("", "empty", "empty"),
            ("no markup at all", "unsupported", "not HTML"),
            (page(""), "empty", "no text"),
            (page('<a href="x.pdf"></a>'), "unsupported", "PDF"),
            (
                page('<div id="challenge-container"></div><p>JavaScript is disabled</p>'),
                "invalid",
                "challenge",
            ),
            (page("<p>The requested document does not exist.</p>"), "invalid", "error page"),
            (official_journal(article("1", text("Bees.")))[:-40], "invalid", "truncated"),
        ],
    )
    def test_what_is_no_act_is_refused_with_a_reason(self, html: str, reason: str, words: str) -> None:
        with pytest.raises(PageError, match=words) as refused:
            parse(html)
        assert refused.value.reason == reason

    def test_html_that_is_no_law_is_refused(self) -> None:
        with pytest.raises(PageError):
            parse(page("<h1>Recipes</h1><p>Take two eggs and a spoon of honey.</p>"))

    def test_an_act_that_does_not_say_which_it_is_asks_for_its_name(self) -> None:
        with pytest.raises(PageError, match="CELEX number"):
            parse(official_journal(article("1", text("Bees.")), head=PAGE_HEAD))

    def test_malformed_markup_is_read_as_far_as_it_goes(self) -> None:
        html = page(
            PAGE_HEAD
            + TITLE
            + '<p class="oj-ti-art">Article 1</span></td><p class="oj-normal">Bees &amp <b>fly.'
        )
        assert unit(parse(html), "art_1").markdown == "Bees & fly."

    def test_deep_nesting_ends_no_parser(self) -> None:
        body = text("start")
        for _ in range(400):
            body = item("(a)", text("deeper:") + body)
        assert "start" in markdown_of(body)
