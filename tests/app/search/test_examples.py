"""Questions that nobody asks a website are told by examples, which are embedded once."""

from collections.abc import Sequence
from threading import Event

import numpy as np
import pytest

from app.search.examples import NEAREST, OffTopic, QuestionExamples, off_topic_examples
from ingest.embedders.hashing import HashingEmbedder
from ingest.errors import EmbedderUnavailableError
from ingest.types import Vectors
from ingest.vectors import MemoryVectorCache


class CountingEmbedder(HashingEmbedder):
    """The hashing embedder, counting the documents that it embeds."""

    def __init__(self) -> None:
        super().__init__(512)
        self.embedded = 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        return super().embed_documents(texts)


def test_a_question_like_the_examples_is_nearer_to_them_than_one_about_a_page() -> None:
    embedder, off_topic = HashingEmbedder(512), OffTopic(MemoryVectorCache())
    usual = embedder.embed_query("Write me a poem about the sea and a dog")
    page = embedder.embed_query("Gebühren für Anwohnerparkausweise im Bürgeramt")
    assert off_topic.similarity(usual, embedder) > 2 * off_topic.similarity(page, embedder)


def test_the_nearest_examples_count_with_their_mean() -> None:
    embedder = HashingEmbedder(512)
    question = embedder.embed_query("Who wrote Hamlet?")
    cosines = sorted(embedder.embed_documents(list(off_topic_examples())) @ question)
    found = OffTopic(MemoryVectorCache()).similarity(question, embedder)
    assert np.isclose(found, np.mean(cosines[-NEAREST:]))


def test_the_examples_are_embedded_once_and_kept_for_the_next_process() -> None:
    cache, embedder = MemoryVectorCache(), CountingEmbedder()
    question = embedder.embed_query("Who are you?")
    for off_topic in (first := OffTopic(cache), first, OffTopic(cache)):
        off_topic.similarity(question, embedder)
    assert embedder.embedded == len(off_topic_examples())


def test_there_are_examples_in_both_languages_and_none_twice() -> None:
    assert len(set(off_topic_examples())) == len(off_topic_examples())
    assert {"Wer bist du?", "Who are you?"} <= set(off_topic_examples())


def test_the_middle_of_the_examples_is_a_question_of_no_subject() -> None:
    embedder = HashingEmbedder(512)
    middle = OffTopic(MemoryVectorCache()).mean(embedder)
    assert np.allclose(middle, embedder.embed_documents(list(off_topic_examples())).mean(axis=0))


TEXTS = ("Ich brauche einen Antrag", "I need a form", "Wo bekomme ich Hilfe?")


class SlowEmbedder(HashingEmbedder):
    """Embeds examples as questions once it may; counts them."""

    def __init__(self) -> None:
        super().__init__(512)
        self.may, self.is_down = Event(), False
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        if self.is_down:
            raise EmbedderUnavailableError("down")
        if text in TEXTS:
            self.may.wait()
            self.asked.append(text)
        return super().embed_query(text)


def test_no_question_waits_until_examples_are_embedded_as_questions_and_all_of_them_begin_it_once() -> None:
    embedder, examples = SlowEmbedder(), QuestionExamples(TEXTS, MemoryVectorCache())
    question = embedder.embed_query("a form")
    for _ in range(4):
        with pytest.raises(EmbedderUnavailableError, match="not embedded yet"):
            examples.cosines(question, embedder)
    embedder.may.set()
    examples.embed(embedder)  # waits for those that are at it
    assert examples.cosines(question, embedder).argmax() == 1
    assert sorted(embedder.asked) == sorted(TEXTS)


def test_examples_that_an_earlier_process_embedded_are_there_at_once() -> None:
    embedder, cache = SlowEmbedder(), MemoryVectorCache()
    embedder.may.set()
    QuestionExamples(TEXTS, cache).embed(embedder)
    embedder.is_down = True
    question = HashingEmbedder(512).embed_query("a form")
    assert QuestionExamples(TEXTS, cache).cosines(question, embedder).shape == (len(TEXTS),)


def test_examples_that_could_not_be_embedded_are_embedded_when_the_next_question_comes() -> None:
    embedder, examples = SlowEmbedder(), QuestionExamples(TEXTS, MemoryVectorCache())
    question, embedder.is_down = embedder.embed_query("a form"), True
    embedder.may.set()
    examples.embed(embedder)
    embedder.is_down = False
    with pytest.raises(EmbedderUnavailableError, match="not embedded yet"):
        examples.cosines(question, embedder)
    examples.embed(embedder)
    assert examples.cosines(question, embedder).shape == (len(TEXTS),)
