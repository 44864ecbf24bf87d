"""Passages that say different figures of the same thing are told from those that do not."""

import pytest

from app.features.contradictions.detector import contradictions
from app.features.contradictions.statements import Statement, statements_of
from app.features.contradictions.translated import contradictions_of_translations
from benchmarks.contradictions import (
    SITE,
    all_pages,
    figures,
    indexed,
    on_ordinary_pages,
    planted,
    read_pairs,
)


def kinds(one: str, other: str, above: tuple[str, str] = ("", ""), language: str = "en") -> list[str]:
    first = statements_of(one, above[0], language)
    return [found.kind for found in contradictions(first, statements_of(other, above[1], language))]


def test_precision_and_recall_on_the_pool_are_as_wanted() -> None:
    pairs = read_pairs()
    assert (len(pairs), sum(pair["contradicts"] for pair in pairs)) == (80, 40)
    precision, recall = figures(pairs)
    assert precision >= 0.8
    assert recall >= 0.6


def test_nothing_is_found_on_the_sample_site_and_half_of_what_is_planted_there() -> None:
    with indexed(SITE) as services:
        assert on_ordinary_pages(services) == []
        found = planted(all_pages(services))
    assert len(found) == 60
    assert sum(found.values()) >= 30


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The pool opens at 9 am.", "The pool opens at 10 am.", "time"),
        ("A swim in the pool costs 5 euros.", "A swim in the pool costs 6 euros.", "money"),
        ("The pool opens on 1 May.", "The pool opens on 15 May.", "date"),
        ("Pool passes are valid for two weeks.", "Pool passes are valid for 30 days.", "days"),
        ("Call the pool on 020 7946 0123.", "Call the pool on 020 7946 0999.", "phone"),
        ("The pool has 12 lanes.", "The pool has 8 lanes.", "of lane"),
        ("The pool pays 7 percent tax.", "The pool pays 19 percent tax.", "percent"),
    ],
)
def test_values_of_every_kind_are_compared(one: str, other: str, kind: str) -> None:
    assert kinds(one, other) == [kind]
    assert kinds(other, one) == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pool passes are valid for two weeks.", "Pool passes are valid for 14 days."),
        ("The pool opens at 9 am.", "The pool opens at 9:00."),
        ("The pool costs 5 euros.", "The pool costs 5,00 €."),
        ("Adults pay 5 euros at the pool.", "Children pay 3 euros at the pool."),
        ("The pool opens at 9 am on Mondays.", "The pool opens at 11 am on Sundays."),
        ("In 2025 the pool cost 5 euros.", "In 2026 the pool costs 6 euros."),
        ("The pool costs 5 euros a day.", "The pool costs 90 euros a year."),
        ("The pool opens at 9 am.", "The museum opens at 10 am."),
        ("The pool opens at 9 am.", "The pool opens at 9 am and closes at 8 pm."),
        ("The pool is blue.", "The pool is green."),
        ("[Minutes](https://a.example/2024/5.pdf) (PDF, 478KB, 5 pages)", "Minutes (PDF, 27.5KB, 4 pages)"),
        ("[Pool](https://a.example/5-euros) is open.", "[Pool](https://a.example/6-euros) is open."),
    ],
)
def test_what_may_hold_at_once_is_no_contradiction(one: str, other: str) -> None:
    assert kinds(one, other) == []


def test_the_title_says_what_a_statement_is_about_and_of_which_year() -> None:
    assert kinds("It costs 5 euros.", "The pool costs 6 euros.", ("Pool", "Prices")) == ["money"]
    assert kinds("It costs 5 euros.", "The pool costs 6 euros.", ("Museum", "Prices")) == []
    assert kinds("Price of the pool: 5 euros.", "Pool: 6 euros", ("Pool", "Prices")) == ["money"]
    assert kinds("Price of the pool: 5 euros.", "Pool: 6 euros", ("Pool 2025", "Prices 2026")) == []


def test_what_no_title_names_is_not_compared() -> None:
    ten, fifteen = "Lists of voters need 100 signatures.", "Lists of voters need 150 signatures."
    assert kinds(ten, fifteen, ("Voters", "Elections")) == ["of signatur"]
    assert kinds(ten, fifteen, ("Mayor", "Council")) == []


