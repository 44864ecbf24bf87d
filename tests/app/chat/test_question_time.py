"""A time that a model read out of a question counts only as far as the visitor can have meant it."""

from datetime import date

import pytest

from app.chat.question_time import names_relative_time, plausible_time
from app.search.retrieval import ANY_TIME, TimeFilter

TODAY = date(2026, 11, 22)


def since(year: int, month: int = 1) -> TimeFilter:
    return TimeFilter(published_from=date(year, month, 1))


def before(year: int) -> TimeFilter:
    return TimeFilter(published_before=date(year, 1, 1))


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        ("acts published before 2010", before(2010)),
        ("acts up to and including 2009", before(2010)),
        ("regulations after 2009", since(2010)),
        ("what was adopted on 01.05.2010", since(2010, 5)),
        ("on 2010-05-01 what was adopted", since(2010, 5)),
        (
            "directives of the 1990s",
            TimeFilter(published_from=date(1990, 1, 1), published_before=date(2000, 1, 1)),
        ),
        ("Richtlinien aus den 90er Jahren", since(1990)),
        ("der Rechtsstand von 2023", TimeFilter(at=date(2023, 1, 31))),
        ("which acts were adopted last year", since(2025)),
        ("Was wurde im vergangenen Jahr erlassen?", since(2025)),
        ("les actes de l'année dernière", since(2025)),
        ("the rules for 2027", TimeFilter(at=date(2027, 8, 2))),
    ],
)
def test_a_time_that_the_visitor_named_counts(words: str, guess: TimeFilter) -> None:
    assert plausible_time(guess, words, TODAY) == guess


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        ("the target for energy efficiency in the EU in 2030", since(2030)),
        ("the target for energy efficiency in the EU in 2030", before(2031)),
        ("When is an AI system high-risk?", since(2024)),
        ("When is an AI system high-risk?", TimeFilter(at=date(2023, 1, 31))),
        ("What does Regulation (EU) 2016/679 say about children?", before(2017)),
        ("What does Regulation (EC) No 1907/2006 say?", since(2006)),
        ("What does 32016R0679 say?", since(2016)),
        ("Must I keep 2000 files for ten years?", since(1990)),
        ("What applies here today?", TimeFilter(at=date(2021, 1, 1))),
        ("Was gilt hier?", since(2021)),
        ("within the next 14 days", since(2021)),
        ("Guten Morgen, was gilt?", since(1990)),
        ("Which acts were adopted last year?", since(1990)),
    ],
)
def test_a_time_that_nobody_named_or_nothing_can_have_counts_for_nothing(
    words: str, guess: TimeFilter
) -> None:
    assert plausible_time(guess, words, TODAY) == ANY_TIME


def test_of_two_days_the_one_that_was_named_is_kept() -> None:
    guess = TimeFilter(published_from=date(2010, 1, 1), published_before=date(2031, 1, 1))
    assert plausible_time(guess, "acts since 2010 on the target for 2030", TODAY) == since(2010)


@pytest.mark.parametrize(
    "words", ["in the last two years", "letzte Woche", "gestern", "au cours de cette année"]
)
def test_times_relative_to_today_are_known(words: str) -> None:
    assert names_relative_time(words)


@pytest.mark.parametrize(
    "words", ["How many years must I keep it?", "last but not least", "ein Jahr lang", ""]
)
def test_a_duration_is_no_time_relative_to_today(words: str) -> None:
    assert not names_relative_time(words)
