"""A question for an office gets the lines that say how to reach it, above the passages."""

import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.render import renderer_of
from app.features.facts.asked_contact import asked_contact
from app.features.facts.contact_lines import plain_line
from app.features.facts.contacts import Contact, page_contacts
from app.search.types import IndexedPage
from tests.app.chat.pages import page
from tests.app.features.facts.told import card
from tests.fakes.real_pages import cms_pages, sample_pages
from tests.shared import PAGES, needs

REGISTRY: Final = page(
    "registry",
    language="de",
    title="Heiraten in Otterfurt",
    content="""# Heiraten in Otterfurt

Den Wunschtermin erfragen Sie beim Trauredner unter 069 1234-567.

## Kontakt

Standesamt, Marktplatz 1, Zimmer 12, 00815 Otterfurt
Telefon: [069 90009-120](tel:+496990009120)
E-Mail: [Schreiben Sie uns](mailto:standes_amt@otterfurt.example)
""",
)
HALL: Final = page(
    "hall",
    language="de",
    title="Rathaus",
    content="""# Rathaus

## Ämter

| Sachgebiet | Zimmer | Telefon |
|---|---|---|
| Hundesteuer | Zimmer 204 | 069 90009-140 |
| Gewerbe | Zimmer 112 | 069 90009-220 |

## Bauamt

Kiesstraße 10, 00815 Otterfurt
Telefon 069 90009-240

## Schäden melden

Bauhof
Telefon 069 90009-250
Fax 069 90009-251

## Beratung

* Familienberatung
  Telefon 069 90009-301
* Schuldnerberatung
  Telefon 069 90009-302
* Gesundheitsberatung
""",
)
LINES: Final = [
    "* Standesamt, Marktplatz 1, Zimmer 12, 00815 Otterfurt",
    "* Telefon: 069 90009-120",
    "* E-Mail: standes_amt@otterfurt.example [1]",
]


@pytest.mark.parametrize(
    "question",
    [
        "Telefonnummer vom Standesamt",
        "Wie lautet die Telefonnummer vom Standesamt?",
        "wo ist das standesamt",
        "E-Mail Standesamt",
        "In welchem Zimmer ist das Standesamt?",
        "Wer ist für das Heiraten zuständig?",
        "Who is responsible for marrying?",
    ],
)
def test_the_lines_of_the_office_that_is_named_are_told(question: str) -> None:
    assert card(question, REGISTRY) == ["**Heiraten in Otterfurt**", "", *LINES]


@pytest.mark.parametrize(
    "question",
    [
        "Telefonnummer vom Jugendamt",
        "Telefonnummer vom Standesamt in Kassel",
        "Wo ist das Heiraten?",
        "Kann ich das Standesamt per E-Mail erreichen?",
        "Ist das Standesamt telefonisch erreichbar?",
        "Wie ändere ich meine Adresse beim Standesamt?",
        "Wann kann ich im Standesamt anrufen?",
        "Wie ist die Telefonnummer?",
        "Heiraten",
    ],
)
def test_what_names_another_or_asks_for_something_else_gets_no_card(question: str) -> None:
    assert not card(question, REGISTRY)


PEOPLE: Final = page(
    "people",
    language="de",
    title="Standesamt",
    content="""# Standesamt

## Ansprechpartner

Geburten
:   Frau Yildiz Kaya
    Zimmer 13
    Tel. 069 90009-213

Sterbefälle
:   Herr Jonas Reuter
    Tel. 069 90009-214

## Namensänderung

Ansprechpartnerin: Carla Simon, Zimmer 305, Telefon 069 90009-530, simon@otterfurt.example

## Archiv

Rufen Sie gerne an, montags bis mittags, Telefon 069 90009-531
""",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Wer ist im Standesamt für Geburten zuständig?",
            ["* Geburten", "* Frau Yildiz Kaya", "* Zimmer 13", "* Tel. 069 90009-213 [1]"],
        ),
        (
            "Wer ist für die Namensänderung zuständig?",
            [
                "* Ansprechpartnerin: Carla Simon, Zimmer 305, Telefon 069 90009-530, simon@otterfurt.example"
                " [1]"
            ],
        ),
        (
            "Wie lautet die Telefonnummer des Standesamts für Sterbefälle?",
            ["* Sterbefälle", "* Herr Jonas Reuter", "* Tel. 069 90009-214 [1]"],
        ),
        (
            "Wer ist die Ansprechperson für Sterbefälle?",
            ["* Sterbefälle", "* Herr Jonas Reuter", "* Tel. 069 90009-214 [1]"],
        ),
        ("Telefonnummer Archiv", []),
    ],
)
def test_the_person_who_is_responsible_is_told(question: str, told: list[str]) -> None:
    assert card(question, PEOPLE)[2:] == told


