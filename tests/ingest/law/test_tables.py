"""Tables and footnotes that are larger or stranger than any act's cost no more than their size."""

import time

import pytest

from ingest.law.parse import parse, tree
from ingest.law.tables import markdown, page_headers, rows_of
from tests.ingest.law.samples import PAGE_HEAD, article, official_journal, page, text


def table_of(html: str) -> str:
    [table] = tree(page(f"<table class='oj-table'>{html}</table>")).iter("table")
    return markdown(rows_of(table))


def test_a_row_of_very_many_cells_keeps_their_texts_in_as_many_columns_as_there_may_be() -> None:
    narrow = "<tr><td>a</td><td>b</td></tr>" * 1_000
    wide = "".join(f"<td>c{number}</td>" for number in range(3_000))
    written = table_of(f"{narrow}<tr>{wide}</tr>{narrow}")
    assert len(written) < 2_000_000
    assert "c2999" in written
    assert written.splitlines()[1].count("---") == 200


def test_spans_that_add_up_fill_no_more_columns_than_there_may_be() -> None:
    row = "".join("<td colspan='150' rowspan='9'>x</td>" for _ in range(50))
    assert max(line.count("|") for line in table_of(f"<tr>{row}</tr><tr><td>y</td></tr>").splitlines()) <= 201


def test_the_head_of_a_page_is_not_the_table_that_it_stands_in() -> None:
    act = official_journal(article("1", text("Bees.")), head="")
    root = tree(f"<table><tr><td>{PAGE_HEAD}{act}</td></tr></table>")
    outer, inner = list(root.iter("table"))[:2]
    assert page_headers(root) == {inner}
    assert outer not in page_headers(root)


@pytest.mark.parametrize("paragraph", [text("Bees."), text(" ")])
def test_nested_tables_around_many_paragraphs_take_time_in_proportion_to_their_size(paragraph: str) -> None:
    paragraphs = paragraph * 20_000
    nested = "<table><tr><td>" * 200 + paragraphs + "</td></tr></table>" * 200
    # What else the machine does makes some of the tries longer.
    assert any(_seconds(nested) < 3 * _seconds(paragraphs) + 0.5 for _ in range(4))


def test_footnotes_of_the_same_number_are_told_apart_in_few_characters() -> None:
    notes = 4_000
    references = "".join(f'<a id="ntc{n}" href="#ntr{n}">1</a> ' for n in range(notes))
    printed = "".join(
        f'<p class="oj-note"><a id="ntr{n}" href="#ntc{n}">(1)</a> n{n}</p>' for n in range(notes)
    )
    act = parse(official_journal(article("1", text(references) + printed)))
    written = next(unit.markdown for unit in act.units if unit.id == "art_1")
    assert len(written) < 40 * notes
    assert "[^1′′]: n2\n\n[^1′3]: n3" in written


def _seconds(body: str) -> float:
    html = official_journal(article("1", body))
    start = time.thread_time()
    parse(html)
    return time.thread_time() - start
