"""The prices of a page are listed with what belongs to them, and only if they are prices."""

from datetime import date

import pytest

from app.features.facts.documents import FactsDocument
from app.features.facts.page_facts import page_facts
from app.features.facts.price_lists import PagePrices, page_prices
from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import NOW, card


def priced(content: str, title: str = "Hafen", language: str = "de") -> IndexedPage:
    return page("priced", language=language, title=title, content=f"# {title}\n\n{content}\n")


def listed(content: str, title: str = "Hafen", *, year: int = 2027) -> tuple[PagePrices, ...]:
    return page_prices(priced(content, title), date(year, 2, 14))


BERTHS = (
    "| Länge in m | Sommer | Winter |\n|---|---|---|\n| 5-8 | 200 € | 90 € |\n| über 8 | 300 € | 120 € |\n"
)


def test_prices_are_listed_with_their_heading_and_lead() -> None:
    content = f"## Liegeplätze\n\nDie Gebühr für eine Saison beträgt:\n\n{BERTHS}"
    [found] = FactsDocument.of(page_facts(priced(content), NOW.date())).to_json()["prices"]
    assert (found["headings"], found["name"]) == (["Liegeplätze"], "Länge in m")
    assert found["lead"] == "Die Gebühr für eine Saison beträgt:"


def test_a_label_that_is_only_a_number_has_the_head_of_its_column() -> None:
    [found] = listed(BERTHS, "Gebühren")
    assert [row.label for row in found.rows] == ["Länge in m 5-8", "Länge in m über 8"]
    assert not listed(BERTHS.replace("Länge in m", ""), "Gebühren")
    assert not listed("## Gebühren\n\n- 2025: 20 €\n- ab 2026: 30 €\n")
    assert listed("## Gebühren\n\n- 5 Meter: 20 €\n- ab 8 Meter: 30 €\n")


def test_a_card_shows_the_lead_or_caption_of_its_table() -> None:
    for lead in ("Für Gäste gelten folgende Preise:", "Preise für Gäste"):
        found = priced(
            f"## Preise\n\n{lead}\n\n| Boot | Preis |\n|---|---|\n| Kanu | 9 € |\n| Jolle | 20 € |\n"
        )
        assert card("Was kostet ein Kanu?", found)[2:] == [lead, "", "* Kanu: **9 €** [1]"]


def test_a_period_in_the_head_of_the_only_column_is_shown() -> None:
    found = priced("| Boot | Preis im Monat |\n|---|---|\n| Kanu | 9 € |\n| Jolle | 20 € |\n")
    assert card("Was kostet ein Kanu?", found)[-1] == "* Kanu – Preis im Monat: **9 €** [1]"


@pytest.mark.parametrize(
    ("heading", "lead", "rows"),
    [
        ("Kindergeld", "Es wird in dieser Höhe gezahlt:", "- erstes Kind: 250 €\n- zweites Kind: 250 €"),
        ("Steuer", "Der Grundfreibetrag beträgt:", "- Ledige: 9.000 €\n- Paare: 18.000 €"),
        ("Sozialgeld angepasst", "Jugendliche:", "- ab 14 Jahre: EUR 328,00\n- unter 5 Jahren: EUR 250,00"),
        (
            "Wahlhelfer",
            "",
            "| Aufgabe | Erfrischungsgeld |\n|---|---|\n| Beisitz | 45 € |\n| Leitung | 60 € |",
        ),
        ("Targets", "", "| Target | Result |\n|---|---|\n| Expenditure on tugs | £131 |"),
        ("Rates", "The threshold is:", "- singles: £9\n- couples: £18"),
        ("Übersicht", "", "| Bau | Kosten |\n|---|---|\n| Kai | 3 Mio. € |\n| Mole | 1 Million € |"),
    ],
)
def test_amounts_that_are_no_prices_are_not_listed(heading: str, lead: str, rows: str) -> None:
    assert not listed(f"## {heading}\n\n{lead}\n\n{rows}\n", "Gebühren")


