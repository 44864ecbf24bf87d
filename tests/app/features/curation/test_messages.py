"""What people did wrong with an entry is said in German where they chose German."""

import re
from typing import Final

import pytest

from app.console.messages import catalogue, translated
from app.errors import ConflictError, FieldError, InputError
from app.features.curation.content import TEXT_CHARACTERS, read_content
from tests.app.console.conftest import Console
from tests.app.console.test_messages import ENGLISH, said
from tests.app.web.browser import soup

ENTRY = {
    "kind": "answer",
    "site": "town",
    "phrasings": "Wo ist das Rathaus?",
    "text": "Am Markt.",
    "save": "",
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"phrasings": "?!"},
        {"phrasings": "Wo?\nwo"},
        {"phrasings": "x" * 501},
        {"phrasings": "\n".join(f"Frage {number}" for number in range(51))},
        {"text": ""},
        {"text": "x" * (TEXT_CHARACTERS + 1)},
        {"text": "a\0b"},
        {"owner": "x" * 101},
        {"owner": "x" * 201},
        {"language": "deutsch"},
        {"until": "morgen"},
        {"until": "2026-02-31"},
        {"until": "2099-01-01T10:00"},
        {"until": "2001-01-01"},
        {"kind": "synonyms", "words": "?!\n%"},
        {"kind": "synonyms", "words": "\n".join(f"Wort{number}" for number in range(11))},
        {"kind": "synonyms", "words": f"Rathaus\n{'x' * 101}"},
        {"kind": "synonyms", "words": "Rathaus\nund"},
        {"kind": "blocked", "contact": "x" * 501},
        {"kind": "example", "text": "x" * 201},
        {"kind": "pin", "page": "town/nothing"},
    ],
)
def test_what_is_wrong_with_an_entry_is_said_in_german(german: Console, wrong: dict[str, str]) -> None:
    message = said(german.post("/answers/new", **(ENTRY | wrong)))
    assert not ENGLISH.search(message), message


WRONG: Final[tuple[dict[str, object], ...]] = (
    {"text": "a\0b"},
    {"contact": "a\0b"},
    {"phrasings": ["a\0b"]},
    {"words": ["a\0b"]},
    {"text": "x" * (TEXT_CHARACTERS + 1)},
    {"contact": "x" * 501},
    {"owner": "x" * 101},
    {"phrasings": ["x"] * 51},
    {"phrasings": ["x" * 501]},
    {"words": ["x"] * 11},
    {"words": ["x" * 101]},
    {"language": "deutsch"},
    {"until": "morgen"},
    {"until": "2099-01-01T10:00"},
)
"""A document for each translation of a field's error."""


def field_error(document: dict[str, object]) -> FieldError:
    """The error of a wrong document."""
    with pytest.raises(FieldError) as raised:
        read_content(document)
    return raised.value


@pytest.mark.parametrize("document", WRONG, ids=",".join)
def test_what_is_wrong_with_a_field_is_said_in_german(document: dict[str, object]) -> None:
    error = field_error(document)
    assert not ENGLISH.search(translated(error, "de")), error.template


def test_a_text_that_is_too_long_is_measured_in_characters() -> None:
    assert str(field_error({"phrasings": ["x" * 501]})) == "phrasings.0: use at most 500 characters"
    assert "51" in str(field_error({"phrasings": ["x"] * 51}))


def test_every_translation_of_a_fields_error_has_a_field() -> None:
    fields = {key for key in catalogue("de") if re.fullmatch(r"[a-z.*]+: ([a-z_]+|must not .*)", key)}
    assert fields == {field_error(document).template for document in WRONG}


@pytest.mark.parametrize(
    "error",
    [
        InputError("site {name!r} has {count:,} entries: remove some first", name="town", count=1_000),
        InputError("an entry of kind {kind!r} has no {name!r}: leave it out", kind="pin", name="text"),
    ],
)
def test_what_only_large_sites_meet_is_german_too(error: InputError) -> None:
    assert not ENGLISH.search(translated(error, "de"))


def test_one_word_alone_has_no_synonym(german: Console) -> None:
    words = german.post("/answers/new", kind="synonyms", site="town", words="Otter", save="")
    assert "wenigstens zwei Wörter" in soup(words).get_text()


def test_who_changed_an_entry_meanwhile_is_said_in_german() -> None:
    error = ConflictError(
        "{name} changed this entry at {when} (version {version}, yours is {own}): read it again, then repeat "
        "your change",
        name="Adam",
        when="noon",
        version=3,
        own=2,
    )
    assert translated(error, "de").startswith("Adam hat diesen Eintrag inzwischen geändert. Öffnen")
