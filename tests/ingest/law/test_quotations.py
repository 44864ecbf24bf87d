"""What an act quotes from other acts makes no units of its own, however it is printed."""

from collections.abc import Callable, Sequence
from datetime import date

import pytest

from ingest.law.parse import parse
from tests.growth import grows_with_size
from tests.ingest.law.samples import annex, article, consolidated, item, official_journal, page, text

Layout = Callable[[Sequence[str]], list[str]]


def _is_caption(line: str) -> bool:
    return line.lstrip("‘“«\"'").startswith("Article ")


def journal(lines: Sequence[str]) -> list[str]:
    """The units of an act of the Official Journal with these paragraphs."""
    body = (f'<p class="oj-ti-art">{line}</p>' if _is_caption(line) else text(line) for line in lines)
    return [unit.id for unit in parse(official_journal("".join(body))).units]


def consolidation(lines: Sequence[str]) -> list[str]:
    body = (
        f'<p class="{"title-article-norm" if _is_caption(line) else "norm"}">{line}</p>' for line in lines
    )
    return [unit.id for unit in parse(consolidated("".join(body))).units]


def legacy(lines: Sequence[str]) -> list[str]:
    head = ("COUNCIL REGULATION (EEC) No 12/80 of 3 March 1980 on bees", "HAS ADOPTED THIS REGULATION:")
    html = page("".join(f"<p>{line}</p>" for line in (*head, *lines)))
    act = parse(html, celex="31980R0012", language="en", version=date(1980, 3, 3))
    return [unit.id for unit in act.units]


in_all_layouts = pytest.mark.parametrize("units_of", [journal, consolidation, legacy])
INSERTED = ("Article 1", "The following Articles are inserted:", "‘Article 5a")


@in_all_layouts
@pytest.mark.parametrize(
    "quoted",
    [
        ("Bees are called ‘apis’.", "Article 5b", "Wasps.’"),
        ("Bees are called “apis”;", "Article 5b", "Wasps.’"),
        ("1. Bees belong to the beekeepers’;", "Article 5b", "Wasps.’"),
        ("Bees.", "Article 5b", "Wasps.", "Article 6", "Hives.’"),
    ],
)
def test_a_quotation_goes_on_behind_closing_marks_that_are_not_its_own(
    quoted: Sequence[str], units_of: Layout
) -> None:
    assert units_of([*INSERTED, *quoted, "Article 2", "Hives."]) == ["act", "art_1", "art_2"]


@in_all_layouts
def test_a_quotation_that_is_never_closed_ends_before_the_next_article_of_the_act(units_of: Layout) -> None:
    lines = [*INSERTED, "Bees.", "Article 5b", "Wasps.", "Article 2", "Hives.", "Article 3", "Honey."]
    assert units_of(lines) == ["act", "art_1", "art_2", "art_3"]


@in_all_layouts
def test_a_quotation_that_is_never_closed_swallows_no_articles_where_the_next_number_is_missing(
    units_of: Layout,
) -> None:
    lines = ["Article 1", "Replaced is:", "‘Article 2", "Bees.", "Article 3", "Wasps.", "Article 4", "Hives."]
    assert units_of(lines) == ["act", "art_1", "art_3", "art_4"]


@in_all_layouts
def test_articles_behind_a_closed_quotation_of_the_same_numbers_are_the_acts(units_of: Layout) -> None:
    lines = [
        "Article 5",
        "Replaced is:",
        "‘Article 5",
        "Bees.’",
        "Article 6",
        "Wasps.",
        "Article 7",
        "Hives.",
    ]
    assert units_of(lines) == ["act", "art_5", "art_6", "art_7"]


def test_identifiers_tell_quoted_articles_from_those_of_the_act() -> None:
    caption = '<p class="oj-ti-art">{}</p>'
    quoted = text("Replaced is:") + caption.format("‘Article 2") + text("The bees’ hive is the keepers’.")
    body = article("1", quoted + caption.format("Article 3") + text("Wasps.’")) + article("3", text("Hives."))
    assert [unit.id for unit in parse(official_journal(body)).units] == ["act", "art_1", "art_3"]


