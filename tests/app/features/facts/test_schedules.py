"""A question for when something happens again and again gets the cell or the sentence that says so."""

from typing import Final

import pytest

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
EVENTS: Final = page(
    "events",
    language="de",
    title="Bücherei",
    content="""# Bücherei

**Lesekreis**: immer am letzten Montag im Monat, 18 Uhr.

Der **Flohmarkt** ist jeden ersten Samstag im Monat. Im Januar entfällt er.

- Spielenachmittag für Kinder: mittwochs um 15 Uhr
- Spielenachmittag für Erwachsene: donnerstags um 15 Uhr
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
    ("question", "told"),
    [
        ("Wann trifft sich der Lesekreis?", ["* Lesekreis: immer am letzten Montag im Monat, 18 Uhr. [1]"]),
        (
            "Wann ist der nächste Flohmarkt?",
            ["* Der Flohmarkt ist jeden ersten Samstag im Monat.", "* Im Januar entfällt er. [1]"],
        ),
        ("Wann ist Spielenachmittag?", []),
    ],
)
def test_a_sentence_is_told_as_it_stands(question: str, told: list[str]) -> None:
    assert card(question, EVENTS)[2:] == told
