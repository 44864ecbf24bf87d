"""What people did wrong with an entry is said in German where they chose German."""

import pytest

from app.console.messages import translated
from app.features.curation.content import TEXT_CHARACTERS
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


@pytest.mark.parametrize(
    "message",
    [
        "site 'town' has 1,000 entries: remove some first",
        "page: site 'town' has no page 'pool' in source 'law'",
        "an entry of the kind 'pin' has no 'text': leave it out",
    ],
)
def test_what_only_large_sites_meet_is_german_too(message: str) -> None:
    assert not ENGLISH.search(translated(message, "de"))


def test_one_word_alone_has_no_synonym(german: Console) -> None:
    words = german.post("/answers/new", kind="synonyms", site="town", words="Otter", save="")
    assert "wenigstens zwei Wörter" in soup(words).get_text()


def test_who_changed_an_entry_meanwhile_is_said_in_german() -> None:
    message = (
        "Adam changed this entry at noon (version 3, yours is 2): read it again, then repeat your change"
    )
    assert translated(message, "de").startswith("Adam hat diesen Eintrag inzwischen geändert (noon).")
