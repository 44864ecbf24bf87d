"""Wishes are told by examples, which are embedded once."""

from typing import get_args

import pytest

from app.chat.text.catalogue import LANGUAGES
from app.search.intents import MOST_WORDS, Intent, Intents, Wish, examples, may_be_wish, said_words
from ingest.embedders.hashing import HashingEmbedder
from ingest.vectors import MemoryVectorCache


def test_a_wish_is_nearest_to_the_examples_of_its_kind() -> None:
    embedder, intents = HashingEmbedder(512), Intents(MemoryVectorCache())
    for question, wish in (
        ("I want to talk to a human", Wish("person", "en")),
        ("Bist du ein Roboter?", Wish("machine", "de")),
        ("Chcę się poskarżyć", Wish("complaint", "pl")),
        ("Our house is on fire", Wish("emergency", "en")),
        ("Что ты умеешь?", Wish("abilities", "ru")),
    ):
        found, cosine, other = intents.nearest(embedder.embed_query(question), embedder)
        assert (found, cosine > other) == (wish, True)


def test_a_question_about_something_is_nearer_to_the_others() -> None:
    embedder = HashingEmbedder(512)
    question = embedder.embed_query("Who can I talk to about a nursery place?")
    _, cosine, other = Intents(MemoryVectorCache()).nearest(question, embedder)
    assert other > cosine


def test_a_single_example_that_happens_to_be_near_does_not_decide() -> None:
    embedder = HashingEmbedder(512)
    question = embedder.embed_query("Who can I talk to about a nursery place?")
    *_, other = Intents(MemoryVectorCache()).nearest(question, embedder)
    assert other < 0.99, "the same question is among the examples"


def test_what_goes_back_to_what_was_said_is_nearer_to_the_others_in_a_conversation() -> None:
    embedder, intents = HashingEmbedder(512), Intents(MemoryVectorCache())
    question = embedder.embed_query("How does that work?")
    *_, alone = intents.nearest(question, embedder)
    *_, in_conversation = intents.nearest(question, embedder, is_follow_up=True)
    assert alone < in_conversation


def test_a_single_word_is_a_wish_only_if_an_example_has_it() -> None:
    assert may_be_wish("Roboter?")
    assert not may_be_wish("aaaaaa")
    assert may_be_wish("aaaaaa aaaaaa")


def test_a_long_text_is_no_wish() -> None:
    assert may_be_wish("human " * MOST_WORDS)
    assert not may_be_wish("human " * (MOST_WORDS + 1))


def test_the_words_of_wishes_tell_nothing_of_a_page() -> None:
    assert {"human", "mensch"} <= said_words()
    assert "nursery" not in said_words()
    assert "mensch" not in said_words("en")
    assert said_words("cy") == said_words()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_of_the_chat_has_examples_of_every_wish(language: str) -> None:
    assert {name for _, name, own in examples() if own == language} == {
        *get_args(Intent),
        "other",
        "follow_up",
    }
