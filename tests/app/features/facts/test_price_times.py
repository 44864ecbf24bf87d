"""Prices of another time than today's are not told."""

from datetime import datetime

import pytest

from tests.app.chat.pages import page
from tests.app.features.facts.told import card


def test_of_prices_of_two_times_those_of_today_are_told_or_of_the_year_that_is_named() -> None:
    content = """# Abfall

## Preise bis 31. Dezember 2026

- Sack: 4 €
- Sperrmüll: 10 €

## Preise ab 1. Januar 2027

- Sack: 4,50 €
- Sperrmüll: 12 €
"""
    waste = page("waste", language="de", title="Abfall", content=content)
    assert card("Was kostet ein Sack?", waste)[-1] == "* Sack: **4,50 €** [1]"
    assert card("Was kostet ein Sack?", waste, now=datetime(2026, 7, 1, 9))[-1] == "* Sack: **4 €** [1]"
    assert card("Was kostet ein Sack 2026?", waste)[-1] == "* Sack: **4 €** [1]"


@pytest.mark.parametrize(
    ("heading", "year", "is_told"),
    [
        ("Preise bis 2025", 2025, True),
        ("Preise bis 2025", 2026, False),
        ("Preise bis 31. Dezember 2026", 2026, True),
        ("Preise bis 31. Dezember 2026", 2027, False),
        ("Preise ab 1. Januar 2028", 2027, False),
        ("Preise ab 1. Januar 2028", 2028, True),
        ("Preise ab Januar 2028", 2027, False),
        ("Preise vom 1. Januar 2026 bis 31. März 2026", 2026, False),
        ("Preise 2025", 2026, False),
        ("Preise 2026", 2026, True),
        ("Preise der Saison 2024/25", 2026, False),
        ("Preise ab 1. Mai", 2026, False),
        ("Preise bis Herbst 2026", 2026, False),
        ("Preise Winter 2026/2027", 2026, False),
        ("Frühere Preise", 2026, False),
        ("Geplante Preise", 2026, False),
        ("Unsere Preise seit 2019", 2026, True),
    ],
)
def test_prices_of_another_time_are_not_told(heading: str, year: int, is_told: bool) -> None:
    content = f"# Sauna\n\n## {heading}\n\n- Tageskarte: 18 €\n- Abendkarte: 10 €\n"
    sauna = page("sauna", language="de", title="Sauna", content=content)
    told = card("Was kostet die Tageskarte?", sauna, now=datetime(year, 7, 1, 9))
    assert bool(told) == is_told


@pytest.mark.parametrize(
    ("other", "is_told"),
    [
        ("## Preise bis 2025", True),
        ("## Preise bis 2027", False),
        ("## Preise seit Mai 2026", False),
        ("## Ab 1. Juni 2026", False),
        ("## Preise ab 2028", True),
        ("## Öffnungszeiten ab Mai 2026", True),
        ("Seit 1. Mai 2026 kosten alle Karten zwei Euro mehr.", False),
        ("Die Preise gelten nicht mehr.", False),
        ("Die Preise steigen zum Jahreswechsel.", False),
        ("Ab Dezember wird es teurer.", False),
        ("Diese Preisliste ist überholt.", False),
        ("Alle Preise zuzüglich Getränke.", True),
        ("Diese Preise galten bis 31. März 2026.", False),
        ("Diese Preise gelten seit Mai 2026.", True),
        ("Wer die Karte bis 30. April kauft, spart zehn Prozent.", True),
        ("Ab 1. Mai kosten Karten 20 €.", False),
        ("Ab Mai gelten neue Preise.", False),
        ("Das Bad ist vom 1. bis 5. Mai 2026 geschlossen.", True),
    ],
)
def test_other_headings_and_sentences_say_which_prices_are_current(other: str, is_told: bool) -> None:
    content = (
        f"# Sauna\n\n## Preise\n\n- Tageskarte: 18 €\n- Abendkarte: 10 €\n\n{other}\n\nMehr dazu dort.\n"
    )
    sauna = page("sauna", language="de", title="Sauna", content=content)
    assert bool(card("Was kostet die Tageskarte?", sauna, now=datetime(2026, 7, 1, 9))) == is_told


def test_new_prices_are_told_where_the_others_are_over() -> None:
    content = (
        "# Sauna\n\n## Neue Preise\n\n- Tageskarte: 18 €\n- Abendkarte: 10 €\n\n## Preise bis 2026\n\nWeg\n"
    )
    sauna = page("sauna", language="de", title="Sauna", content=content)
    assert not card("Was kostet die Tageskarte?", sauna, now=datetime(2026, 7, 1, 9))
    assert card("Was kostet die Tageskarte?", sauna, now=datetime(2027, 7, 1, 9))


def test_a_sentence_that_tells_a_price_of_a_later_day_leaves_all_to_the_reader() -> None:
    content = "# Parking\n\n| Permit | Price |\n|---|---|\n| Car | €70 |\n| Van | €90 |\n"
    assert card("How much is a permit for a van?", page("parking", title="Parking", content=content))
    content += "\nFrom 1 January 2027 the permit for a van will cost €120.\n"
    assert not card("How much is a permit for a van?", page("parking", title="Parking", content=content))


@pytest.mark.parametrize(
    "question", ["Was kostete die Tageskarte früher?", "Was kostet die Tageskarte nächstes Jahr?"]
)
def test_a_question_for_another_time_gets_no_price(question: str) -> None:
    content = "# Sauna\n\n## Aktuelle Preise\n\n- Tageskarte: 18 €\n- Abendkarte: 10 €\n"
    assert not card(question, page("sauna", language="de", title="Sauna", content=content))
