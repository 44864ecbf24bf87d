"""What a line of a contact says."""

import pytest

from app.features.facts.contact_lines import plain_line, postal_address, read_line
from app.features.facts.contacts import page_contacts


@pytest.mark.parametrize(
    ("line", "phone"),
    [
        ("Public enquiries 020 7946 0123", "020 7946 0123"),
        ("Allgemeine Beratung: 0900 179 000", "0900 179 000"),
        ("Die Leitung hat 069 90009-111.", ""),
        ("Aktenzeichen 069 90009-111", ""),
        ("Kontonummer 0123 456 789", ""),
        ("Fax 069 90009-111", ""),
        ("Gebäude 12 345 678", ""),
        ("Sommerfest 05 06 2027", ""),
        ("Unfall (110), Panne 0800 25 026 00", ""),
    ],
)
def test_a_name_may_stand_before_a_number_that_is_surely_that_of_a_telephone(line: str, phone: str) -> None:
    assert read_line(line).phone == phone


@pytest.mark.parametrize(
    ("line", "mail"),
    [
        ("a.b@otter.example, Air, Land and Water Programme Manager", "a.b@otter.example"),
        ("a.b@otter.example if you want to know more about it", ""),
    ],
)
def test_an_address_to_write_to_may_be_followed_by_a_role(line: str, mail: str) -> None:
    assert read_line(line).mail == mail


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**Hotline:** **069 12 34****rat@otter.example**", "Hotline: 069 12 34 rat@otter.example"),
        (
            "[069 12 34](tel:0691234)[rat@otter.example](mailto:rat@otter.example)",
            "069 12 34 rat@otter.example",
        ),
        ("**S**tandort", "Standort"),
    ],
)
def test_two_emphases_or_links_are_kept_apart(markdown: str, shown: str) -> None:
    assert plain_line(markdown) == shown


def test_digits_before_an_address_to_write_to_may_be_those_of_a_number() -> None:
    assert not read_line("Hotline: 030 5000 3000rat@otter.example").is_contact
    assert read_line("Hotline: 030 5000, 3rat@otter.example").mail == "3rat@otter.example"


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (
            ["Stiftung", "Am Markt 2", "10623 Otterfurt", "Fax.: +49 69 90009-1"],
            "Am Markt 2, 10623 Otterfurt",
        ),
        (["Stiftung", "Am Markt 2, 10623 Otterfurt", "Fax 069 90009-1"], "Am Markt 2, 10623 Otterfurt"),
        (["Adresse: Am Markt 2, 10623 Otterfurt", "Web: otter.example"], "Am Markt 2, 10623 Otterfurt"),
        (
            ["Am Markt 2", "10623 Otterfurt", "Mo–Fr 8–12 Uhr", "(barrierefrei)"],
            "Am Markt 2, 10623 Otterfurt",
        ),
        (["Unit", "1 Otter Street,", "London SW1H OET"], "1 Otter Street, London SW1H OET"),
        (["Frau Kaya"], ""),
    ],
)
def test_an_address_has_no_line_that_says_something_else(lines: list[str], address: str) -> None:
    assert postal_address(lines) == address


@pytest.mark.parametrize(
    ("section", "count"),
    [
        (
            "## Buildings\n\n- [10 Otter Street](https://x.example/10)\n- [1 Mill Road](https://x.example/1)",
            0,
        ),
        ("## Buildings\n\n- 10 Otter Street\n- 1 Mill Road", 0),
        ("## Address\n\n10 Otter Street", 1),
        ("## Museum\n\nAddress: 10 Otter Street", 1),
        ("## Museum\n\nTown museum\n10 Otter Street", 1),
        ("## Museum\n\n[10 Otter Street, SW1A 2AA](https://maps.example)", 1),
    ],
)
def test_a_street_alone_may_be_no_more_than_a_name(section: str, count: int) -> None:
    assert len(page_contacts(f"# Town\n\n{section}\n", "Town")) == count