def test_a_row_of_a_table_may_have_a_number_and_an_address_to_write_to() -> None:
    staff = page(
        "staff",
        language="de",
        title="Standesamt",
        content="""# Standesamt

| Name | Aufgabe | Zimmer | Telefon | E-Mail |
|---|---|---|---|---|
| Frau Becker | Eheschließungen | 12 | 069 90009-31 | becker@otterfurt.example |
| Herr Yilmaz | Geburten | 1.3 | 069 90009-32 | yilmaz@otterfurt.example |
""",
    )
    told = ["* Herr Yilmaz", "* Geburten", "* Zimmer 1.3", "* 069 90009-32", "* yilmaz@otterfurt.example [1]"]
    for question in ("Wer ist für Geburten zuständig?", "Welches Zimmer hat Herr Yilmaz?"):
        assert card(question, staff)[2:] == told


@pytest.mark.parametrize("heading", ["Ansprechperson", "Ihre Ansprechpersonen"])
def test_a_heading_of_contact_persons_names_no_case(heading: str) -> None:
    content = f"# Wohngeld\n\n## {heading}\n\nFrau Lotz\nTelefon 069 90009-318\n"
    office = page("office", language="de", title="Wohngeld", content=content)
    assert card("Wer ist für Wohngeld zuständig?", office)[0] == "**Wohngeld**"


def test_a_line_that_has_a_whole_contact_is_none_of_another() -> None:
    footer = "Markt Otterfurt · Kirchplatz 1 · 00815 Otterfurt · Tel. 069 9000-0 · post@otterfurt.example"
    content = f"# Gewerbeamt\n\n## Kontakt\n\nGewerbeamt\nZimmer 8\n\n{footer}\n"
    trade = page("trade", language="de", title="Gewerbeamt", content=content)
    assert not card("Telefonnummer Gewerbeamt", trade)


def test_a_genitive_names_the_same_office() -> None:
    office = page(
        "office",
        language="de",
        title="Bürgerbüro | Stadt Otterfurt",
        content="# Bürgerbüro\n\n## Kontakt\n\nTelefon: 069 1234-150\n",
    )
    headline, _, line = card("Wie lautet die Telefonnummer des Bürgerbüros?", office)
    assert (headline, line) == ("**Bürgerbüro – Stadt Otterfurt**", "* Telefon: 069 1234-150 [1]")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Telefonnummer Hundesteuer", ["* Hundesteuer", "* Zimmer 204", "* 069 90009-140 [1]"]),
        ("Welches Zimmer ist für Gewerbe?", ["* Gewerbe", "* Zimmer 112", "* 069 90009-220 [1]"]),
        ("Wo ist das Bauamt?", ["* Kiesstraße 10, 00815 Otterfurt", "* Telefon 069 90009-240 [1]"]),
        ("Telefonnummer Familienberatung", ["* Familienberatung", "* Telefon 069 90009-301 [1]"]),
        ("Telefonnummer vom Rathaus", []),
        ("Wo ist der Bauhof?", []),
        ("E-Mail vom Bauamt", []),
        ("Telefonnummer Beratung", []),
        ("Telefonnummer Gesundheitsberatung", []),
    ],
)
def test_of_several_the_one_that_is_named_is_told(question: str, told: list[str]) -> None:
    assert card(question, HALL)[2:] == told


def test_another_page_than_the_best_is_read_where_its_lines_name_the_office() -> None:
    news = page(
        "news",
        language="de",
        title="Kontakt zum Heiraten",
        content="# Kontakt zum Heiraten\n\nDas Telefon klingelt.",
    )
    assert card("Telefonnummer vom Bauamt", REGISTRY, HALL)[-1] == "* Telefon 069 90009-240 [2]"
    assert card("Kontakt zum Heiraten", REGISTRY)
    assert not card("Kontakt zum Heiraten", news, REGISTRY)


