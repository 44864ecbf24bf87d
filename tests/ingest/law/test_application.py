"""When acts say that they apply, and when they end."""

from datetime import date

import pytest

from ingest.law.application import applies_from, valid_until
from ingest.law.model import Unit

DAY = date(2026, 8, 2)
AFTER = date(2026, 8, 3)


def articles(*texts: str) -> list[Unit]:
    return [
        Unit(name=f"art_{number}", kind="article", number=str(number), markdown=text)
        for number, text in enumerate(texts, 1)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "This Regulation shall enter into force tomorrow.\n\nIt shall apply from 2 August 2026.\n\nHowever:",
        "1. This Directive shall enter into force tomorrow.\n\n2. It shall apply from 2 August 2026.",
        "This Regulation shall apply as from 2 August 2026, with the exception of Article 3.",
        "Le présent règlement entre en vigueur demain. Il est applicable à partir du 2 août 2026.",
        "La présente décision s’applique à compter du 2 août 2026.",
        "Diese Verordnung tritt morgen in Kraft.\n\nSie gilt ab dem 2. August 2026.",
    ],
)
def test_an_act_says_from_when_it_applies(text: str) -> None:
    assert applies_from(articles("Boats float.", text)) == DAY


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("This Regulation shall enter into force tomorrow. It shall apply until 2 August 2026.", AFTER),
        ("This Decision shall remain in force until 2 August 2026.", AFTER),
        ("This Decision shall expire on 2 August 2026.", AFTER),
        ("This Directive shall cease to apply on 2 August 2026.", DAY),
        ("This Directive shall cease to have effect on 2 August 2026.", DAY),
        ("Le présent règlement expire le 2 août 2026.", AFTER),
        ("La présente directive est applicable jusqu’au 2 août 2026.", AFTER),
        ("La présente décision cesse d’être applicable le 2 août 2026.", DAY),
        ("Diese Verordnung tritt am 2. August 2026 außer Kraft.", DAY),
        ("Dieser Beschluss gilt bis zum 2. August 2026.", AFTER),
        ("Diese Verordnung gilt ab dem 1. Mai 2026. Sie gilt bis zum 2. August 2026.", AFTER),
        ("This Decision shall apply until 31 December 9999.", None),
    ],
)
def test_an_act_says_from_when_it_applies_no_more(text: str, ended: date | None) -> None:
    """The last day on which it applies is covered."""
    assert valid_until(articles("Boats float.", text)) == ended


def test_each_sentence_about_the_act_may_follow_another_one() -> None:
    text = (
        "This Regulation shall enter into force on the twentieth day after its publication in the "
        "Official Journal (OJ L 7, p. 1). It shall apply from 2 August 2026.\n\n2.\u00a0It shall apply until "
        "1 August 2026; it is short."
    )
    assert (applies_from(articles(text)), valid_until(articles(text))) == (DAY, DAY)


@pytest.mark.parametrize(
    "text",
    [
        "Any regulation adopted under Article 2 of this Regulation shall expire on 2 August 2026.",
        "This Regulation amends another:\n\n- (1) the sentence is replaced:\n\n"
        "  > ‘This Regulation shall apply until 2 August 2026.’",
        "This Directive is old. Article 3 shall apply from 2 August 2026. It is new.",
        "This Directive is old. Article 4 shall expire on 2 August 2026.",
        "Member States shall apply this Directive. They shall apply those measures from 2 August 2026.",
        "Diese Verordnung tritt am 2. August 2026 in Kraft.",
        "It shall apply from 2 August 2026. It shall expire on 2 August 2026.",
        "The Commission adopts a programme. It shall apply until 2 August 2026. This Regulation matters.",
        "This Directive is old. The programme is new. It shall apply from 2 August 2026.",
        "Diese Richtlinie ist alt. Das Programm ist neu. Es läuft. Sie gilt ab dem 2. August 2026.",
    ],
)
def test_what_is_said_of_something_else_does_not_count(text: str) -> None:
    assert (applies_from(articles(text)), valid_until(articles(text))) == (None, None)


def test_only_the_last_articles_count() -> None:
    early = "This Regulation shall apply from 2 August 2026."
    assert applies_from(articles(early, "Second.", "Third.", "Fourth.")) is None