def test_an_amount_many_times_larger_is_of_something_else() -> None:
    assert kinds("A swim in the pool costs 5 euros.", "A swim in the pool costs 16 euros.") == []


@pytest.mark.parametrize("number", ["192.168.1.1", "9" * 40])
def test_a_number_that_cannot_be_read_states_nothing(number: str) -> None:
    assert kinds(f"The pool costs 5 euros ({number}).", f"The pool costs 6 euros ({number}).") == ["money"]


def test_statements_that_differ_in_several_kinds_are_of_two_occasions() -> None:
    one, other = "On 3 May the pool opens at 9 am.", "On 9 June the pool opens at 10 am."
    assert kinds(one, other) == []


def test_a_cell_is_about_its_row_and_its_column() -> None:
    def cells(*rows: str, header: str) -> list[Statement]:
        return statements_of("\n".join(rows), "Bins", "en", header)

    one = cells("| Grey bin | 60 euros | 30 euros |", header="| Bin | Large | Small |")
    assert [(each.values["money"], "larg" in each.words) for each in one] == [
        (frozenset({"60"}), True),
        (frozenset({"30"}), False),
    ]
    assert not contradictions(one, cells("| Brown bin | 50 euros |", header="| Bin | Large |"))
    assert contradictions(one, cells("| Grey bin | 50 euros |", header="| Bin | Large |"))
    litres = cells("| 60 litres | 96 euros |", header="| Bin | Fee |")
    assert not contradictions(litres, cells("| 120 litres | 168 euros |", header="| Bin | Fee |"))
    assert contradictions(litres, cells("| 60 litres | 98 euros |", header="| Bin | Fee |"))


def translated(german: str, english: str) -> list[tuple[str, str]]:
    pages = [
        [statements_of(line, "", language) for line in text.splitlines()]
        for text, language in (
            (german, "de"),
            (english, "en"),
        )
    ]
    return [
        (found.one.text, found.other.text)
        for found in contradictions_of_translations(pages[0], pages[1], ("de", "en"))
    ]


GERMAN = """Das Bad öffnet am 8. Mai um 9 Uhr.
Der Eintritt kostet 4,50 Euro, für Kinder 2 Euro.
Sie erreichen das Bad unter 069 90009-170.
Der Kurs dauert 3 Wochen."""
ENGLISH = """The pool opens on 8 May at 9 am.
Admission is €4.50, children pay €2.
Call the pool on +49 69 90009-170.
The course lasts 3 weeks."""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("8 May", "9 May"), ("9 am", "10 am"), ("4.50", "5"), ("170", "175"), ("3 weeks", "2 weeks")],
)
def test_a_translation_with_another_figure_contradicts(right: str, wrong: str) -> None:
    assert translated(GERMAN, ENGLISH) == []
    [(_, found)] = translated(GERMAN, ENGLISH.replace(right, wrong))
    assert wrong in found


def test_a_translation_that_leaves_out_or_adds_something_does_not_contradict() -> None:
    lines = ENGLISH.splitlines()
    assert translated(GERMAN, "\n".join([lines[0], *lines[2:]])) == []
    assert translated(GERMAN, f"{ENGLISH}\nThe sauna costs €12 and closes at 10 pm.") == []
    assert translated(GERMAN, "\n".join([lines[0], "Lockers cost €1 for 2 hours.", *lines[2:]])) == []


def test_rows_and_items_are_statements_of_their_own() -> None:
    table = "| Pool | 5 euros |\n| Sauna | 12 euros |"
    assert [statement.text for statement in statements_of(table, "", "en")] == [
        "Pool | 5 euros",
        "Sauna | 12 euros",
    ]
    assert kinds(table, "The sauna costs 14 euros.") == ["money"]


def test_hostile_text_is_read_in_time() -> None:
    for text in ("1" * 5_000, "1,1" * 2_000, "mo " * 3_000, "(" * 5_000, "\0\ud800 5 euros"):
        kinds(text, text)
