"""Sentences around answers."""

import pytest

from app.chat.text.catalogue import LANGUAGES
from app.chat.text.phrases import nearest_label, verbatim_label, without_label


@pytest.mark.parametrize(
    ("language", "originals", "label"),
    [
        ("ar", ["de"], "مقتطفات حرفية من الصفحات التي عُثر عليها، دون نموذج لغوي (النص الأصلي بالألمانية):"),
        (
            "fr",
            ["en", "en", "und"],
            "Extraits des pages trouvées, mot pour mot et sans modèle de langage"
            " (original en anglais)\u00a0:",
        ),
        (
            "en",
            ["de"],
            "Excerpts from the pages found, verbatim and without a language model (original in German):",
        ),
    ],
)
def test_the_language_of_what_is_quoted_is_said(language: str, originals: list[str], label: str) -> None:
    assert verbatim_label(language, originals) == label


@pytest.mark.parametrize("originals", [[], ["de"], ["de", "en"], ["und"], ["cy"]])
def test_it_is_not_said_of_quotes_in_the_answers_language_of_two_or_of_none(originals: list[str]) -> None:
    assert verbatim_label("de", originals) == verbatim_label("de")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_quotes_are_told_from_the_sentence_above_them(language: str) -> None:
    other = "en" if language == "de" else "de"
    for label in (verbatim_label, nearest_label):
        for originals in ([], [other]):
            assert without_label(f"{label(language, originals)}\n\n> Ten. [1]") == "> Ten. [1]"
    assert without_label("> Ten. [1]") == "> Ten. [1]"
