"""Which terms an article defines, in the forms that EUR-Lex has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.law.definitions import MAX_TERMS, defined_terms, definitions


def test_english_items_begin_with_the_term() -> None:
    markdown = (
        "For the purposes of this Regulation:\n\n"
        "- (1) ‘parcel’ means a box that somebody’s ‘carrier’ brings;\n"
        "- (2) ‘deep parcel’ or ‘box’ means a parcel;\n"
        "- (3) ‘handling of parcels’ (‘handling’) shall mean any work on them;\n"
        "- (4) ‘carrier’s office’, in relation to a parcel, means a place;"
    )
    assert defined_terms(markdown, "en") == (
        "parcel", "deep parcel", "box", "handling of parcels", "handling", "carrier’s office",
    )  # fmt: skip


@pytest.mark.parametrize("quoted", ['"parcel"', "“parcel”", "'parcel'", "‘parcel’"])
def test_any_quotation_marks_will_do(quoted: str) -> None:
    assert defined_terms(f"- 1) {quoted} means a box;", "en") == ("parcel",)


def test_a_quoted_word_that_nothing_defines_is_no_term() -> None:
    assert defined_terms("The mark ‘fragile’ shall be put on a parcel. By means of ‘stamps’.", "en") == ()
    assert defined_terms("- «fragile», comme il est écrit sur le colis;", "fr") == ()


def test_french_items_follow_what_announces_them() -> None:
    markdown = (
        "Aux fins du présent règlement, on entend par:\n\n"
        "- 1) «colis», une boîte;\n- 2) «colis lourd» ou «caisse»: tout colis;\n- 3) «poste» (P), un service;"
    )
    assert defined_terms(markdown, "fr") == ("colis", "colis lourd", "caisse", "poste")


def test_a_single_french_definition_stands_in_a_sentence() -> None:
    assert defined_terms("Aux fins du présent article, on entend par «colis» une boîte.", "fr") == ("colis",)
    assert defined_terms("2. On dit qu'on entend par colis lourd, tout colis.", "fr") == ("colis lourd",)


def test_german_items_follow_what_announces_them() -> None:
    listed = "Für die Zwecke dieser Verordnung bezeichnet der Ausdruck\n\n- 1. „Paket“ eine Schachtel;"
    assert defined_terms(listed, "de") == ("Paket",)
    assert defined_terms("Es gelten folgende Begriffsbestimmungen:\n\n1. „Paket“: eine Schachtel", "de") == (
        "Paket",
    )


def test_a_definition_reaches_to_the_next_one() -> None:
    markdown = (
        "For the purposes of this Regulation:\n\n"
        "- (1) ‘parcel’ or ‘box’ means:\n  - (a) a thing;\n  - (b) a ‘carrier’s’ bag;\n"
        "- (2) ‘carrier’ means a person;\n- (3) ‘post’ means all of it.\n"
    )

    def defined(*terms: str) -> list[str]:
        return [markdown[start:end] for start, end in definitions(markdown, "en", terms)]

    assert defined("box") == [
        "- (1) ‘parcel’ or ‘box’ means:\n  - (a) a thing;\n  - (b) a ‘carrier’s’ bag;\n"
    ]
    assert defined("parcel", "box", "post") == [*defined("box"), "- (3) ‘post’ means all of it.\n"]
    assert defined("letter") == []


def test_a_term_is_named_once_and_another_language_has_none() -> None:
    assert defined_terms("- ‘box’ means a;\n- ‘box’ means b;", "en") == ("box",)
    assert defined_terms("- ‘box’ means a;", "cy") == ()


@pytest.mark.parametrize(
    "text", ["‘" * 100_000, "- ‘a’ " * 30_000, "‘a’ (‘b’) " * 20_000, "on entend par " * 10_000]
)
def test_hostile_text_gives_a_bounded_number(text: str) -> None:
    for language in ("en", "fr", "de"):
        assert len(defined_terms(text, language)) <= MAX_TERMS


@given(st.text(st.sampled_from("‘’«»„“\"' ab()-\n,:1means")), st.sampled_from(["en", "fr", "de"]))
def test_any_text_gives_short_terms_with_letters(text: str, language: str) -> None:
    for term in defined_terms(text, language):
        assert 0 < len(term) <= 120
        assert any(map(str.isalpha, term))
