"""A question for a price gets the row of the table that it names, above the passages."""

from typing import Final

import pytest

from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import card

FEES: Final = page(
    "office",
    language="de",
    title="Bürgeramt",
    content="""# Bürgeramt

## Alle Gebühren

| Leistung | Gebühr |
|---|---|
| Personalausweis ab 24 Jahren | 37,00 € |
| Personalausweis unter 24 Jahren | 22,80 € |
| Reisepass ab 24 Jahren | 70,00 € |
| Reisepass unter 24 Jahren | 37,50 € |
| Zuschlag Expresspass | 32,00 € |
| Meldebescheinigung | 8,00 € |
| Umzug melden | kostenlos |
| Beratung | nach Aufwand |
""",
)
DOGS: Final = page(
    "dogs",
    language="de",
    title="Hundesteuer",
    content="""# Hundesteuer

## So viel kostet es

| Hund | Steuer im Jahr |
|---|---|
| erster Hund | 72 € |
| zweiter Hund | 108 € |
| jeder weitere Hund | 144 € |
| gefährlicher Hund | 480 € |
""",
)
POOL: Final = page(
    "pool",
    title="Lido",
    content="""# Lido

## Tickets

| Ticket | Adults | Reduced |
|---|---|---|
| Day ticket | €4.50 | €2.50 |
| Evening ticket from 6 pm | €2.50 | €1.50 |
| Season ticket | €85.00 | €45.00 |
""",
)


ENTRY: Final = page(
    "entry",
    language="de",
    title="Freibad",
    content="""# Freibad

| Eintritt | Preis |
|---|---|
| Kinder bis 5 Jahre | frei |
| Kinder ab 6 Jahren | 3 € |
| Erwachsene | 5 € |
| Gruppen ab 10 Personen | 40 € |
""",
)
GROUPED: Final = page(
    "grouped",
    language="de",
    title="Freibad",
    content="""# Freibad

| Karte | Preis |
|---|---|
| Kinder | |
| Einzelkarte | 2 € |
| Zehnerkarte | 18 € |
| Erwachsene | |
| Tageskarte | 4 € |
""",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Was kostet eine Meldebescheinigung?", ["* Meldebescheinigung: **8,00 €** [1]"]),
        (
            "Was kostet ein Reisepass für meine 19-jährige Tochter?",
            ["* Reisepass unter 24 Jahren: **37,50 €** [1]"],
        ),
        (
            "Wie teuer ist ein Personalausweis?",
            [
                "* Personalausweis ab 24 Jahren: **37,00 €**",
                "* Personalausweis unter 24 Jahren: **22,80 €** [1]",
            ],
        ),
    ],
)
def test_the_rows_that_are_named_stand_above_the_passages(question: str, rows: list[str]) -> None:
    assert card(question, FEES) == ["**Bürgeramt – Alle Gebühren**", "", *rows]


def test_all_prices_of_a_row_are_told_with_their_columns() -> None:
    told = card("How much is a day ticket for the lido?", POOL)
    assert told[2:] == ["* Day ticket – Adults: **€4.50**, Reduced: **€2.50** [1]"]


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet ein Express-Reisepass?",
        "Was kostet ein vorläufiger Reisepass?",
        "Was kostet eine erweiterte Meldebescheinigung?",
        "Was kostet ein Personalausweis ab 60?",
        "was kostet ein reisepass online",
        "Was kostet ein Reisepass nach Brasilien?",
        "Was kostet der Personalausweis im Jahr 2031?",
        "Was kostet die Beratung?",
        "Was kostet das?",
        "Was kostet eine Geburtsurkunde?",
        "Wann ist die Meldebescheinigung fertig?",
    ],
)
def test_a_question_that_names_something_else_gets_no_card(question: str) -> None:
    assert not card(question, FEES)


def test_a_row_for_others_is_not_told_to_children() -> None:
    assert not card("How much is a day ticket for children?", POOL)


@pytest.mark.parametrize(
    "question", ["Was kostet der Eintritt für Kinder unter 6 Jahren?", "Was kosten Gruppen bis 10 Personen?"]
)
def test_a_row_for_the_other_side_of_a_limit_is_not_told(question: str) -> None:
    assert not card(question, ENTRY)


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet ein Reisepass für unter 24-Jährige?",
        "Was kostet ein Reisepass für über 24-Jährige?",
        "Ich bin noch keine 24 Jahre alt. Was kostet ein Reisepass?",
        "Was kostet ein Reisepass, wenn man jünger als 24 Jahre alt ist?",
        "Was kostet ein Reisepass mit weniger als 24 Jahren?",
    ],
)
def test_those_below_a_limit_of_age_are_not_told_the_row_from_it_up(question: str) -> None:
    assert "ab 24" not in "".join(card(question, FEES))


