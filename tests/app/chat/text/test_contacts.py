"""Phone numbers and e-mail addresses are linked where they are clearly such."""

import pytest

from app.chat.text.render import BlockRenderer, contact_links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("Rathaus Otterfurt, 069 90009-100", ["tel:06990009100"]),
        ("Tel. 069/90009-100, Fax: 069 90009-200", ["tel:06990009100"]),
        ("Telefax 069 90009-200", []),
        ("+49 (0)69 90009-100 oder (069) 90009100", ["tel:+496990009100", "tel:06990009100"]),
        ("0049 69 900090", ["tel:+4969900090"]),
        ("Tel.: 90009-100", ["tel:90009100"]),
        ("info@otterfurt.example.", ["mailto:info@otterfurt.example"]),
        ("(a.b+c@mail.town.example)", ["mailto:a.b+c@mail.town.example"]),
        ("info@otterfurt.example, 069 90009-100", ["mailto:info@otterfurt.example", "tel:06990009100"]),
        ("am 01.02.2026 von 08:00-12:00 Uhr, 00815 Otterfurt, 0,50 Euro", []),
        ("0800-1200 Uhr, 2026-2027, 32024R1689", []),
        ("IBAN DE89 3704 0044 0532 0130 00", []),
        ("Aktenzeichen 0123456789", []),
        ("0171 2345678 / 069 90009-100", []),
        ("spy@evil.example?body=secret, spy@mail.evil.example?body=secret", []),
        ("a@b, @town.example, a@town, https://a@town.example/x", []),
    ],
)
def test_only_what_is_clearly_one_is_linked(text: str, links: list[str]) -> None:
    assert [href for _, _, href in contact_links(text)] == links


def test_the_text_of_a_link_is_what_was_written() -> None:
    text = "Rathaus, 069 90009-100, info@town.example"
    assert [text[start:end] for start, end, _ in contact_links(text)] == [
        "069 90009-100",
        "info@town.example",
    ]


def test_an_answer_links_them_outside_code_and_other_links() -> None:
    html = BlockRenderer(links=["https://town.example/"]).render(
        "**069 90009-100** `069 90009-100` [069 90009-100](https://town.example/)"
    )
    assert html.count('href="tel:06990009100"') == 1
    assert '<strong><a href="tel:06990009100" rel="noopener noreferrer">069 90009-100</a></strong>' in html