def test_a_caption_whose_class_says_that_it_is_quoted_makes_no_unit() -> None:
    body = (
        '<p class="title-article-norm">Article 1</p><p class="norm">Inserted is</p>'
        '<p class="title-article-quoted">Article 2</p><p class="stitle-article-quoted">Wasps</p>'
        '<p class="norm">Wasps fly.</p><p class="title-article-norm">Article 3</p><p class="norm">Bees.</p>'
    )
    act = parse(consolidated(body))
    assert [unit.id for unit in act.units] == ["act", "art_1", "art_3"]
    assert "> **Article 2**" in act.units[1].markdown


def test_a_pair_of_marks_in_a_quoted_point_does_not_end_the_quotation() -> None:
    body = text("the following points are added:") + item(
        "(1)", text("added:") + text("‘Bees are ‘apis’.") + text("Wasps are ‘vespa’.’;")
    )
    act = parse(official_journal(article("1", body)))
    assert act.units[1].markdown.endswith("> ‘Bees are ‘apis’.\n  >\n  > Wasps are ‘vespa’.’;")


@pytest.mark.parametrize("opening", ["The Annex is replaced:", "The Annex is replaced by this text."])
def test_a_quoted_annex_is_no_annex_of_the_act(opening: str) -> None:
    quoted = (
        text(opening) + '<p class="oj-doc-ti">‘ANNEX II</p><p class="oj-doc-ti">LIST</p>' + text("Wasps.’")
    )
    body = quoted + '<p class="oj-ti-art">Article 2</p>' + text("Bees.")
    act = parse(
        official_journal(f'<p class="oj-ti-art">Article 1</p>{body}' + annex("ANNEX", text("Hives.")))
    )
    assert [unit.id for unit in act.units] == ["act", "art_1", "art_2", "anx"]


def test_a_quotation_may_end_in_the_last_cell_of_a_table() -> None:
    table = (
        '<table class="oj-table"><tr><td>Bee</td><td>1</td></tr><tr><td>Wasp</td><td>2’.</td></tr></table>'
    )
    quoted = '<p class="oj-doc-ti">‘ANNEX II</p>' + table + text("Hives.")
    act = parse(official_journal(article("1", text("The Annex is replaced:") + quoted)))
    assert [unit.id for unit in act.units] == ["act", "art_1"]
    assert "> | Wasp | 2’. |\n\nHives." in act.units[1].markdown


def test_a_quoted_annex_of_a_consolidated_text_is_no_annex_of_the_act() -> None:
    body = (
        '<p class="title-article-norm">Article 1</p><p class="norm">Added is</p>'
        '<p class="title-annex-1">‘ANNEX II</p><p class="title-annex-2">Wasps</p><p class="norm">Wasps.’</p>'
        '<p class="title-article-norm">Article 2</p><p class="norm">Bees.</p>'
    )
    assert [unit.id for unit in parse(consolidated(body)).units] == ["act", "art_1", "art_2"]


@pytest.mark.parametrize("mark", ["‘", ""])
def test_the_next_article_of_the_act_is_not_part_of_an_annex_before_it(mark: str) -> None:
    body = (
        f'<p class="oj-ti-art">Article 1</p>{text("Replaced is:")}<p class="oj-doc-ti">{mark}ANNEX II</p>'
        f'{text("Wasps.")}<p class="oj-ti-art">Article 2</p>{text("Bees.")}'
    )
    assert parse(official_journal(body)).units[-1].id == "art_2"


def test_articles_of_an_annex_with_numbers_of_their_own_stay_in_it() -> None:
    articles = "".join(
        f'<p class="oj-ti-art">Article {number}</p>' + text("Hives.") for number in range(1, 6)
    )
    body = "".join(article(str(number), text("Bees.")) for number in range(1, 4)) + annex("ANNEX", articles)
    assert [unit.id for unit in parse(official_journal(body)).units][-2:] == ["art_3", "anx"]


@pytest.mark.parametrize(
    "body",
    [
        lambda size: '<p class="oj-ti-art">‘Article 5</p>' * size,
        lambda size: (text("Added:") + text("‘Bees")) * size,
        lambda size: text("Added:") + text("‘" + '"' * 20 * size + "x"),
        lambda size: (
            ('<p class="oj-ti-art">‘Article 5a</p>' + text("Bees.’") + '<p class="oj-ti-art">Article 5b</p>')
            * (size // 2)
        ),
    ],
    ids=["captions", "paragraphs", "marks", "continued"],
)
def test_marks_that_close_nothing_take_time_in_proportion_to_their_number(body: Callable[[int], str]) -> None:
    assert grows_with_size(lambda size: parse(official_journal(article("1", body(size)))), 1_500)