def test_amounts_that_nothing_calls_prices_are_not_listed() -> None:
    rows = "- Januar: 200 €\n- Februar: 50 €\n"
    assert not listed(f"## Spendenstand\n\n{rows}")
    assert listed(f"## Standgebühr\n\n{rows}")


def test_a_fee_is_listed_although_a_benefit_is_named_nearby() -> None:
    rows = "| Erwachsene | 4 € |\n| mit Wohngeldbescheid | 2 € |\n| Kinder | 1 € |\n"
    assert listed(f"## Eintritt\n\n| Karte | Preis |\n|---|---|\n{rows}", "Zuschüsse")
    assert listed(f"## Fees and exemptions\n\n| Ticket |  |\n|---|---|\n{rows}")
    assert not listed(f"## Zuschuss zu den Kosten\n\n| Karte |  |\n|---|---|\n{rows}")


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Wie hoch war die Einkommensteuer für Ledige?", False),
        ("Wie hoch ist der Grundfreibetrag der Einkommensteuer für Ledige?", True),
    ],
)
def test_a_card_shows_such_an_amount_only_if_the_question_names_it(question: str, is_told: bool) -> None:
    rows = "| Grundfreibetrag | Betrag |\n|---|---|\n| Ledige | 9.000 € |\n| Paare | 18.000 € |\n"
    assert bool(card(question, priced(rows, "Einkommensteuer"))) == is_told


def test_a_card_shows_what_people_get_if_that_is_asked() -> None:
    rows = "| Aufgabe | Erfrischungsgeld |\n|---|---|\n| Beisitz | 45 € |\n| Schriftführung | 50 € |\n"
    assert card("Wie viel Geld bekommt man für die Schriftführung?", priced(rows))
    assert not card("Was kostet die Schriftführung?", priced(rows))


def test_rows_with_the_mark_of_a_note_are_not_listed() -> None:
    rows = "| Boot | Preis |\n|---|---|\n| Kanu | 9 € * |\n| Jolle | 20 € |\n\n* nur vormittags\n"
    [found] = listed(rows)
    assert [row.label for row in found.rows] == ["Jolle"]


@pytest.mark.parametrize("note", ["1 Boats over five metres pay £9 more.", "(1) plus tax", "1) plus tax"])
def test_a_note_at_the_head_of_a_column_makes_the_table_doubtful(note: str) -> None:
    head = "| Boat | Summer rate | Standard rate (1) |\n|---|---|---|\n"
    rows = f"{head}| Canoe | £9 | £5 |\n| Dinghy | £20 | £9 |\n"
    assert not listed(f"{rows}\n{note}\n")
    assert listed(f"{rows}\nBring a life jacket.\n")


def test_prices_of_another_time_are_not_listed() -> None:
    rows = "| Boot | Preis |\n|---|---|\n| Kanu | 9 € |\n| Jolle | 20 € |\n"
    content = f"## Preise bis 2026\n\n{rows}\n## Preise ab 2027\n\n{rows.replace('9', '8')}"
    assert [each.above for each in listed(content)] == [("Preise ab 2027",)]
    assert [each.above for each in listed(content, year=2026)] == [("Preise bis 2026",)]


@pytest.mark.parametrize(
    "rows",
    [
        "| Item | 2026 £000 | 2025 £000 |\n|---|---|---|\n| Cranes | 1,200 | 1,100 |\n| Tugs | 80 | 90 |\n",
        "|  | Note | Total |\n|---|---|---|\n|  | £000 | £000 |\n| Cranes | 12 | 11 |\n| Tugs | 80 | 90 |\n",
        "| Item | in 5 € |\n|---|---|\n| Cranes | 12 |\n| Tugs | 80 |\n",
    ],
)
def test_the_head_of_a_table_of_accounts_is_no_price(rows: str) -> None:
    assert not listed(rows, "Charges")
