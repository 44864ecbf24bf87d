"""Which rows of a table and items of a list a question is about; in doubt none."""

import pytest

from app.search.matching_rows import AskedWords, cells, matching_items, matching_rows

FEES = (
    "| Personalausweis ab 24 Jahren | 37,00 € |",
    "| Personalausweis unter 24 Jahren | 22,80 € |",
    "| Reisepass ab 24 Jahren | 70,00 € |",
    "| Meldebescheinigung | 8,00 € |",
    "| Führungszeugnis | 13,00 € |",
    "| Umzug melden (Anmeldung, Ummeldung) | kostenlos |",
)
DAYS = ("| Monday | closed |", "| Tuesday to Friday | 11 am to 6 pm |", "| Saturday | 10 am to 2 pm |")
ITEMS = (
    "- den alten Personalausweis oder den Reisepass,",
    "- ein digitales Passfoto,",
    "- die Geburtsurkunde, wenn Sie zum ersten Mal einen Ausweis beantragen.",
)


def rows(question: str, table: tuple[str, ...], language: str = "de") -> list[int]:
    return sorted(matching_rows(AskedWords.of(question, language, language), table))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was kostet ein Reisepass?", [2]),
        ("Was kosten Führungszeugnisse?", [4]),
        ("Was kostet der Ausweis?", [0, 1]),
        ("Was kostet ein Reisepass ab 24 Jahren?", [2]),
        ("Was kostet das?", []),
        ("Wie hoch sind die Gebühren in Euro?", []),
    ],
)
def test_a_row_is_asked_for_by_its_first_cell(question: str, expected: list[int]) -> None:
    assert rows(question, FEES) == expected


def test_of_the_rows_that_a_question_names_those_for_its_age_are_meant() -> None:
    assert rows("Was kostet ein Personalausweis für meinen 17-jährigen Sohn?", FEES) == [1]
    assert rows("Was kostet ein Personalausweis für meine 30-jährige Frau?", FEES) == [0]
    fares = ("| Adults | €2.80 |", "| Children aged 6 to 14 | €1.40 |", "| Children under 6 | free |")
    assert rows("How much is it for my ten-year-old?", fares, "en") == [1]


def test_words_in_most_rows_or_in_other_cells_alone_tell_none_apart() -> None:
    assert rows("Is the library open on Saturdays?", DAYS, "en") == [2]
    assert rows("When is it closed?", DAYS, "en") == []
    assert rows("ab 24 Jahren", FEES[:3]) == []


def test_an_item_is_asked_for_by_most_words_that_do_not_stand_above_the_list() -> None:
    above = "Bürgeramt\nPersonalausweis\nBitte bringen Sie mit:"

    def items(question: str) -> list[int]:
        return sorted(matching_items(AskedWords.of(question, "de", "de"), ITEMS, above))

    assert items("Muss ich für den Personalausweis die Geburtsurkunde mitbringen?") == [2]
    assert items("Was muss ich für den Personalausweis mitbringen?") == []
    assert items("Was kostet die Geburtsurkunde?") == []
    assert items("Wo bekomme ich bei Nacht in der Altstadt ein Passfoto?") == []


def test_what_kind_of_answer_is_wanted_names_no_row() -> None:
    table = ("| Gebühr je Seite | 4 € |", "| Versandkosten | 3 € |", "| Reisepass | 70 € |")
    assert rows("Was kosten Taufscheine?", table) == []


def test_the_words_of_links_are_no_words_of_rows() -> None:
    table = ("| [Form](https://town.example/passport) | 1 |", "| Passport | 2 |", "| Other | 3 |")
    assert rows("passport", table, "en") == [1]


def test_cells_may_hold_bars() -> None:
    assert cells(r"| a \| b |  | c |") == [r"a \| b", "", "c"]
