"""The figures of a sentence, and whether a source has them, however either writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.figure_evidence import Evidence
from app.chat.text.figures import figures_of

FEE = "Die Gebühr beträgt 1.234,50 €."
BEGIN = "Die Satzung gilt ab dem 1. Mai 2025."
SEASON = "Saison 2025: 1. Mai bis 15. September."
HOURS = "Mo 8-12, 14 bis 18 Uhr"
PHONE = "Tel. 030 / 1234-567, info@town.example, https://www.town.example/a"
LAW = "AI Act, Article 6\n1. A system in Annex III, points 1 to 4, and recitals (5) and § 7a."

SAME = [
    (FEE, "It costs EUR 1,234.50."),
    (FEE, "Sie kostet 1234,5 Euro [1]."),
    ("37,00 € je Hund", "37 Euro"),
    ("37,00 € je Hund", "€37"),
    ("37,- Euro", "**37 €**"),
    ("0,50 Euro", "50 Cent"),
    ("12,50 €", "12 Euro 50"),
    ("12,50 €", "12 Euro 50 Cent"),
    ("12 Euro, 50 Tage", "12 Euro 50 Tage"),
    ("20 cents", "€0.20"),
    ("a copy is 40p", "£0.40"),
    ("jeden ersten Donnerstag", "am 1. Donnerstag"),
    ("on the third Monday", "every 3rd Monday"),
    ("von April bis September: 7-21 Uhr", "April bis September 7 bis 21 Uhr"),
    ("12 300 Einwohner", "12.300 Einwohner"),
    ("1.234 Einwohner", "1,234 inhabitants"),
    ("Zimmer 12, 300 Euro", "Zimmer 12 300 Euro"),
    ("a rate of 5 %", "ein Satz von 5 Prozent"),
    ("1 Million", "1.000.000 Euro"),
    ("eine Million", "1,000,000"),
    ("two million", "2 Mio."),
    ("1.5 million euros", "1,5 Millionen Euro"),
    ("1.500.000 €", "1,5 Mio. €"),
    ("zwölf Monate", "12 months"),
    ("dreißig Tage", "DREISSIG Tage"),
    ("30 Tage", "dreissig Tage"),
    ("12 Monate", "zwölf Monate"),
    ("within fourteen days", "14 Tage"),
    ("eine Woche", "1 Woche"),
    ("zweimal im Jahr", "2 times a year"),
    ("| in Mio. € | 1,5 |", "1,5 Millionen Euro"),
    ("a rate of 3.5 per cent", "The rate is 3.5."),
    ("dreijährige Kinder", "Kinder von 3 Jahren"),
    (BEGIN, "It applies from 2025-05-01."),
    (BEGIN, "It applies from May 1, 2025."),
    (BEGIN, "It applies from the 1st of May 2025"),
    (BEGIN, "ab 01.05.2025"),
    (BEGIN, "ab 1.5."),
    (BEGIN, "seit Mai 2025"),
    (BEGIN, "seit 2025"),
    ("on 2 August 2026", "Sie gilt ab dem 2.8.2026."),
    ("1. bis 15. Mai 2025", "vom 1. Mai bis zum 15. Mai 2025"),
    (SEASON, "vom 01.05. bis 15.09.2025"),
    ("geöffnet ab 8 Uhr", "opens at 8 am"),
    ("geöffnet ab 8 Uhr", "opens at 8:00"),
    ("8.30 - 12.00", "8:30 bis 12 Uhr"),
    ("8:30 bis 12 Uhr", "ab halb neun"),
    (HOURS, "from 2 p.m. to 6 p.m."),
    (HOURS, "Montag 8 bis 12 Uhr und 14 bis 18 Uhr"),
    ("from 2 to 6 pm", "14 bis 18 Uhr"),
    (PHONE, "+49 30 1234567"),
    (PHONE, "(030) 1234 567"),
    (PHONE, "Schreiben Sie an Info@town.example."),
    (PHONE, "Siehe town.example/b."),
    ("DE12 3456 7890 1234 5678 90", "DE12345678901234567890"),
    (LAW, "Nach Artikel 6 Absatz 1 und Anhang III"),
    (LAW, "§ 7a, Erwägungsgrund 5"),
    ("Articles 6 to 9", "Artikel 8"),
    ("Hauptstraße 12 a", "Hauptstraße 12a"),
    ("Buslinie B 12", "Linie B12"),
    ("nothing", "1. Go there.\n2) Sign."),
    ("nothing", "- It may be so [1, 3]. 【12】"),
    ("nothing", "Ein Hund ist erlaubt, one may bathe."),
]
OTHER = [
    (FEE, "Sie kostet 1.234,60 Euro."),
    (FEE, "Sie kostet 50 Euro."),
    ("A third of them, as of 2026-03-05, on 3 May at 3:30 by B3, Article 3.", "The answer is 3."),
    ("3 May 2025, a dog, first", "It has 5 doors and 1 window."),
    ("It has 381 homes.", "The number of homes is 10."),
    ("12 Monate", "elf Monate"),
    ("The fee", "1,5 Millionen Euro"),
    ("1.5 million", "1,5 Milliarden"),
    (BEGIN, "ab 2. Mai 2025"),
    (BEGIN, "ab 1. Mai 2026"),
    (BEGIN, "seit Juni 2025"),
    (BEGIN, "from 2025-05-02"),
    ("1. Mai bis 15. September", "vom 01.05. bis 15.09.2025"),
    ("geöffnet ab 8 Uhr", "opens at 8 pm"),
    ("geöffnet ab 8 Uhr", "ab 8:30 Uhr"),
    (HOURS, "bis 19 Uhr"),
    (PHONE, "030 1234-568"),
    (PHONE, "rathaus@town.example"),
    (PHONE, "Siehe www.city.example."),
    ("There are six of them.", "Article 6"),
    (LAW, "Artikel 7"),
    (LAW, "Annex IV"),
    ("Articles 6 to 9", "Article 10"),
    ("Hauptstraße 12", "Hauptstraße 12a"),
    ("nothing", "Das geht in drei Schritten."),
    ("nothing", "1. Pay 5 euros."),
]


@pytest.mark.parametrize(("source", "sentence"), SAME)
def test_a_figure_of_the_source_is_found_however_it_is_written(source: str, sentence: str) -> None:
    assert not Evidence([source]).lacks(figures_of(sentence))


@pytest.mark.parametrize(("source", "sentence"), OTHER)
def test_a_figure_that_the_source_does_not_have_is_missed(source: str, sentence: str) -> None:
    assert Evidence([source]).lacks(figures_of(sentence))


def test_any_of_the_texts_may_have_the_figure() -> None:
    evidence = Evidence(["It costs 5 euros.", "It opens at 9."])
    assert not evidence.lacks(figures_of("It costs 5 euros and opens at 9:00."))


def test_a_date_may_stand_on_lines_of_its_own_as_in_a_calendar() -> None:
    page = "What is on in the town this spring, as far as it is known:\n\n12.\n\nMai\n\n2025\n\nStadtfest"
    assert not Evidence([page]).lacks(figures_of("Das Stadtfest ist am 12. Mai 2025."))


@given(st.text(alphabet="0123456789.,:-/ '§aUhrMai ()+@\n|[]", max_size=80))
def test_every_text_has_its_own_figures(text: str) -> None:
    figures = figures_of(text)
    assert isinstance(Evidence([text]).lacks(figures), bool)


@pytest.mark.parametrize("unit", ["1", "1 ", "1.", "a.", "Mai ", "01 01-", "a@", "[1", "§ 1, ", "1 bis "])
def test_a_page_full_of_anything_is_read_in_linear_time(unit: str) -> None:
    assert Evidence([unit * (30_000 // len(unit))]).lacks(figures_of("99999 Euro"))
