"""Dates of a page's editing and of its files are no dates of events."""

import time

import pytest

from app.features.facts.date_lists import page_dates
from tests.app.chat.pages import page
from tests.app.features.facts.told import card


def days(content: str, title: str = "Hafen") -> list[str]:
    """The dates that a page with this content lists, without those of its unread lines."""
    return [
        each.first.isoformat()
        for found in page_dates(f"# {title}\n\n{content}", title)
        for each in found.dates
    ]


@pytest.mark.parametrize(
    "content",
    [
        "## Freigabevermerk\n\nMinisterium für Häfen. 31.07.2026",
        "## Freigabevermerk\n\n31.07.2026",
        "letzte Bearbeitung: 12.05.2026\n\nletzte Bearbeitung: 06.05.2026",
        "Zuletzt geändert am: 12.05.2026",
        "Stand: 12.05.2026",
        "Veröffentlicht: 3. März 2026",
        "Published: 3 March 2026",
        "Last reviewed on: 3 March 2026",
        "## Last updated\n\n- 3 March 2026\n- 4 April 2026",
        "## Pressemitteilungen\n\n03.02.2027: Neue Brücke eröffnet\n\n04.02.2027: Neuer Kran",
        "| Satzung | Stand |\n|---|---|\n| Hafen | 1.2.2026 |\n| Kai | 1.3.2026 |",
    ],
)
def test_a_date_on_which_the_page_was_edited_is_no_date(content: str) -> None:
    assert not days(content)


def test_a_date_that_ends_a_paragraph_belongs_to_nothing() -> None:
    assert not days("Der Kai ist gesperrt. 12.05.2027")
    assert days("Der Kai ist gesperrt.\n\n12.05.2027") == ["2027-05-12"]
    assert days("Nächste Regatta: 12.05.2027") == ["2027-05-12"]


def test_an_edited_page_still_has_its_dates() -> None:
    content = "# Hafenfest\n\nDas Hafenfest ist am 3. Mai 2027.\n\n## Freigabevermerk\n\nRat. 31.07.2026\n"
    found = page("fest", language="de", title="Hafenfest", content=content)
    assert "3. Mai 2027" in "".join(card("Wann ist das Hafenfest?", found))


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ("[Notice (PDF, 90KB)](https://port.example/n.pdf) (18.12.26)", []),
        ("[Notice](https://port.example/n.docx) (18.12.26)", []),
        ("[Notice](https://port.example/n) (18.12.26)", ["2026-12-18"]),
        ("[Permit of 3 January 2026 (PDF, 1MB)](https://port.example/p.pdf) (7.2.26)", ["2026-01-03"]),
        ("[21 September 2026](https://port.example/m.doc) (Word, 72KB)", ["2026-09-21"]),
    ],
)
def test_the_date_behind_a_link_to_a_file_is_that_of_the_file(item: str, told: list[str]) -> None:
    assert days(f"## Files\n\n- {item}\n") == told
    assert days(f"## Files\n\n{item}\n") == told


@pytest.mark.parametrize("mark", ["(*)", "*", "¹", "(1)", "†", "[2]"])
def test_a_date_with_the_mark_of_a_note_is_left_to_the_visitor(mark: str) -> None:
    table = f"| Day | Step |\n|---|---|\n| 7 May 2027 | Decision {mark} |\n| 9 June 2027 | Start |\n"
    note = f"\n{mark} This day may change.\n"
    assert days(table + note) == ["2027-06-09"]
    assert days(f"- 7 May 2027 – Decision {mark}\n- 9 June 2027 – Start\n{note}") == ["2027-06-09"]
    assert days(table.replace(f" {mark}", "")) == ["2027-05-07", "2027-06-09"]


def test_emphasis_and_room_numbers_are_no_marks() -> None:
    content = "- **7 May 2027** – *Decision*\n- 9 June 2027 – Start (hall, room 3)\n"
    assert days(content) == ["2027-05-07", "2027-06-09"]


@pytest.mark.parametrize(
    ("lead", "is_told"),
    [
        ("Voraussetzung ist, dass", False),
        ("Die Fahrt gilt als genehmigt, wenn eine der folgenden Bedingungen vorliegt:", False),
        ("You may apply if:", False),
        ("Conditions for this are:", False),
        ("Wenn Sie mitfahren möchten, kommen Sie an einem der Tage:", True),
        ("The ferry runs on:", True),
    ],
)
def test_dates_in_conditions_are_no_dates(lead: str, is_told: bool) -> None:
    assert bool(days(f"{lead}\n\n- ein Vertrag zum 01.01.2026 oder später\n- ein Visum\n")) == is_told


def test_many_links_are_looked_at_once() -> None:
    for text in ("[PDF " * 20_000, "[a](" + "b.pdf " * 16_000, "[a](b.pdf) (PDF " * 6_000, "wenn " * 19_000):
        started = time.process_time()
        days(f"- {text}\n- 3. Mai 2027\n")
        assert time.process_time() - started < 3