def test_a_word_with_the_same_stem_does_not_name_a_contact_of_another_page_than_the_best() -> None:
    lines = "Strategy and Governance\nMain Building\nLondon SW1A 2HB"
    other = page("other", title="Complaints", content=f"# Complaints\n\n## Review\n\n{lines}\n")
    best = page(
        "best",
        title="Government buildings",
        content="# Government buildings\n\nThe address of the government buildings.",
    )
    assert not card("What is the address of the government buildings?", best, other)
    assert card("What is the address of the main buildings?", best, other)


def test_of_several_contacts_the_one_whose_lines_name_everything_is_told() -> None:
    items = "* a@otter.example, Head of Research\n* b@otter.example, Head of Statistics\n"
    one = page("one", title="Research", content=f"# Research\n\n## Contact\n\n{items}")
    assert card("Contact for research head", one)[-1] == "* a@otter.example, Head of Research [1]"


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("Telefonnummer Beschwerden", "## Beschwerden über die Polizei\n\nTelefon 069 90009-110"),
        (
            "Telefonnummer Beratung",
            "## Beratung\n\n* Elterntelefon 069 90009-110\n* Sprechstunden im Rathaus",
        ),
        (
            "Telefonnummer Beschwerden",
            "## Kontakt\n\nTelefon 069 90009-110\n\nDie Leitung hat 069 90009-111.",
        ),
    ],
)
def test_a_number_of_a_part_is_not_told_as_that_of_the_whole(question: str, section: str) -> None:
    one = page("one", language="de", title="Beschwerden", content=f"# Beschwerden\n\n{section}\n")
    assert page_contacts(one.fields["content"], one.title)
    assert not card(question, one)


def test_a_number_and_an_address_become_links_without_scripts() -> None:
    html = renderer_of(()).render("\n".join(card("Telefonnummer vom Standesamt", REGISTRY)))
    assert 'href="tel:06990009120"' in html
    assert 'href="mailto:standes_amt@otterfurt.example"' in html


@pytest.mark.parametrize(
    "line",
    [
        "Rufen Sie uns unter 069 90009-170 an, wenn etwas fehlt.",
        "Wir sind am Telefon 069 90009-170",
        "069 90009-170 war bis 2020 unsere Nummer",
    ],
)
def test_a_number_in_a_sentence_is_left_to_the_reader(line: str) -> None:
    assert not page_contacts(f"# Bad\n\n## Kontakt\n\n{line}", "Bad")


def stands(lines: tuple[str, ...], content: str) -> bool:
    """True if every line stands in the text, but the markup."""
    shown = [plain_line(line) for line in content.splitlines()] + content.replace("|", "\n").splitlines()
    return {line.strip() for line in lines} <= {line.strip() for line in shown}


def test_every_line_of_the_sample_site_stands_in_its_span() -> None:
    found = [
        (each, one) for one in sample_pages() for each in page_contacts(one.fields["content"], one.title)
    ]
    assert len(found) > 20
    for contact, one in found:
        assert stands(contact.lines, one.fields["content"][slice(*contact.span)])


@needs(PAGES)
def test_every_line_of_pages_of_a_cms_stands_in_its_span() -> None:
    for one in cms_pages():
        for contact in page_contacts(one.fields["content"], one.title):
            assert stands(contact.lines, one.fields["content"][slice(*contact.span)])


PIECES: Final = st.sampled_from([
    "# Amt\n", "## Kontakt\n", "Telefon: 069 90009-1\n", "\n", "* E-Mail a@b.example\n", "Zimmer 3\n",
    "Am Markt 1, 00815 Ort\n", "Ein Satz, oder nicht?\n", "| A | B |\n|---|---|\n", "| x | 069 90009-2 |\n",
])  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_is_told_stands_in_the_page(content: str) -> None:
    for contact in page_contacts(content, "Amt"):
        assert contact.lines
        assert stands(contact.lines, content[slice(*contact.span)])


