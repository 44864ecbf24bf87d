"""The chat's own sentences, a file for each language."""

import ast
import re
from datetime import date
from pathlib import Path
from typing import Any, Final, get_args

import pytest

import app
from app.chat.text.catalogue import (
    FALLBACK_LANGUAGE,
    LANGUAGES,
    AbsentNote,
    Catalogue,
    TimeNote,
    all_texts,
    describe,
    describe_time,
    nearest_label,
    texts,
    verbatim_label,
    visitor_sentences,
    without_label,
)
from app.chat.text.chitchat import Greeting
from app.search.intents import Intent
from app.search.retrieval import ANY_TIME, Degradation, TimeFilter

ENGLISH: Final = texts(FALLBACK_LANGUAGE)
START, END = date(2009, 1, 1), date(2010, 1, 1)


def sentences(value: object, name: str = "") -> dict[str, str]:
    """The sentences of a catalogue by their place in it."""
    if isinstance(value, str):
        return {name: value}
    fields: Any = value.model_dump() if isinstance(value, Catalogue) else value
    return {
        place: text
        for key, each in fields.items()
        for place, text in sentences(each, f"{name}.{key}").items()
    }


def places(text: str) -> list[str]:
    """The placeholders of a sentence."""
    return sorted(re.findall(r"\{(\w*)\}", text))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_every_sentence_with_the_same_places(language: str) -> None:
    own, english = sentences(texts(language)), sentences(ENGLISH)
    assert own.keys() == english.keys()
    assert {name: places(text) for name, text in own.items()} == {
        name: places(text) for name, text in english.items()
    }
    assert [name for name, text in own.items() if not text or text != text.strip()] == []


@pytest.mark.parametrize("language", sorted(LANGUAGES - {FALLBACK_LANGUAGE}))
def test_no_sentence_is_left_in_english(language: str) -> None:
    names = {".contact", ".sources", ".page", ".original"}
    english = sentences(ENGLISH)
    assert [
        name
        for name, text in sentences(texts(language)).items()
        if text == english[name] and name not in names
    ] == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_phone_numbers_are_the_same_in_every_language(language: str) -> None:
    own = sentences(texts(language))
    assert {name: re.findall(r"\*\*([\d ]+)\*\*", text) for name, text in own.items()} == {
        name: re.findall(r"\*\*([\d ]+)\*\*", text) for name, text in sentences(ENGLISH).items()
    }


def test_the_sentences_are_those_of_all_greetings_wishes_and_labels() -> None:
    assert ENGLISH.greetings.keys() == {*get_args(Greeting)}
    assert ENGLISH.wishes.keys() == {*get_args(Intent)}
    assert ENGLISH.degraded.keys() == {*get_args(Degradation)}
    assert ENGLISH.time.keys() == {*get_args(TimeNote)}
    assert ENGLISH.absent_act.keys() == {*get_args(AbsentNote)}
    assert ENGLISH.written_in.keys() == LANGUAGES


def test_every_sentence_is_used() -> None:
    sources = (path.read_text("utf-8") for path in Path(app.__file__).parent.rglob("*.py"))
    read = {
        node.attr
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
    }
    assert Catalogue.model_fields.keys() - read == set()


def test_other_languages_get_english() -> None:
    assert texts("cy") == texts("") == ENGLISH
    assert ENGLISH in all_texts() and len(all_texts()) == len(LANGUAGES)


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
            "Excerpts from the pages found, word for word and without a language model (original in German):",
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


@pytest.mark.parametrize("label", get_args(Degradation))
def test_every_label_has_a_sentence_in_both_languages(label: Degradation) -> None:
    assert describe(label, "de") != describe(label, "en")
    assert describe(label, "cy") == describe(label, "en")


def test_visitors_are_not_told_that_a_rephrased_question_was_not_used() -> None:
    assert visitor_sentences(["rephrase_rejected", "time_dropped"]) == [describe("time_dropped")]


@pytest.mark.parametrize(
    ("time", "sentence"),
    [
        (ANY_TIME, ""),
        (TimeFilter(at=START), "The law as of 2009-01-01."),
        (TimeFilter(published_from=START), "Only acts published since 2009-01-01."),
        (
            TimeFilter(at=END, published_before=END),
            "The law as of 2010-01-01. Only acts published before 2010-01-01.",
        ),
        (
            TimeFilter(published_from=START, published_before=END),
            "Only acts published from 2009-01-01 on and before 2010-01-01.",
        ),
    ],
)
def test_the_time_that_was_searched_is_said(time: TimeFilter, sentence: str) -> None:
    assert describe_time(time) == sentence


def test_the_time_is_said_in_german() -> None:
    assert describe_time(TimeFilter(at=START), "de") == "Rechtsstand 2009-01-01."
