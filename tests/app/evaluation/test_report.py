"""The report: one page that stands for itself."""

import re

import pytest
from bs4 import BeautifulSoup

from app.evaluation.answers import AnswerSource
from app.evaluation.comparison import compare
from app.evaluation.report.page import render
from app.evaluation.report.texts import FIGURES, LANGUAGES, TEXTS
from tests.app.evaluation.results import result, run

HOSTILE = "<script>alert(1)</script>"
FIRST = run(
    "default",
    *(result(name, "a", right=True, language="en") for name in "stuvwx"),
    result("lost", "ba", right=False, language="de", question=HOSTILE).model_copy(
        update={
            "shown": HOSTILE,
            "context": HOSTILE,
            "sources": (
                AnswerSource(page="b", title="Page b", href="https://town.example/b#x", cited=True),
                AnswerSource(page="c", title="Page c", href="javascript:alert(1)", cited=False),
            ),
        }
    ),
    result("nowhere", "b", ""),
    notes={"missing_gold": {"warning": "1 of 2 gold pages are not indexed"}},
    number=7,
)
SECOND = run("rtr", *(result(name, "ba", right=False, language="en") for name in "stuvwx"), FIRST.results[6])


def page(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def words(html: str) -> str:
    return " ".join(page(html).get_text(" ").split())


def test_the_verdict_says_what_was_found_shown_and_refused() -> None:
    said = words(render([FIRST], "en"))
    assert "Of 7 questions that the pages answer, the right page came first in 86% (95 % interval" in said
    assert "and was among the first ten in 100%." in said
    assert "The answer shown held all that was asked for in 86% of 7 cases" in said
    assert "Of 1 questions that no page answers, 0% were refused." in said
    assert "1 of 2 gold pages are not indexed" in said


def test_german_reports_write_numbers_as_germans_do() -> None:
    html = render([FIRST], "de")
    assert page(html).html["lang"] == "de"  # type: ignore[index]
    assert "an erster Stelle (95-%-Intervall" in words(html)
    assert "86\N{NO-BREAK SPACE}%" in html
    assert "0,929" in html
    assert "0.929" in render([FIRST], "en")


def test_nothing_is_asked_of_other_hosts_and_no_script_runs() -> None:
    html = render([FIRST], "en")
    found = page(html)
    assert HOSTILE not in html
    assert not found.find_all(["script", "img", "link", "iframe", "object"])
    assert not re.search(r"url\(|@import| on\w+=", html)
    assert "default-src 'none'" in str(found.find("meta", {"http-equiv": "Content-Security-Policy"}))
    assert [link["href"] for link in found.find_all("a")] == ["https://town.example/b#x"]


def test_the_worst_questions_come_first_with_answer_context_and_links() -> None:
    articles = page(render([FIRST], "en")).find_all("article")
    assert [article.find_all("h3")[0].get_text() for article in articles] == [HOSTILE, "nowhere?"]
    said = " ".join(articles[0].get_text(" ").split())
    assert f"Wanted a Rank 2 Answer {HOSTILE} (does not hold all that was asked for)" in said
    assert "Page b (cited)" in said
    assert "What a model would read" in said
    assert len(page(render([FIRST], "en", count=1)).find_all("article")) == 1


def test_figures_are_shown_by_group_and_drawn_from_0_to_1() -> None:
    found = page(render([FIRST], "en"))
    heads = [head.get_text() for head in found.find_all("h2")]
    assert "By language" in heads
    assert "By kind of question" not in heads
    [row] = [row for row in found.find_all("tr") if row.th and row.th.get_text() == "Right page first"]
    assert [each["cx"] for each in row.find_all("circle")] == ["84.29%"]
    assert row.find("line", class_="range")


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        (
            (FIRST, SECOND),
            "rtr is worse than default: Answer shown is complete \N{MINUS SIGN}85.7",
        ),
        ((SECOND, FIRST), "default is better than rtr: Answer shown is complete +85.7 percentage points"),
        ((FIRST, FIRST), "no difference was measured that may not be chance"),
    ],
)
def test_a_comparison_says_which_is_better_or_that_nobody_knows(
    runs: tuple[object, ...], sentence: str
) -> None:
    comparison = compare(runs)  # type: ignore[arg-type]
    said = words(render(comparison.runs, "en", comparison=comparison))
    assert sentence in said
    assert ("No question changed." in said) == (runs[0] is runs[1])


def test_a_pool_without_answerable_questions_makes_a_report() -> None:
    said = words(render([run("default", result("x", "", ""), result("y", "b", ""))], "en"))
    assert "Of 2 questions that no page answers, 50% were refused." in said


def test_both_languages_have_all_texts() -> None:
    german, english = (TEXTS[language] for language in LANGUAGES)
    assert german.keys() == english.keys()
    assert list(FIGURES["de"]) == list(FIGURES["en"])
    for name, text in english.items():
        if isinstance(text, str):
            assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", str(german[name]))), name
