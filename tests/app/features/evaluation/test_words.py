"""Which texts hold which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.evaluation.words import beginning, markdown_words, words

WORD = st.text("abcdefghäöüß0123456789", min_size=1, max_size=9)
TEXT = st.lists(WORD, min_size=1, max_size=12)
BETWEEN = st.sampled_from((" ", "\n", " | ", " · ", "\n- ", " – ", ": ", "**", " (", ") ", "; "))


def holds(text: str, wanted: str) -> bool:
    return words(text).holds(words(wanted))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ein Ausweis kostet 37,00 Euro.", "37,00 Euro"),
        ("A fee of £7.20 is due", "£7.20"),
        ("| erster Hund | 72 € |", "erster Hund 72 €"),
        (
            "The syllabus is for:\n- learner drivers\n- driver trainers",
            "for: learner drivers driver trainers",
        ),
        ("CALL 0800 776600 now", "0800 776600"),
        ("Foreign companies must register", "foreign compan"),
        ("all registered keepers", "register"),
        ("die Parkgebühr", "Gebühr"),
        ("open until 9:30am", "9:30 am"),
        ("e-mail alerts", "email alerts"),
        ("3,540 employees", "3 540"),
        ("Straße", "STRASSE"),
        ("of 5.1 %", "5.1"),
        ("soft\u00adhyphen", "softhyphen"),
        ("cafe\u0301", "café"),
        ("Paragraph 5: 25 Euro", "25"),
        ("15 or 5", "5"),
        ("Arabic هاتف 123", "هاتف"),
    ],
)
def test_words_are_found_whatever_stands_between_them(text: str, wanted: str) -> None:
    assert holds(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("15", "5"),
        ("51", "5"),
        ("1.5 km", "5 km"),
        ("0,5", "5"),
        ("125 Euro", "25 Euro"),
        ("25 Euros", "25 Euro"),
        ("17.20", "7.20"),
        ("1.000 Euro", "1 Euro"),
        ("£7.205", "£7.20"),
        ("hall 12 of it", "all 12"),
        ("a ton of", "to"),
        ("2016", "201"),
        ("20161", "2016"),
        ("B2016", "2016"),
        ("anything", ""),
        ("anything", "€ – £"),
        ("", "word"),
        ("second first", "first second"),
    ],
)
def test_figures_and_short_words_are_found_at_word_ends_alone(text: str, wanted: str) -> None:
    assert not holds(text, wanted)


@pytest.mark.parametrize(
    ("markdown", "wanted"),
    [
        ('Ask the [tax office](https://town.example/steuer_(amt)?a=1 "Steuer") today', "tax office today"),
        ("[Form](<https://town.example/a b>) and map", "Form and map"),
        ("1. Call the doctor\n2. Call the funeral home", "Call the doctor Call the funeral home"),
        ("> 1. first\n> 2. second", "first second"),
        ("**Wheel**chairs &amp; prams", "Wheelchairs & prams"),
        ("| --- | --- |\n| 60 litres | 96 € |", "60 litres 96"),
        ("10\\. Mai bis 3\\. Juni", "10. Mai bis 3. Juni"),
    ],
)
def test_markup_is_not_between_the_words_of_markdown(markdown: str, wanted: str) -> None:
    assert markdown_words(markdown).holds(words(wanted))


def test_brackets_that_are_no_link_stay() -> None:
    assert markdown_words("see [5](a b) and (c)").holds(words("see 5 a b and c"))


@given(TEXT, BETWEEN, st.data())
def test_any_words_of_a_text_in_a_row_are_in_it(found: list[str], between: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(found) - 1))
    end = data.draw(st.integers(start + 1, len(found)))
    assert holds(between.join(found).upper(), " ".join(found[start:end]))


@given(st.integers(0, 99_999), st.integers(0, 9), st.booleans())
def test_a_figure_is_never_found_in_a_longer_one(figure: int, digit: int, before: bool) -> None:
    longer = f"{digit}{figure}" if before else f"{figure}{digit}"
    assert not holds(f"costs {longer} Euro", f"{figure}")


@given(TEXT, TEXT)
def test_a_longer_text_holds_what_a_shorter_one_does(found: list[str], more: list[str]) -> None:
    assert holds(" ".join([*more, *found, *more]), " ".join(found))


@pytest.mark.parametrize(
    ("characters", "expected"),
    [(4, "one "), (5, "one "), (6, "one "), (7, "one two"), (99, "one two")],
)
def test_a_word_that_is_cut_does_not_count(characters: int, expected: str) -> None:
    assert beginning("one two", characters) == expected


@given(st.text(), st.integers(0, 50))
def test_the_beginning_of_a_text_is_never_longer_than_asked_for(text: str, characters: int) -> None:
    cut = beginning(text, characters)
    assert text.startswith(cut)
    assert len(cut) <= characters
