"""The report: one page that stands for itself."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from bs4 import BeautifulSoup

from app.features.evaluation.answers import AnswerSource
from app.features.evaluation.comparison import compare
from app.features.evaluation.metrics import ENERGY, Score
from app.features.evaluation.report.page import probability, render
from app.features.evaluation.report.texts import LANGUAGES, Group, page_texts
from tests.app.features.evaluation.results import result, run

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
        ((FIRST, FIRST), "may be chance"),
    ],
)
def test_a_comparison_says_which_is_better_or_that_nobody_knows(
    runs: tuple[object, ...], sentence: str
) -> None:
    comparison = compare(runs)  # type: ignore[arg-type]
    said = words(render(comparison.runs, "en", comparison=comparison))
    assert sentence in said
    assert ("No question changed." in said) == (runs[0] is runs[1])


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [(0.0004, "en", "< 0.001"), (0.0004, "de", "< 0,001"), (0.04, "en", "= 0.040")],
)
def test_a_probability_that_three_decimals_do_not_show_is_never_zero(
    value: float, language: str, text: str
) -> None:
    assert probability(value, language, equals="= ") == text


def test_a_comparison_tells_both_values_and_what_changed_in_words() -> None:
    refused = FIRST.results[0].model_copy(update={"status": "no_answer", "rank": 3})
    other = run("rtr", refused, *FIRST.results[1:])
    comparison = compare([FIRST, other])
    html = render(comparison.runs, "en", comparison=comparison)
    said = words(html)
    assert "0.0 percentage points, from 86% to 86% (95 % interval 0.0 to 0.0, p = 1.000)." in said
    assert "Of 8 questions 0 are answered better with rtr, 1 worse, and 0 better in part" in said
    assert "(rank 1 → 3; answered → refused)" in said.replace("Rank", "rank")


def test_what_is_clear_is_said_and_marked_and_numbers_are_no_points() -> None:
    comparison = compare([FIRST, SECOND])
    rows = page(render(comparison.runs, "en", comparison=comparison)).find_all("tr", class_="clear")
    found = {
        row.find_all("th")[0].get_text(): [cell.get_text() for cell in row.find_all("td")] for row in rows
    }
    assert found["Answer shown is complete"][-1] == "worse"
    assert found["Reciprocal rank (MRR@10)"][0].startswith("\N{MINUS SIGN}0.")


def test_notes_are_told_in_the_language_of_the_page() -> None:
    note = {"pages": 1, "of": 2, "questions": 0, "first": ["a", "b"], "warning": "1 of 2 gold pages ..."}
    noted = FIRST.model_copy(update={"notes": {"missing_gold": note}})
    assert "1 von 2 richtigen Seiten sind nicht im Index (a, b)." in words(render([noted], "de"))
    assert "1 of 2 gold pages are not indexed (a, b)." in words(render([noted], "en"))


def test_the_expected_answer_stands_beside_the_given_one() -> None:
    asked = FIRST.model_copy(
        update={"results": tuple(each.model_copy(update={"reference": "At nine."}) for each in FIRST.results)}
    )
    assert "Expected answer At nine." in words(render([asked], "en"))
    assert "Expected answer" not in words(render([FIRST], "en"))


def test_a_pool_without_answerable_questions_makes_a_report() -> None:
    said = words(render([run("default", result("x", "", ""), result("y", "b", ""))], "en"))
    assert "Of 2 questions that no page answers, 50% were refused." in said


def test_energy_is_told_where_it_is_known_with_hair_dryer_and_phone() -> None:
    known = FIRST.model_copy(
        update={
            "configuration": {"energy": "estimated"},
            "results": tuple(
                each.model_copy(update={"scores": {**each.scores, ENERGY: Score(420.0)}})
                for each in FIRST.results
            ),
        }
    )
    said = words(render([known], "en"))
    assert (
        "default: 0.42 Wh for each answer, like 0.69 s of a hair dryer or 1.3 % of a phone charge, estimated."
        in said
    )
    assert "0,42 Wh je Antwort, so viel wie 0,69 s Föhn" in words(render([known], "de"))
    assert "hair dryer" not in words(render([FIRST], "en"))


@pytest.mark.parametrize("group", get_args(Group))
def test_no_text_has_a_name_that_templates_take_for_a_method(group: Group) -> None:
    assert not page_texts(group, "en").keys() & {*dir(dict)}


@pytest.mark.parametrize("group", get_args(Group))
def test_both_languages_have_all_texts_with_the_same_places(group: Group) -> None:
    german, english = (dict(_flat(page_texts(group, language))) for language in LANGUAGES)
    assert list(german) == list(english)
    for name, text in english.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", german[name])), name


def _flat(texts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, text in texts.items():
        if isinstance(text, str):
            yield name, text
        else:
            yield from ((f"{name}.{inner}", each) for inner, each in _flat(text))
