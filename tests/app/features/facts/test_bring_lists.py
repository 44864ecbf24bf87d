"""A question for what to bring gets the list, whole, above the passages."""

import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.bring_lists import page_bring_lists
from tests.app.chat.pages import page
from tests.app.features.facts.told import card
from tests.fakes.real_pages import sample_pages

REGISTRY: Final = page(
    "registry",
    language="de",
    title="Heiraten in Otterfurt",
    content="""# Heiraten in Otterfurt

## Unterlagen

Wenn Sie beide volljährig sind, genügen:

- gültige Ausweise,
- [beglaubigte Ausdrucke](https://town.example/register) aus dem Register [7].

## Orte

- Mühle
- Turm
""",
)
OFFICE: Final = page(
    "office",
    language="de",
    title="Bürgeramt: Ausweis, Pass und Meldewesen",
    content="""# Bürgeramt: Ausweis, Pass und Meldewesen

## Personalausweis

Kommen Sie persönlich und bringen Sie Folgendes mit:

1. den alten Ausweis oder den Reisepass,
2. ein Foto.

## Anmeldung

### Das brauchen wir

* den Ausweis,
* die Bestätigung:
  * des Vermieters
  * oder des Eigentümers

## Dokumente

* [Antrag](https://town.example/a.pdf)
* [Vollmacht](https://town.example/b.pdf)
""",
)


def test_the_list_is_told_whole_with_what_leads_to_it() -> None:
    assert card("Welche Unterlagen brauche ich zum Heiraten?", REGISTRY) == [
        "**Heiraten in Otterfurt – Unterlagen**",
        "",
        "Wenn Sie beide volljährig sind, genügen:",
        "",
        "- gültige Ausweise,",
        "- beglaubigte Ausdrucke aus dem Register 7. [1]",
    ]


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("Was muss ich für den Personalausweis mitbringen?", "2. ein Foto. [1]"),
        ("Welche Unterlagen brauche ich für die Anmeldung?", "  * oder des Eigentümers [1]"),
        ("Welche Unterlagen brauche ich für den Pass?", ""),
        ("Was muss ich zum Bürgeramt mitbringen?", ""),
        ("Was muss ich mitbringen?", ""),
        ("Was kostet der Personalausweis und was muss ich mitbringen?", ""),
        ("Wo gebe ich die Unterlagen für den Personalausweis ab?", ""),
        ("Welche Unterlagen brauche ich für den Personalausweis meines Hundes?", ""),
    ],
)
def test_of_several_lists_that_of_the_case_is_told(question: str, last: str) -> None:
    assert "".join(card(question, OFFICE)[-1:]) == last


def test_a_list_below_a_case_is_not_told_of_another_that_the_title_names() -> None:
    content = OFFICE.fields["content"].partition("## Anmeldung")[0]
    one = page("one", language="de", title=OFFICE.title, content=content)
    assert card("Was muss ich für den Personalausweis mitbringen?", one)
    assert not card("Was muss ich für den Pass mitbringen?", one)


CASES: Final = page(
    "cases",
    language="de",
    title="Zulassung – Kreis Hohenau",
    content="""# Zulassung

## Unterlagen

### Neuzulassung

- Brief
- Nummer der Versicherung

### Abmeldung

- Schein
- Schilder

## Unterlagen und Gebühren

### Umschreibung

- 30 Euro
- 5 Euro
""",
)
PASS: Final = page(
    "pass",
    language="de",
    title="Reisepass",
    content="""# Reisepass

## Mitzubringen

- Ausweis
- Foto

Bei Kindern zusätzlich mitzubringen:

- Zustimmung der Eltern

## Abholung

Bitte bringen Sie auch mit:

- Vollmacht
- Ausweis
""",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Welche Unterlagen brauche ich für die Neuzulassung?", ["- Brief", "- Nummer der Versicherung [1]"]),
        ("Was muss ich zur Abmeldung mitbringen?", ["- Schein", "- Schilder [1]"]),
        ("Welche Unterlagen brauche ich für die Zulassung?", []),
        ("Welche Unterlagen brauche ich für die Umschreibung?", []),
    ],
)
def test_a_case_below_a_heading_of_such_lists_has_its_list(question: str, told: list[str]) -> None:
    assert card(question, CASES)[2:] == told


def test_what_some_bring_beside_a_list_is_told_with_it() -> None:
    assert card("Welche Unterlagen brauchen Kinder für den Reisepass?", PASS)[2:] == [
        "- Ausweis",
        "- Foto",
        "",
        "Bei Kindern zusätzlich mitzubringen:",
        "",
        "- Zustimmung der Eltern [1]",
    ]


def test_links_are_nothing_to_bring() -> None:
    assert len(page_bring_lists(OFFICE.fields["content"], OFFICE.title)) == 2