def test_a_table_with_rows_that_stand_above_others_is_not_told() -> None:
    assert not card("Was kostet eine Zehnerkarte?", GROUPED)
    twice = GROUPED.fields["content"].replace("Tageskarte", "Einzelkarte").replace("| Erwachsene | |\n", "")
    assert not card("Was kostet die Zehnerkarte?", page("twice", language="de", title="Bad", content=twice))


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("Wir haben zwei Hunde, was kostet das?", "* zusammen: **180 €** [1]"),
        ("Wie viel Steuer kosten 4 Hunde?", "* zusammen: **468 €** [1]"),
        ("How much tax do we pay for three dogs?", "* together: **324 €** [1]"),
    ],
)
def test_several_of_a_thing_with_prices_of_their_own_are_summed(question: str, total: str) -> None:
    told = card(question, DOGS)
    assert told[2] == "* erster Hund – Steuer im Jahr: **72 €**"
    assert told[-1] == total


@pytest.mark.parametrize(
    "question", ["Was kosten zwei Katzen?", "Was kosten zwei Hunde und drei Katzen?", "Was kostet ein Hund?"]
)
def test_what_is_not_sure_is_not_summed(question: str) -> None:
    assert "zusammen" not in "".join(card(question, DOGS))


def fees(content: str, title: str = "Bad") -> IndexedPage:
    """A German page of prices."""
    return page("fees", language="de", title=title, content=f"# {title}\n\n## Preise\n\n{content}\n")


@pytest.mark.parametrize(
    "content",
    [
        "- Erwachsene: 18 Euro\n- Studierende: 9 Euro\n- Kinder: kostenlos",
        "**Gebühren:**\nErwachsene 18 Euro\nStudierende – 9 Euro\nKinder frei",
        "Erwachsene\n:   18 Euro\n\nStudierende\n:   9 Euro",
        "| Erwachsene | 18 Euro |\n| --- | --- |\n| Studierende | 9 Euro |\n| Kinder | frei |",
    ],
)
def test_lines_of_a_name_and_a_price_are_a_table(content: str) -> None:
    assert card("Was kostet das Bad für Studierende?", fees(content))[-1] == "* Studierende: **9 Euro** [1]"


@pytest.mark.parametrize(
    "content",
    [
        "- Erwachsene: 18 Euro\n- Studierende: 9 Euro\n- Sonntags zahlen alle 3 Euro mehr.",
        "Sommer:\nErwachsene: 18 Euro\nWinter:\nStudierende: 9 Euro",
        "- Studierende: 9 Euro",
    ],
)
def test_lines_that_need_the_others_around_them_are_left_to_the_reader(content: str) -> None:
    assert not card("Was kostet das Bad für Studierende?", fees(content))


def test_cells_without_a_price_are_left_out_and_other_columns_name_the_row() -> None:
    table = (
        "| Karte | Dauer | Einzeln | Zehn |\n| --- | --- | --- | --- |\n| Kinder | Tag | 2 € | 18 € |"
        "\n| Familien | Tag | 9 € | – |\n| Gruppen | 10 | 30 € | – |\n| Gruppen | 20 | 50 € | – |"
    )
    assert (
        card("Was kostet das Bad für Familien?", fees(table))[-1] == "* Familien, Tag – Einzeln: **9 €** [1]"
    )
    assert card("Was kosten Gruppen im Bad?", fees(table))[2:] == [
        "* Gruppen, Dauer 10 – Einzeln: **30 €**",
        "* Gruppen, Dauer 20 – Einzeln: **50 €** [1]",
    ]


@pytest.mark.parametrize("price", ["6,- €", "6,– €", "6,-- Euro", "EUR 6,00"])
def test_amounts_of_whole_euros_are_prices(price: str) -> None:
    listed = f"* Altstadt: {price}\n* Gruppen: 80 €\n"
    table = f"| Führung | Preis |\n|---|---|\n| Altstadt | {price} |\n| Gruppen | 80 € |\n"
    for content in (listed, table):
        tours = page("tours", language="de", title="Führungen", content=f"# Führungen\n\n{content}")
        assert card("Was kostet die Führung Altstadt?", tours)[2:] == [f"* Altstadt: **{price}** [1]"]


