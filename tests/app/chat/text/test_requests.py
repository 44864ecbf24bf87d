"""Requests that no website answers, and letters that are no words."""

import pytest

from app.chat.text.requests import is_gibberish, is_other_request


@pytest.mark.parametrize(
    "request_text",
    [
        "Schreib mir ein Gedicht über den Herbst",
        "Kannst du mir bitte einen Witz erzählen?",
        "write a haiku about rain",
        "Tell me a joke",
        "Übersetze diesen Satz ins Englische",
        "how do I reverse a linked list in Java",
        "Do my maths homework",
        "Rezept für Apfelstrudel",
        "Liebst du mich?",
        "Are you a robot?",
    ],
)
def test_other_requests_are_known(request_text: str) -> None:
    assert is_other_request(request_text)


@pytest.mark.parametrize(
    "question",
    [
        "Wie schreibe ich dem Bürgeramt?",
        "Where can I tell the government what I think of our post office?",
        "Wer übersetzt meine Geburtsurkunde?",
        "Do you give grants for balcony solar panels?",
        "Welche Geschichte hat das Rathaus?",
        "Gibt es in der Bücherei Gedichte?",
        "Can I play football in the park with my dog?",
        "Wann ist die Vorlesestunde mit Märchen?",
        "Are you open on Sundays?",
        "Bist du auch telefonisch zu erreichen?",
    ],
)
def test_questions_about_pages_are_none(question: str) -> None:
    assert not is_other_request(question)


@pytest.mark.parametrize("text", ["asdfgh jklö", "aaaaaa", "fdjksla vmcxzp", "???", "blablabla"])
def test_letters_that_are_no_words_are_gibberish(text: str) -> None:
    assert is_gibberish(text)


@pytest.mark.parametrize("text", ["Sperrmüll", "Sperrmül", "asdfgh Hundesteuer", "council tax", "Bürgeramt"])
def test_words_even_misspelt_are_not(text: str) -> None:
    assert not is_gibberish(text)
