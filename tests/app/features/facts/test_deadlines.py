"""A question for a deadline gets the sentence that tells it, above the passages."""

from datetime import datetime
from typing import Final

import pytest

from app.features.facts.deadlines import page_deadlines
from tests.app.chat.pages import page
from tests.app.features.facts.told import card

NURSERY: Final = page(
    "nursery",
    language="de",
    title="Kita-Plätze",
    content="""# Kita-Plätze

## Anmelden

Melden Sie Ihr Kind bis zum 31. Januar desselben Jahres im [Elternportal](https://town.example/) an.

### So werden die Plätze vergeben

Die Zusagen verschicken wir bis zum 31. März.

### Schließtage

Im Sommer gibt es eine Notgruppe mit 25 Plätzen; Anmeldung bis 30. April.
""",
)
ELECTION: Final = page(
    "election",
    language="de",
    title="Wahlen",
    content="# Wahlen\n\n## Briefwahl\n\n"
    "Der Antrag ist ab dem 16. August und bis Freitag, 24. September 2027, 15 Uhr möglich.\n",
)
TAXES: Final = page(
    "taxes",
    language="de",
    title="Steuern",
    content="""# Steuern

## Grundsteuer

Die Grundsteuer wird in zwei Raten erhoben, jeweils zum

- 15. Februar
- 15. August

## Gewerbesteuer

Die Gewerbesteuer ist am 10. März fällig.
""",
)
GRANTS: Final = page(
    "grants",
    title="Community grants",
    content="""# Community grants

Funding rounds 2027

| Round | Opens | Closes | Panel meets |
|---|---|---|---|
| 1 | 1 February | Fri 19 March | Thu 15 April |
| 2 | 3 May | Fri 25 June | Thu 15 July |
""",
)


@pytest.mark.parametrize(
    ("question", "last"),
    [
        (
            "Bis wann muss ich mein Kind für die Kita anmelden?",
            "* Melden Sie Ihr Kind bis zum **31. Januar** desselben Jahres im Elternportal an. [1]",
        ),
        (
            "Wann ist Anmeldeschluss für die Notgruppe?",
            "* Im Sommer gibt es eine Notgruppe mit 25 Plätzen; Anmeldung bis **30. April**. [1]",
        ),
    ],
)
def test_the_sentence_is_told_with_its_date_in_bold(question: str, last: str) -> None:
    assert card(question, NURSERY)[-1] == last


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (datetime(2027, 9, 20), ["* Bis **Freitag, 24. September 2027** (in 4 Tagen)"]),
        (datetime(2027, 10, 1), ["* Dieser Termin ist vorbei. [1]"]),
    ],
)
def test_days_are_counted_where_the_year_is_told(now: datetime, told: list[str]) -> None:
    assert set(told) < set(card("Bis wann kann ich Briefwahl beantragen?", ELECTION, now=now))


def test_days_of_payment_are_told() -> None:
    assert (
        card("Wann ist die Gewerbesteuer fällig?", TAXES)[-1]
        == "* Die Gewerbesteuer ist am **10. März** fällig. [1]"
    )
    assert card("Wann ist die Grundsteuer fällig?", TAXES)[-1] == (
        "* Die Grundsteuer wird in zwei Raten erhoben, jeweils zum **15. Februar, 15. August** [1]"
    )


