"""Paragraphs and points that somebody names, and their place in a unit's text."""

import pytest

from ingest.law.parts import part_span, parts_named

ARTICLE = """1. It is forbidden:

- (a) to sell;
- (f) to feed:
  - (i) gulls;
  - (ii) cats.

The first subparagraph applies to all.

2. Who sells pays.

- (a) at once;
"""


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("Article 5(1)(f) AI Act", ("1", "f")),
        ("Article 5(1), point (f), of the AI Act", ("1", "f")),
        ("point (f) of Article 5(1) of the AI Act", ("1", "f")),
        ("What does paragraph 3 of Article 27 of the AI Act say?", ("3",)),
        ("Art. 27 Abs. 3 KI-VO", ("3",)),
        ("Was steht in Artikel 5 Absatz 1 Buchstabe f der KI-Verordnung?", ("1", "f")),
        ("l'article 6, paragraphe 2, point a) du règlement sur l'IA", ("2", "a")),
        ("Article 27 AI Act", ()),
        ("Article 3(68) AI Act", ("68",)),
        ("Art. 6 of Regulation (EU) 2024/1689", ()),
        ("Annex III, point 4(b), AI Act", ("4", "b")),
    ],
)
def test_the_part_of_a_unit_that_is_named_is_told(words: str, parts: tuple[str, ...]) -> None:
    assert parts_named(words) == parts


@pytest.mark.parametrize(
    ("parts", "begins", "ends"),
    [
        (("1",), "1. It is forbidden", "applies to all."),
        (("2",), "2. Who sells", "at once;"),
        (("1", "f"), "- (f) to feed", "applies to all."),
        (("1", "a"), "- (a) to sell;", "to sell;"),
        (("2", "a"), "- (a) at once;", "at once;"),
    ],
)
def test_a_part_is_found_with_all_that_is_in_it(parts: tuple[str, ...], begins: str, ends: str) -> None:
    span = part_span(ARTICLE, parts)
    assert span is not None
    text = ARTICLE[slice(*span)].strip()
    assert (text.startswith(begins), text.endswith(ends)) == (True, True)


@pytest.mark.parametrize("parts", [(), ("3",), ("1", "b"), ("2", "f")])
def test_a_part_that_the_text_does_not_have_is_nowhere(parts: tuple[str, ...]) -> None:
    assert part_span(ARTICLE, parts) is None