def test_a_row_without_a_price_in_the_column_that_is_named_is_not_told() -> None:
    table = "| Ticket | Adults | Children |\n|---|---|---|\n| Day ticket | £4 | £2 |\n| Pass | £40 | – |\n"
    pool = page("pool", title="Pool", content=f"# Pool\n\n{table}")
    assert card("How much is a pass for adults?", pool)[2:] == ["* Pass – Adults: **£40** [1]"]
    assert not card("How much is a pass for children?", pool)


def test_of_several_tables_the_heading_of_the_one_that_is_told_stands_above_it() -> None:
    tables = "\n".join(
        f"## Admission {name}\n\n| Ticket | Price |\n|---|---|\n| Adults | £{price} |\n| Children | £1 |\n"
        for name, price in (("pool", 6), ("sauna", 16))
    )
    baths = page("baths", title="Baths", content=f"# Baths\n\n{tables}")
    for thing, price in (("pool", 6), ("sauna", 16)):
        told = card(f"How much is the {thing} for adults?", baths)
        assert told == [f"**Baths – Admission {thing}**", "", f"* Adults: **£{price}** [1]"]


def test_a_row_is_not_told_for_a_word_that_stands_above_all() -> None:
    table = (
        "| ab 24 Jahren | 46 € |\n| --- | --- |\n| unter 24 Jahren | 27 € |\n| vorläufiger Ausweis | 10 € |"
    )
    card_page = fees(table + "\n| Foto | 6 € |", title="Ausweis")
    assert not card("Was kostet ein Ausweis?", card_page)
    told = card("Was kostet ein Ausweis für meinen 16-jährigen Sohn?", card_page)
    assert told[-1] == "* unter 24 Jahren: **27 €** [1]"


def test_a_compound_names_something_more_special() -> None:
    lines = "- Gewerbeanmeldung: 45 €\n- Gewerbeummeldung: 35 €\n- Gewerbeabmeldung: 25 €"
    assert not card("Was kostet die Ummeldung?", fees(lines, title="Gewerbe"))
    assert card("Was kostet die Gewerbeummeldung?", fees(lines, title="Gewerbe"))[-1].endswith("**35 €** [1]")


TRADE: Final = page(
    "trade",
    language="de",
    title="Gewerbe",
    content="""# Gewerbe

## Kosten

- Anmeldung: 26 Euro (online 20 Euro)
- Anmeldung juristischer Personen: 33 Euro zuzüglich 13 Euro je Geschäftsführer
- Abmeldung: gebührenfrei
- Reisegewerbekarte: 50 bis 1.500 Euro je nach Aufwand
""",
)


def test_what_stands_behind_the_price_of_a_line_is_told_with_it() -> None:
    told = card("Was kostet die Reisegewerbekarte?", TRADE)
    assert told[-1] == "* Reisegewerbekarte: **50 bis 1.500 Euro je nach Aufwand** [1]"
    assert card("Was kostet die Abmeldung?", TRADE)[-1] == "* Abmeldung: **gebührenfrei** [1]"


def test_a_row_may_say_why_a_column_has_no_price() -> None:
    content = "# Mine\n\n| | Museum | Mine |\n|---|---|---|\n" + "\n".join(
        ("| Adults | €7 | €9 |", "| Children | free | not admitted |")
    )
    told = card("What does it cost for children?", page("mine", title="Mine", content=content))
    assert told[-1] == "* Children – Museum: **free**, Mine: **not admitted** [1]"


def test_of_two_rows_of_heads_the_second_is_told() -> None:
    content = (
        "# Permits\n\n| Permit | Fee | Fee |\n|---|---|---|\n| Permit | Adults | Minors |\n"
        + "\n".join(("| Residence | €100 | €50 |", "| Settlement | €113 | €55 |"))
    )
    told = card("What does a settlement permit cost?", page("permits", title="Permits", content=content))
    assert told[-1] == "* Settlement – Adults: **€113**, Minors: **€55** [1]"


def test_marks_of_notes_and_compounds_of_prices_hide_no_word() -> None:
    content = """# Bad

## Eintrittspreise

| | Erwachsene | ermäßigt¹ |
|---|---|---|
| Kurztarif (90 Minuten) | 4,00 € | 2,50 € |
| Tageskarte | 6,50 € | 4,00 € |
"""
    bad = page("bad", language="de", title="Bad", content=content)
    told = card("Was kostet der Eintritt für 90 Minuten ermäßigt?", bad)
    assert told[-1] == "* Kurztarif (90 Minuten) – Erwachsene: **4,00 €**, ermäßigt: **2,50 €** [1]"
