"""A day from which something holds is not the day until which it does, nor is the least the most."""

import pytest

from app.chat.text.directions import is_turned
from app.chat.text.figures import figures_of

VOTE = (
    "Der Antrag ist ab dem 16. August und bis Freitag, 24. September, 15 Uhr möglich. "
    "Wahltag ist der 26. September."
)
POOL = "The pool is open from 8 May until 12 September. Send questions by noon on 3 June, and from 4 July."
LOAN = "You may keep at most 5 films, for not more than €3. The desk is open from 8am to 5pm. Bring 2 photos."


def turned(sentence: str, source: str) -> bool:
    return any(is_turned(figure, sentence, [source]) for figure in figures_of(sentence))


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Sie können den Antrag bis zum 16. August stellen.", VOTE),
        ("Der letzte Tag für den Antrag ist der 16. August.", VOTE),
        ("Die Frist endet am 16. August.", VOTE),
        ("Der Antrag ist ab Freitag, dem 24. September, möglich.", VOTE),
        ("The pool is open until 8 May.", POOL),
        ("The season starts on 12 September.", POOL),
        ("The last day is 8 May.", POOL),
        ("You must keep at least 5 films.", LOAN),
        ("It costs at least €3.", LOAN),
        ("The desk is open from 5pm.", LOAN),
    ],
)
def test_the_other_end_of_a_period_is_turned(sentence: str, source: str) -> None:
    assert turned(sentence, source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Sie können den Antrag ab dem 16. August stellen.", VOTE),
        ("Der letzte Tag für den Antrag ist Freitag, der 24. September.", VOTE),
        ("Der Antrag ist vom 16. August bis zum 24. September möglich.", VOTE),
        ("Bis zum 26. September wird gewählt.", VOTE),
        ("Am 16. August geht es los.", VOTE),
        ("Bis zum 1. Mai ist geschlossen.", VOTE),
        ("The pool opens on 8 May and closes on 12 September.", POOL),
        ("Bis 16 Euro kostet es.", VOTE),
        ("You can have no more than 5 films.", LOAN),
        ("Up to 5 films cost 3 euros.", LOAN),
        ("Bring at least 2 photos.", LOAN),
        ("The desk is open until 5pm.", LOAN),
    ],
)
def test_what_sources_say_so_or_do_not_tell_is_not_turned(sentence: str, source: str) -> None:
    assert not turned(sentence, source)
