"""The skeleton of a page that visitors' questions lack."""

import re

import pytest

from app.console.texts import TEXTS
from app.features.explain.skeleton import SECTIONS, skeleton, subject, written

BERTHS = [
    "Was kostet ein Liegeplatz im Hafen?",
    "Wie teuer ist ein Liegeplatz?",
    "Darf ich im Hafen anlegen?",
    "Wo gibt es im Hafen Liegeplätze für kleine Boote?",
]


@pytest.mark.parametrize(
    ("questions", "language", "found"),
    [
        (BERTHS, "de", "Liegeplatz Hafen"),
        (["How much is a berth in the old harbour?", "Where are berths?"], "en", "Berth old harbour"),
        (["May I light a fire in the park?", "Fire?", "Is a fire allowed?"], "en", "Fire"),
        (["Wie teuer ist ein Liegeplatz?"], "de", "Liegeplatz"),
        (["Was kostet das?"], "de", "Was kostet das"),
        (["Где?"], "ru", "Где"),
    ],
)
def test_the_subject_is_what_most_questions_name(questions: list[str], language: str, found: str) -> None:
    assert subject(questions, language) == found


def headings(text: str) -> list[str]:
    return re.findall("^## (.+)$", text, re.MULTILINE)


def test_what_is_asked_most_stands_first_and_all_that_is_useful_follows() -> None:
    text = skeleton(BERTHS, TEXTS["de"], "")
    assert headings(text)[:2] == ["Was es kostet", "Wer darf und was gilt"]
    assert len(headings(text)) == len(SECTIONS)
    assert text.count("[bitte ergänzen]") == len(SECTIONS) + 1


def test_the_contact_of_the_site_stands_below_its_heading() -> None:
    text = skeleton(["Where?"], TEXTS["en"], "hall@town.example")
    assert "## Whom to contact\n\nhall@town.example\n" in text
    assert headings(text)[0] == "Where and when"


def test_blank_paragraphs_and_headings_with_nothing_below_are_not_written_yet() -> None:
    text = "# Berths\n\n## Price\n\n[x]\n\n## Where\n\nIn the harbour.\n\n## Who\n\n[x]\n"
    assert written(text, {"[x]"}) == "# Berths\n\n## Where\n\nIn the harbour."
    assert written("Pay [x] euros.\n\n## Where\n\nHere.", {"[x]"}) == "Pay [x] euros.\n\n## Where\n\nHere."
    assert written("[x]\n\n## Who\n\n[x]", {"[x]"}) == ""
