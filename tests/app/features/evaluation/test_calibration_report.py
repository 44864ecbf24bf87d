"""The page about a calibration: what is drawn, told and escaped."""

import numpy as np
import pytest
from bs4 import BeautifulSoup

from app.features.evaluation.calibration import Distribution, FoundPage, Observation, distributions, propose
from app.features.evaluation.report.calibration import plot, render
from app.features.evaluation.report.texts import LANGUAGES, page_texts


def page(is_gold: bool, cosine: float) -> FoundPage:
    return FoundPage(is_gold=is_gold, similarity={"content": cosine}, added={}, coverage=1.0)


OBSERVED = [
    *(
        Observation(is_answerable=True, pages=(page(True, 0.8 + n / 200), page(False, 0.5)), off_topic=0.0)
        for n in range(20)
    ),
    Observation(is_answerable=False, pages=(page(False, 0.6),), off_topic=0.0),
]


def found(right: list[float], wrong: list[float], threshold: float) -> Distribution:
    return Distribution(name="content", threshold=threshold, right=np.array(right), wrong=np.array(wrong))


def test_what_a_threshold_costs_and_gains_is_counted() -> None:
    one = found([0.9, 0.8, 0.7, 0.6], [0.65, 0.5, 0.4], 0.65)
    assert one.lost == 0.25
    assert one.kept == pytest.approx(1 / 3)
    bare = found([], [], 0.5)
    assert (bare.lost, bare.kept) == (None, None)


def test_bars_stand_where_the_values_are_and_the_line_where_the_threshold_is() -> None:
    drawn = plot(found([0.9, 0.9], [0.5, 0.7], 0.8))
    assert (drawn.low, drawn.high) == (0.5, 0.9)
    assert drawn.mark == pytest.approx(75)
    assert [(round(bar.left), bar.right, bar.wrong) for bar in drawn.bars] == [
        (0, 0, 50),
        (50, 0, 50),
        (98, 100, 0),
    ]
    assert plot(found([0.5], [], 0.5)).mark == 0, "one value alone is drawn, too"


def test_only_fields_that_were_found_are_shown_and_questions_by_their_score() -> None:
    thresholds = propose(OBSERVED).thresholds
    assert [each.name for each in distributions(OBSERVED, thresholds)] == ["content", "answer"]
    content, answer = distributions(OBSERVED, thresholds)
    assert (content.right.size, content.wrong.size) == (20, 21)
    assert (answer.right.size, answer.wrong.size) == (20, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_tells_it_in_words_and_numbers_in_both_languages(language: str) -> None:
    proposed = propose(OBSERVED)
    html = render("<e5>", "pool.jsonl", proposed, distributions(OBSERVED, proposed.thresholds), language)
    shown = BeautifulSoup(html, "lxml")
    assert not shown.find_all(["script", "img", "link", "e5"])
    assert shown.html["lang"] == language  # type: ignore[index]
    text = " ".join(shown.get_text(" ").split())
    assert page_texts("calibration", language)["fields"]["content"] in text
    assert page_texts("calibration", language)["advice"] in text
    assert f"content = {proposed.thresholds.content:.2f}" in text
    assert all(drawing["aria-hidden"] == "true" for drawing in shown.find_all("svg"))