def test_another_page_than_the_best_is_read_where_its_headings_name_the_case() -> None:
    assert (
        card("Was muss ich für den Personalausweis mitbringen?", REGISTRY, OFFICE)[-1] == "2. ein Foto. [2]"
    )


def test_the_lists_of_the_sample_site_stand_in_their_pages() -> None:
    found = [
        (each, one) for one in sample_pages() for each in page_bring_lists(one.fields["content"], one.title)
    ]
    assert len(found) > 3
    for each, one in found:
        assert each.text == one.fields["content"][slice(*each.span)].strip("\n")


PIECES: Final = st.sampled_from(
    ["## Unterlagen\n", "## Orte\n", "Bringen Sie bitte mit:\n", "\n", "* a\n", "1. b\n", "  - c\n"]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_is_told_stands_in_the_page(content: str) -> None:
    for each in page_bring_lists(content, "Amt"):
        assert each.text == content[slice(*each.span)].strip("\n")
        assert each.lead in content


def test_a_long_list_is_looked_at_once() -> None:
    started = time.process_time()
    assert page_bring_lists("# Unterlagen\n\n" + "- [a](https://town.example)\n" * 8_000, "Unterlagen") == ()
    assert time.process_time() - started < 3


CARS: Final = page(
    "cars",
    language="de",
    title="Zulassungsstelle",
    content="""# Zulassungsstelle

## Fahrzeug anmelden

### Mitzubringen sind

- Ausweis
- Versicherungsbestätigung

## Fahrzeug abmelden

### Mitzubringen sind

- Zulassungsbescheinigung
- Kennzeichenschilder
""",
)


def test_a_verb_with_zu_names_the_same_case() -> None:
    told = card("Was muss ich mitbringen, um mein Fahrzeug abzumelden?", CARS)
    assert told[-2:] == ["- Zulassungsbescheinigung", "- Kennzeichenschilder [1]"]


def test_an_application_for_something_is_named_by_that() -> None:
    content = "# Wohngeld\n\n## Unterlagen\n\n- Antragsformular\n- Mietvertrag\n"
    money = page("money", language="de", title="Wohngeld", content=content)
    question = "Was muss ich für den Wohngeldantrag mitbringen?"
    assert card(question, money)[-1] == "- Mietvertrag [1]"
    assert not card("Was muss ich für den Elterngeldantrag mitbringen?", money)


def test_an_english_heading_of_such_lists_may_stand_above_cases() -> None:
    content = (
        "# Permits\n\n## Bring with you\n\n### Students\n\n- passport\n- enrolment\n\n"
        "### Staff\n\n- contract\n- pass\n"
    )
    one = page("permits", title="Permits", content=content)
    told = card("What do I need to bring for a permit for students?", one)
    assert told[2:] == ["- passport", "- enrolment [1]"]


def lists(lead: str, items: str, heading: str = "Fähre") -> int:
    """The number of lists of what to bring on a page with this lead and these items."""
    return len(page_bring_lists(f"# Fähre\n\n## {heading}\n\n{lead}\n\n{items}", "Fähre"))


PAPERS: Final = "- Ausweis\n- Kopie des Vertrags\n"
THINGS: Final = "- Größe\n- Farbe\n"


@pytest.mark.parametrize(
    ("lead", "items", "is_told"),
    [
        ("Beim Kauf muss der Verkäufer dem Käufer diese Unterlagen übergeben:", PAPERS, False),
        ("Sie erhalten von uns folgende Unterlagen:", PAPERS, False),
        ("Um den Ausweis zu erhalten, legen Sie folgende Unterlagen vor:", PAPERS, True),
        ("We send you these documents:", PAPERS, False),
        ("Folgende Unterlagen sind nötig:", THINGS, True),
        ("Sie benötigen von allen Fahrgästen diese Angaben:", THINGS, False),
        ("Sie benötigen:", PAPERS, True),
        ("Sie benötigen eine Genehmigung, wenn", PAPERS, False),
        ("Bringen Sie bitte mit:", THINGS, True),
    ],
)
def test_a_lead_says_that_visitors_hand_something_in(lead: str, items: str, is_told: bool) -> None:
    assert bool(lists(lead, items)) == is_told


@pytest.mark.parametrize(
    ("heading", "items", "is_told"),
    [
        ("Unterlagen", THINGS, True),
        ("Dokumente", PAPERS, True),
        ("Dokumente", THINGS, False),
        ("Dokumente und Gepäck", PAPERS, False),
        ("Gepäck und Dokumente", PAPERS, False),
        ("Dokumente und Unterlagen", PAPERS, True),
        ("Unterlagen", "- Prüfen Sie Ihren Ausweis.\n- Kopieren Sie den Vertrag.\n", False),
        ("Documents", "- Check that your passport is valid.\n- Keep copies at home.\n", False),
    ],
)
def test_a_heading_with_another_purpose_announces_nothing_to_bring(
    heading: str, items: str, is_told: bool
) -> None:
    assert bool(lists("", items, heading)) == is_told
