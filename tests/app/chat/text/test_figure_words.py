"""What a text says its figures of, in forms that German and English share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.figure_kinds import kind_of, kinds_of
from app.chat.text.figure_names import names_in, names_of
from app.chat.text.figure_words import clauses, conditions_in, named_words, turned_bounds
from app.chat.text.figures import figures_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("37 Euro", "money"),
        ("€37", "money"),
        ("EUR 37", "money"),
        ("It costs €37.", "money"),
        ("37 Prozent", "percent"),
        ("37 Werktage", "duration"),
        ("37 Plätze", "of latz"),
        ("37 bis 40 Jahre", "duration"),
        ("37, 38 und vierzig Prozent", "percent"),
        ("in Zone 37 und 5 Euro", "of zon"),
        ("am 3. Samstag", "ordinal"),
        ("37", "number"),
        ("37 Uhr-Modelle 8:30", "time"),
        ("§ 37", "section"),
        ("im Zimmer 37.", "of zimm"),
    ],
)
def test_a_figure_has_the_kind_of_what_it_counts(text: str, kind: str) -> None:
    assert kind_of(figures_of(text)[0], text) == kind


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Ein Pass kostet 70 Euro, ein Ausweis 37 Euro.", 2),
        ("Wer neu ist, zahlt 5 Euro.", 1),
        ("Vom 1. Mai bis 15. Juli gilt das.", 1),
        ("It is £70. It is £35 later.", 2),
        ("Nothing", 1),
        ("Mit 13 oder 14 Jahren sind es 2 Stunden.", 1),
        ("Between 5 and 10 euros are due.", 1),
        ("Es sind eine Woche, danach zwei.", 2),
    ],
)
def test_a_sentence_has_a_clause_for_each_part_with_a_figure(sentence: str, parts: int) -> None:
    assert len(clauses(sentence)) == parts


@given(st.text(alphabet="12 ,;:.()–€abUhr", max_size=60))
def test_clauses_are_the_sentence(sentence: str) -> None:
    assert "".join(clauses(sentence)) == sentence


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("unter 24 Jahren", "below 24"),
        ("ab zehn Jahren", "from 10"),
        ("younger than 24", "below 24"),
        ("dienstags bis freitags", "weekday 2"),
        ("Tuesday to Friday", "weekday 2"),
        ("für Erwachsene", "person adult"),
        ("in zone B", "letter B"),
        ("Article 6(2)", "paragraph 2"),
        ("§ 2 Absatz 3", "paragraph 3"),
        ("on weekdays", "weekday 4"),
        ("am Wochenende", "weekday 6"),
        ("täglich", "weekday 3"),
        ("ohne Termin", "without termin"),
        ("with an appointment", "with appointment"),
    ],
)
def test_german_and_english_name_the_same_conditions(text: str, condition: str) -> None:
    assert condition in conditions_in(text)


def test_the_times_of_hours_and_the_words_of_addresses_are_no_conditions() -> None:
    assert "below 12" not in conditions_in("von 8 bis 12 Uhr")
    assert not conditions_in("kinder@klinik.example")


def test_what_is_above_a_bound_is_not_below_it() -> None:
    assert conditions_in(turned_bounds("darüber 14 Euro", "bis 3 Meter 6 Euro")) == {"from 3"}
    assert turned_bounds("und 14 Euro", "bis 3 Meter 6 Euro") == ""


def test_a_bare_number_counts_what_the_one_before_it_does() -> None:
    kinds = [each.kind for each in kinds_of("Nach zehn Tagen, sonst fünf, in Zimmer 3.")]
    assert kinds == ["duration", "duration", "of zimm"]
    others = [each.label for each in kinds_of("Replies take ten working days, urgent ones for £50 two.")]
    assert others == ["10 day", "50", "2 day"]


def test_a_number_counts_the_noun_behind_its_adjectives_or_the_one_before_it() -> None:
    texts = ("Die Buslinie 12 hält beim Markt", "die Linie 27", "zwei städtische Linien")
    assert {each.kind for text in texts for each in kinds_of(text)} == {"of lini"}
    assert kinds_of("5 \u06e6\u06e6\u06e6\u06e6")[0].kind.startswith("of ")  # letters that no index keeps
    assert [each.kind for each in kinds_of("four primary schools, six secondary schools")] == ["of hool"] * 2


def test_words_of_figures_and_function_words_name_nothing() -> None:
    assert named_words("Der Pass kostet am 3. Mai 70 Euro", "de") == ["pass", "kostet"]


def test_names_are_pairs_whose_words_stand_for_nothing_else() -> None:
    text = "Die Leitung hat Jonas Ritter. Die Stadt Otterfurt dankt Jonas Ritter. Otterfurt ist schön."
    assert names_of(text) == {"name Jonas Ritter"}
    assert [name.kind for name in names_in("Frag Jonas Ritter.")] == ["name", "name"]
    assert names_of("Es hilft Reiner Maria Schell.") >= {"name Maria Schell"}  # no article
    assert not names_of("Die Alte Mühle und der Neue Saal, the Garden Room")


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("Baum", "Bäume"),
        ("Baum", "Straßenbäume"),
        ("Sack", "Windelsäcke"),
        ("Blatt", "Rosenblätter"),
        ("Platz", "Stellplätze"),
        ("Beitrag", "Elternbeiträge"),
        ("Linie", "Buslinien"),
    ],
)
def test_one_and_many_of_the_same_are_counted_alike_in_every_process(one: str, many: str) -> None:
    assert kinds_of(f"12 {one}")[0].kind == kinds_of(f"12 {many}")[0].kind