def test_contacts_are_read_for_a_question_that_asks_for_one_alone() -> None:
    read: list[IndexedPage] = []

    def contacts_of(found: IndexedPage) -> tuple[Contact, ...]:
        read.append(found)
        return page_contacts(found.fields["content"], found.title)

    office = page("office", title="Library", content="# Library\n\nLibrary\n\nPhone: 069 12345\n")
    assert asked_contact("What does a visitor card cost?", "en", office, contacts_of) is None
    assert read == []
    assert asked_contact("What is the phone number of the library?", "en", office, contacts_of)
    assert read == [office]


def test_a_long_page_costs_no_more_than_its_beginning() -> None:
    started = time.process_time()
    assert page_contacts("Office\n\nPhone: 069 12345\n\n" * 20_000, "Offices")
    assert time.process_time() - started < 5


TAXES: Final = page(
    "taxes",
    language="de",
    title="Hundesteuer",
    content="""# Hundesteuer

## Zuständig

Buchstaben A bis K: Frau Brandt, Zimmer 204, Tel. 069 90009-231
Buchstaben L bis Sch: Frau Petrova, Zimmer 205, Tel. 069 90009-232
Buchstaben St bis Z: Herr Unger, Zimmer 206, Tel. 069 90009-233
""",
)


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("Meyer", "Petrova"),
        ("Öztürk", "Petrova"),
        ("Schulz", "Petrova"),
        ("Stein", "Unger"),
        ("Brandt", "Brandt"),
    ],
)
def test_of_those_who_share_a_work_by_surnames_the_right_one_is_told(name: str, who: str) -> None:
    told = card(f"Wer ist für die Hundesteuer zuständig? Ich heiße {name}.", TAXES)
    assert [who in line for line in told[2:]] == [True]
    assert told == card(f"Wer ist zuständig für die Hundesteuer, Nachname {name}?", TAXES)


def test_nobody_is_told_where_a_surname_is_in_no_range_or_none_is_told() -> None:
    assert not card("Wer ist für die Hundesteuer zuständig? Ich heiße Siegel.", TAXES)
    assert not card("Wer ist für die Hundesteuer zuständig?", TAXES)
    assert not card("Wer ist für die Gewerbesteuer zuständig? Ich heiße Meyer.", TAXES)


def test_each_line_that_names_its_task_is_a_contact() -> None:
    content = "# Recht\n\n## Sachbearbeitung\n\n{}\n{}\n".format(
        "Jagdrecht: Herr Bohne, Tel. 069 90009-14", "Waffenrecht: Frau Arndt, Tel. 069 90009-15"
    )
    one = page("law", language="de", title="Recht", content=content)
    told = card("Telefonnummer Waffenrecht", one)
    assert told[-1] == "* Waffenrecht: Frau Arndt, Tel. 069 90009-15 [1]"


def test_a_definition_list_is_one_contact() -> None:
    content = "# Bürgerservice\n\n## Kontakt\n\n" + "\n\n".join(
        f"{name}\n:   {told}"
        for name, told in (
            ("Adresse", "Am Markt 3 (Altes Amtshaus), 57999 Otterfurt"),
            ("Telefon", "069 90009-140"),
            ("Fax", "069 90009-149"),
            ("E-Mail", "service@otterfurt.example"),
        )
    )
    one = page("service", language="de", title="Bürgerservice", content=content)
    told = card("Telefonnummer vom Bürgerservice", one)
    assert told[2:] == [
        "* Adresse: Am Markt 3 (Altes Amtshaus), 57999 Otterfurt",
        "* Telefon: 069 90009-140",
        "* E-Mail: service@otterfurt.example [1]",
    ]
    assert told == card("Wo finde ich den Bürgerservice?", one)
    assert not card("Wie ist die Faxnummer vom Bürgerservice?", one)


def test_a_deputy_in_a_row_is_told_as_one() -> None:
    content = (
        "# Bauaufsicht\n\n| Gemeinde | Bauprüfer | Telefon | Vertretung |\n|---|---|---|---|\n"
        "| Altenhagen | Maren Thomsen | 069 90009-14 | Herr Gerdes |\n"
        "| Bergen | Rolf Gerdes | 069 90009-15 | Frau Thomsen |\n"
    )
    one = page("building", language="de", title="Bauaufsicht", content=content)
    told = card("Welche Telefonnummer hat die Bauaufsicht für Altenhagen?", one)
    assert told[-1] == "* Vertretung: Herr Gerdes [1]"
