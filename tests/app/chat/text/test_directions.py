"""A day from which something holds is not the day until which it does, nor is the least the most."""

import pytest

from app.chat.text.directions import reversed_in

VOTE = (
    "Der Antrag ist ab dem 16. August und bis Freitag, 24. September, 15 Uhr möglich. "
    "Wahltag ist der 26. September."
)
POOL = "The pool is open from 8 May until 12 September. Send questions by noon on 3 June, and from 4 July."
LOAN = "You may keep at most 5 films, for not more than €3. The desk is open from 8am to 5pm. Bring 2 photos."


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
        ("You must keep no less than 5 films.", LOAN),
    ],
)
def test_the_other_end_of_a_period_is_turned(sentence: str, source: str) -> None:
    assert reversed_in(sentence, [source])


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
        ("The desk takes calls from 5pm.", LOAN),
        ("You may keep at least 3 films.", LOAN),
        ("Ab 13 Uhr ist das Amt wieder geöffnet.", "Das Amt hat von 12 bis 13 Uhr geschlossen."),
        ("Ab 13 Uhr ist das Amt geöffnet.", "Das Amt hat bis 13 Uhr Pause."),
        ("Ab 12 Uhr ist das Amt geschlossen.", "Das Amt ist von 8 bis 12 Uhr geöffnet."),
        ("Ab 12 Uhr ist das Amt nicht erreichbar.", "Das Amt ist bis 12 Uhr geöffnet."),
        ("Ab dem 5. Mai ist die Straße wieder frei.", "Die Sperrung dauert vom 1. Mai bis zum 5. Mai."),
        ("The road is open again from 5 May.", "The road is closed from 1 to 5 May."),
        ("The road is open from 5 May.", "The road is closed until 5 May."),
        ("Höchstens 12 Euro kostet die Teilnahme.", "Es nehmen mindestens 12 Personen teil."),
        ("Höchstens 3 Wochen.", "Mindestens 3 Monate."),
    ],
)
def test_what_sources_say_so_or_do_not_tell_is_not_turned(sentence: str, source: str) -> None:
    assert not reversed_in(sentence, [source])
