"""The scopes of questions about law."""

from datetime import date

from app.law.catalogue import Versions
from app.law.scope import LawScopes
from app.law.versions import ActVersion

SOURCE = frozenset({"law"})
ACT = ActVersion(
    source="law",
    celex="32023R0001",
    version=date(2023, 1, 1),
    language="en",
    document="act",
    name="Ferries Act",
    recitals=False,
    terms=(),
    published=None,
    valid_until=None,
)


def test_an_act_that_comes_in_the_middle_of_a_question_is_known_to_the_next_one() -> None:
    known = Versions()
    scopes = LawScopes(lambda: known)
    asked = scopes.now()
    assert asked.scope(SOURCE).versions == ()
    known = Versions([ACT])
    assert asked.scope(SOURCE).versions == ()
    assert list(scopes.now().scope(SOURCE).versions) == [ACT]


def test_the_day_does_not_change_in_the_middle_of_a_question() -> None:
    today = date(2026, 12, 31)
    scopes = LawScopes(lambda: known, today=lambda: today)
    known = Versions([ACT])
    asked = scopes.now()
    assert asked.scope(SOURCE).today == today
    today = date(2027, 1, 1)
    assert asked.scope(SOURCE).today == date(2026, 12, 31)
    assert scopes.now().scope(SOURCE).today == today
