"""Prices that would need a note, a maximum, a count or another period to be right are left to the reader."""

import pytest

from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import card


def priced(lines: str, title: str = "Sauna", language: str = "de") -> IndexedPage:
    return page("priced", language=language, title=title, content=f"# {title}\n\n## Preise\n\n{lines}\n")


PARKING = "- erste Stunde: 1,50 €\n- zweite Stunde: 2,00 €\n- jede weitere Stunde: 2,50 €\n"


@pytest.mark.parametrize(
    "more",
    [
        "- Tageshöchstsatz: 10 €\n",
        "- höchstens 4 Stunden: 6 €\n",
        "- Tageskarte (24 Stunden): 10 €\n",
        "- Nachtpauschale: 3 €\n",
        "\nDer Höchstbetrag ist 10 €.\n",
        "\nMehr als 8 € am Tag zahlen Sie nie.\n",
        "\nAb der 5. Stunde ist Parken frei.\n",
        "\nSie zahlen maximal zehn Euro.\n",
        "\nAm Wochenende gilt eine Pauschale.\n",
    ],
)
def test_a_sum_is_not_told_where_there_is_a_maximum(more: str) -> None:
    question = "Was kosten 4 Stunden Parken?"
    assert "zusammen" in "".join(card(question, priced(PARKING, "Parken")))
    assert "zusammen" not in "".join(card(question, priced(PARKING + more, "Parken")))


def test_an_english_cap_leaves_the_sum_to_the_reader() -> None:
    table = "- First hour: £2\n- Second hour: £1\n- Each additional hour: £1\n"
    question = "How much are 4 hours of parking?"
    assert card(question, priced(table, "Parking", "en"))
    for more in ("- Daily maximum: £3\n", "\nCharges are capped at £3.\n"):
        assert not card(question, priced(table + more, "Parking", "en"))


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Was kosten zwei Ausweise?", False),
        ("Was kosten 2 Ausweise?", False),
        ("Was kostet ein Ausweis für zwei Jahre?", True),
        ("Was kostet ein Ausweis für drei Jahre?", False),
        ("Was kosten zwei Ausweise für zwei Jahre?", False),
    ],
)
def test_a_count_of_things_is_no_duration(question: str, is_told: bool) -> None:
    table = "- Ausweis für ein Jahr: 30,70 €\n- Ausweis für zwei Jahre: 60 €\n- Ersatzausweis: 10 €"
    assert bool(card(question, priced(table, "Anwohnerparken"))) == is_told


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Was kosten zwei Stunden Sauna?", True),
        ("Was kosten 2 Stunden Sauna?", True),
        ("Was kosten drei Stunden Sauna?", False),
        ("Was kosten zwölf Stunden Sauna?", False),
        ("Was kosten zwei Tageskarten Sauna?", False),
        ("Was kostet die Sauna für zwei Personen?", False),
    ],
)
def test_numbers_may_be_words(question: str, is_told: bool) -> None:
    assert bool(card(question, priced("- 2 Stunden: 12 €\n- Tageskarte: 18 €"))) == is_told


def test_who_asks_for_the_second_gets_no_sum() -> None:
    dogs = priced("- erster Hund: 72 €\n- zweiter Hund: 108 €\n- dritter Hund: 144 €", "Hundesteuer")
    assert "zusammen" not in "".join(card("Ich habe zwei Hunde, was kostet der zweite?", dogs))


@pytest.mark.parametrize(
    ("row", "more"),
    [
        ("18 €*", "* nur mit Bädercard, sonst 25 €"),
        ("18 € \\*", ""),
        ("**18 €***", ""),
        ("18 €¹", "¹ am Wochenende 20 €"),
        ("€ 18 ¹", ""),
        ("18 € 1)", "1) am Wochenende 20 €"),
        ("18 € (1)", ""),
        ("18 €†", ""),
        ("~~18 €~~ 20 €", ""),
        ("18 € [1]", ""),
        ("18 € [¹]", ""),
        ("18 €°", ""),
    ],
)
def test_a_price_with_the_mark_of_a_note_is_not_told_without_it(row: str, more: str) -> None:
    table = "| Karte | Preis |\n|---|---|\n| {} | {} |\n| Abendkarte | 10 € |"
    marked = " ".join(row.replace("18", "Tageskarte").replace("€", "").split())
    for label, price in (("Tageskarte", row), (marked, "18 €")):
        sauna = priced(f"{table.format(label, price)}\n\n{more}")
        assert not card("Was kostet die Tageskarte?", sauna)
        assert card("Was kostet die Abendkarte?", sauna)
    assert not card(
        "Was kostet die Tageskarte?", priced(f"- Tageskarte: {row}\n- Abendkarte: 10 €\n\n{more}")
    )


def test_a_mark_in_the_head_counts_where_its_note_stands() -> None:
    table = "| Karte | Preis ¹ |\n|---|---|\n| Tageskarte | 18 € |\n| Abendkarte | 10 € |\n"
    assert card("Was kostet die Tageskarte?", priced(table))
    assert not card("Was kostet die Tageskarte?", priced(f"{table}\n¹ zuzüglich Steuer"))


@pytest.mark.parametrize("price", ["**18 €**", "*18 €*", "18 € je m²", "__18 €__", "18 € (**Kinder** 9 €)"])
def test_emphasis_and_units_are_no_marks(price: str) -> None:
    table = f"| Karte | Preis |\n|---|---|\n| Tageskarte | {price} |\n| Abendkarte | 10 € |"
    assert card("Was kostet die Tageskarte?", priced(table))


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Was kosten zwei Hunde?", True),
        ("Was kosten zwei Hunde im Jahr?", True),
        ("Was kosten zwei Hunde im Monat?", False),
        ("Was kosten zwei Hunde pro Quartal?", False),
        ("Was kosten zwei Hunde in der Woche?", False),
        ("Was kosten zwei Hunde monatlich?", False),
        ("Was kosten zwei Hunde halbjährlich?", False),
        ("Was kostet der zweite Hund im Monat?", False),
        ("Was kostet der zweite Hund im Jahr?", True),
        ("What do two dogs cost per month?", False),
        ("What do two dogs cost a year?", True),
    ],
)
def test_a_period_that_is_named_must_be_that_of_the_table(question: str, is_told: bool) -> None:
    rows = "| erster Hund | 72 € |\n| zweiter Hund | 108 € |\n| dritter Hund | 144 € |\n"
    table = f"| Hund | Steuer im Jahr |\n|---|---|\n{rows}"
    assert bool(card(question, priced(table, "Hundesteuer"))) == is_told
