"""The report of an evaluation: no barriers, whole on small windows, and nothing asked of anybody."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from app.features.evaluation.calibration import distributions, propose
from app.features.evaluation.comparison import compare
from app.features.evaluation.report import calibration, grades
from app.features.evaluation.report.page import render
from tests.app.features.evaluation.results import result, run
from tests.app.features.evaluation.test_calibration_report import OBSERVED
from tests.app.features.evaluation.test_grades_report import SHEETS, WEIGHTS
from tests.browser.barriers import barriers_in_every_look

LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle"
FIRST = run(
    "default",
    *(result(name, "a", right=True, language="en") for name in "stuvwx"),
    result("lost", "ba", right=False, language="de", kind="yes-no", question=f"Wo ist die {LONG}?"),
    result("nowhere", "b", ""),
    notes={"missing_gold": {"warning": "1 of 2 gold pages are not indexed"}},
)
THIRD = run("other.toml", *(each.model_copy(update={"rank": 3}) for each in FIRST.results))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A report about one run, one about three, one about a calibration and one about graded answers."""
    folder = tmp_path_factory.mktemp("reports")
    comparison = compare([FIRST, THIRD, FIRST])
    proposed = propose(OBSERVED)
    pages = [
        render([FIRST], "de"),
        render(comparison.runs, "en", comparison=comparison),
        calibration.render("e5", "p.jsonl", proposed, distributions(OBSERVED, proposed.thresholds), "de"),
        grades.render(SHEETS, judge="strong", sheets="sheets.jsonl", weights=WEIGHTS, language="en", count=3),
    ]
    for number, html in enumerate(pages):
        (folder / f"{number}.html").write_text(html, "utf-8")
    return sorted(folder.iterdir())


def test_axe_finds_no_barrier_in_a_report(browser: Browser, axe: str, reports: list[Path]) -> None:
    context = browser.new_context(bypass_csp=True)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    for report in reports:
        page.goto(report.as_uri())
        for summary in page.locator("summary").all():
            summary.click()
        assert barriers_in_every_look(page, axe) == []
    assert asked == [report.as_uri() for report in reports]
    context.close()


def test_a_printed_report_has_the_contexts_that_are_folded(browser: Browser, reports: list[Path]) -> None:
    page = browser.new_page()
    page.goto(reports[0].as_uri())
    folded = page.locator(".context").first
    assert not folded.is_visible()
    page.emulate_media(media="print")
    assert folded.bounding_box() is not None
    page.close()
