"""A question for when something happens again and again gets the cell that says so."""

from typing import Final

import pytest

from app.features.facts.schedules import page_schedules
from tests.app.chat.pages import page
from tests.app.features.facts.told import card

WASTE: Final = page(
    "waste",
    language="de",
    title="Abfall",
    content="""# Abfall

## Abfuhrtage 2027

| Stadtteil | Restmüll | Biotonne | Gelber Sack |
|---|---|---|---|
| Altstadt | Montag, gerade Wochen | Dienstag | Freitag, gerade Wochen |
| Oberdorf | Dienstag, ungerade Wochen | Mittwoch | Donnerstag, ungerade Wochen |

Die Biotonne wird im Winter alle zwei Wochen geleert. An Feiertagen verschieben sich die Abfuhren.
""",
)


def test_the_cell_is_told_with_row_head_and_what_may_change_it() -> None:
    assert card("Wann wird die Biotonne in der Altstadt geleert?", WASTE) == [
        "**Abfall – Abfuhrtage 2027**",
        "",
        "* Altstadt – Biotonne: **Dienstag**",
        "* Die Biotonne wird im Winter alle zwei Wochen geleert.",
        "* An Feiertagen verschieben sich die Abfuhren. [1]",
    ]


def test_words_in_other_forms_name_row_and_head() -> None:
    told = card("Wann werden die gelben Säcke im Oberdorf abgeholt?", WASTE)
    assert told[2] == "* Oberdorf – Gelber Sack: **Donnerstag, ungerade Wochen**"


@pytest.mark.parametrize(
    "question",
    [
        "Wann wird die Biotonne geleert?",
        "Wann ist in der Altstadt Abfuhr?",
        "Wann wird die Biotonne in der Nordstadt geleert?",
        "Wann wird das Altpapier in der Altstadt abgeholt?",
        "Wann wird die Biotonne in der Altstadt an Feiertagen geleert?",
    ],
)
def test_without_row_and_column_there_is_no_card(question: str) -> None:
    assert not card(question, WASTE)


@pytest.mark.parametrize(
    ("cell", "is_told"),
    [
        ("Year 2", False),
        ("83 € im Jahr", False),
        ("30 Jahre", False),
        ("two months", False),
        ("€5 per month", False),
        ("every two months", True),
        ("jede Woche", True),
        ("dreimal in der Woche", True),
        ("ungerade Wochen", True),
        ("vierteljährlich", True),
        ("last week of the month", True),
        ("Mondays", True),
    ],
)
def test_only_what_takes_place_again_and_again_is_a_schedule(cell: str, is_told: bool) -> None:
    table = f"# Stages\n\n| Stage | When |\n|---|---|\n| First | {cell} |\n| Second | {cell} |\n"
    assert bool(page_schedules(table, "Stages")) == is_told