def test_the_next_of_several_closing_dates_is_told() -> None:
    told = card("When is the deadline for community grants?", GRANTS, now=datetime(2027, 3, 22))
    assert told[-1] == "* Next: **Friday, 25 June 2027** [1]"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Wir bearbeiten den Antrag auf Wohngeld bis 30. Juni.",
            "Bis wann muss ich den Antrag auf Wohngeld stellen?",
        ),
        (
            "Melden Sie Ihr Kind für die Krippe bis 1. Juli an, für den Hort bis 1. Mai.",
            "Bis wann muss ich mein Kind anmelden?",
        ),
        ("Die Frist für Anträge wurde verlängert: bis 30. Juni.", "Bis wann kann ich Anträge stellen?"),
        ("Anträge sind ab 30. Juni möglich.", "Bis wann kann ich Anträge stellen?"),
        ("Anträge bis Montag, 30. Juni 2027.", "Bis wann kann ich Anträge stellen?"),
        ("Das Geld für Anträge muss bis 31. Dezember ausgegeben sein.", "Welche Frist gilt?"),
        ("Anträge waren bis 30. Juni möglich.", "Bis wann kann ich Anträge stellen?"),
        ("Anträge bis 30. Juni.", "Wann kann ich Anträge stellen?"),
        ("Die Zusagen zum Antrag verschicken wir bis zum 31. März.", "Bis wann verschicken Sie die Zusagen?"),
        (
            "Anträge auf Förderung bis 3. Mai 2027, Zahlung bis 1. Juni 2027.",
            "Bis wann muss ich den Antrag auf Förderung stellen?",
        ),
        (
            "Melden Sie Kinder vom 3. bis 7. Mai 2027 an, Nachmeldung bis 1. Juni 2027.",
            "Bis wann muss ich mein Kind anmelden?",
        ),
        (
            "Anmeldung für Kinder bis 3. Mai, für Betreuer bis 1. Juni 2027.",
            "Bis wann muss ich mein Kind anmelden?",
        ),
        (
            "Einwände, die bis zum 3. Mai 2027 eingehen, werden bis zum 1. Juni 2027 beantwortet.",
            "Bis wann kann ich Einwände erheben?",
        ),
        (
            "Bis 31. März 2027 können keine Anträge auf Förderung gestellt werden.",
            "Bis wann kann ich den Antrag auf Förderung stellen?",
        ),
        ("Die Grundsteuer ist am 1. Juli 2027 nicht zu zahlen.", "Wann ist die Grundsteuer fällig?"),
        (
            "Die Grundsteuer wird am 1. Juli 2027 erhöht und ist vierteljährlich zu zahlen.",
            "Wann ist die Grundsteuer fällig?",
        ),
        (
            "Das Amt entscheidet über den Antrag auf Wohngeld bis zum 31. März 2027.",
            "Bis wann muss ich den Antrag auf Wohngeld stellen?",
        ),
        (
            "Über den Antrag auf Wohngeld wird bis zum 31. März 2027 entschieden.",
            "Bis wann muss ich den Antrag auf Wohngeld stellen?",
        ),
        (
            "Ihr Antrag auf Wohngeld wird bis zum 31. März 2027 geprüft.",
            "Bis wann muss ich den Antrag auf Wohngeld stellen?",
        ),
        (
            "Bis 3. Mai 2027 werden die Anmeldungen für die Kita ausgewertet.",
            "Bis wann muss ich mein Kind für die Kita anmelden?",
        ),
        (
            "Die Leitung beantwortet Anmeldungen für die Kita bis 3. Mai 2027.",
            "Wann ist Anmeldeschluss für die Kita?",
        ),
        (
            "Wer sich bis 31. März 2027 zum Lauf anmeldet, bekommt Rabatt.",
            "Bis wann muss ich mich zum Lauf anmelden?",
        ),
        (
            "Mitglieder können sich bis 31. März 2027 zum Lauf anmelden.",
            "Bis wann muss ich mich zum Lauf anmelden?",
        ),
        (
            "Anmeldungen zum Lauf bis 3. Mai 2027 haben Vorrang.",
            "Bis wann muss ich mich zum Lauf anmelden?",
        ),
        ("Die Mahngebühr der Grundsteuer ist am 1. Juli 2027 fällig.", "Wann ist die Grundsteuer fällig?"),
        ("Melden Sie den Hund bis 30. Juni 2027 ab.", "Bis wann muss ich den Hund anmelden?"),
        ("Wer den Hund bis 30. Juni 2027 abmeldet, zahlt weniger.", "Bis wann muss ich den Hund anmelden?"),
        (
            "## Ferienpass\n\nAnmeldeschluss für die Betreuer: 1. Mai",
            "Wann ist Anmeldeschluss für den Ferienpass?",
        ),
        (
            "Einwände gegen die gesperrte Brücke nehmen wir bis 1. Mai 2027 an.",
            "Bis wann ist die Brücke gesperrt?",
        ),
    ],
)
def test_in_doubt_there_is_no_card(text: str, question: str) -> None:
    assert not card(question, page("page", language="de", title="Antrag", content=f"# Antrag\n\n{text}\n"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Comments on the plan received by 3 May 2027 are published by 1 June 2027.",
            "By when can I send comments on the plan?",
        ),
        (
            "Registration for the run does not open until 1 June 2027.",
            "What is the deadline for registration for the run?",
        ),
        ("The registration desk is closed until 1 June 2027.", "What is the deadline for registration?"),
        ("Registration for the run opens by 1 June 2027.", "What is the deadline for registration?"),
        ("Grant applications are reviewed by 3 May 2027.", "What is the deadline for grant applications?"),
        (
            "The committee decides on grant applications by 3 May 2027.",
            "What is the deadline for grant applications?",
        ),
        ("Refunds for registrations are paid by 3 May 2027.", "What is the deadline for registrations?"),
        (
            "The report on the comments on the plan is due by 3 May.",
            "What is the deadline for the plan comments?",
        ),
        (
            "Register for the run by 1 May 2027 to get a T-shirt.",
            "By when do I have to register for the run?",
        ),
        (
            "Whoever registers for the run by 1 May 2027 pays less.",
            "By when do I have to register for the run?",
        ),
        ("Dogs registered on 1 July 2027 pay half the tax.", "When is the tax for dogs due?"),
        ("If you register by 1 May 2027, bring a dog.", "By when do I have to register my dog?"),
    ],
)
def test_in_doubt_there_is_no_english_card(text: str, question: str) -> None:
    assert not card(
        question, page("page", title="Plans and grants", content=f"# Plans and grants\n\n{text}\n")
    )


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Council tax is due on **1 April 2027**.", "When is council tax due?"),
        ("Register for the run by **3 May 2027**.", "By when do I have to register for the run?"),
        ("Applications for grants close on **3 May 2027**.", "What is the deadline for grant applications?"),
        (
            "Closing date for grant applications: **3 May 2027**",
            "What is the closing date for grant applications?",
        ),
        ("Comments on the plan must reach us by **3 May 2027**.", "By when can I send comments on the plan?"),
    ],
)
def test_known_forms_have_a_card(text: str, question: str) -> None:
    content = f"# Plans and grants\n\n{text.replace('*', '')}\n"
    assert any(
        text in line for line in card(question, page("page", title="Plans and grants", content=content))
    )


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "By when must I apply for a postal vote?", "If yours has not come by 30 April, ring us."),
        ("de", "Bis wann muss ich Briefwahl beantragen?", "Falls bis 30. April nichts kam, rufen Sie an."),
    ],
)
def test_what_may_not_have_come_until_a_day_has_no_deadline(language: str, question: str, text: str) -> None:
    heading = {"en": "Postal votes: apply", "de": "Briefwahl beantragen"}[language]
    votes = page("votes", language=language, title=heading, content=f"# {heading}\n\n{text}\n")
    assert not card(question, votes, now=datetime(2027, 4, 1, 9, 45))


def test_a_deadline_beside_the_mark_of_a_note_is_left_to_the_visitor() -> None:
    for mark, is_certain in (("", True), (" (*)", False), (" \\*", False)):
        text = f"# Boats\n\nApply by 31 March 2027{mark}.\n"
        assert [each.is_certain for each in page_deadlines(text, "Boats")] == [is_certain]
