"""Questions that nobody asks a website are told by examples, which are embedded once."""

from collections.abc import Sequence

import numpy as np

from app.search.examples import NEAREST, OffTopic, off_topic_examples
from ingest.embedders.hashing import HashingEmbedder
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
    middle = OffTopic(MemoryVectorCache()).middle(embedder)
    assert np.allclose(middle, embedder.embed_documents(list(off_topic_examples())).mean(axis=0))
