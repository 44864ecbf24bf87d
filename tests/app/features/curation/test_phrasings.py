"""Which entries a question is meant by."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from app.chat.decisions import Decision, FixedReply, Pin
from app.features.curation.content import Entry, Kind, PinnedPage, read_content
from app.features.curation.meaning import QuestionSpace
from app.features.curation.phrasings import EMBEDDED_AT_ONCE, Phrasings, wording
from app.features.curation.site import decision
from app.presets import Thresholds
from app.search.examples import QuestionDocuments
from ingest.errors import EmbedderUnavailableError
from ingest.fingerprints import recipe_hash
from ingest.protocols import Recipe
from ingest.types import Vectors
from ingest.vectors import MemoryVectorCache

THRESHOLDS = Thresholds(base=0.0, name=0, title=0, description=0, keywords=0, content=0)
CLOSE, FAR = 0.9, 0.5


class FirstWordEmbedder:
    """Texts with the same first word are the same in meaning, those with the same first letter near."""

    max_tokens, batch_size, dims = 100, 4, 64

    def __init__(self, name: str = "first word") -> None:
        self.recipe: Recipe = {"name": name, "dims": self.dims}
        self.asked: list[str] = []
        self.off = False

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("phrasings are questions")

    def embed_query(self, text: str) -> Vectors:
        if self.off:
            raise EmbedderUnavailableError("off")
        self.asked.append(text)
        vector = np.zeros(self.dims, np.float32)
        vector[ord(text[0].lower()) % 32] = CLOSE
        vector[32 + sum(map(ord, text.split(maxsplit=1)[0].lower())) % 32] = np.sqrt(1 - CLOSE**2)
        return vector


@pytest.fixture
def embedder() -> FirstWordEmbedder:
    return FirstWordEmbedder()


@pytest.fixture
def space(embedder: FirstWordEmbedder) -> QuestionSpace:
    return space_of(embedder)


def space_of(embedder: FirstWordEmbedder, cache: MemoryVectorCache | None = None) -> QuestionSpace:
    documents = QuestionDocuments(embedder)
    key = recipe_hash(documents.recipe)
    return QuestionSpace(
        embedder=documents, thresholds=THRESHOLDS, key=key, cache=cache or MemoryVectorCache()
    )


def entry(number: int, *phrasings: str, kind: Kind = "answer", language: str = "") -> Entry:
    content = read_content({"phrasings": list(phrasings), "text": "x", "language": language})
    at = datetime(2026, 11, 23, tzinfo=UTC)
    return Entry(
        number=number, site="town", kind=kind, version=1, content=content, changed_by="kim", changed_at=at
    )


def numbers(phrasings: Phrasings, question: str, space: QuestionSpace | None) -> list[int]:
    return [found.number for _, found in phrasings.meant(question, space)]


def test_the_same_words_are_the_same_question_without_an_embedder() -> None:
    phrasings = Phrasings([entry(1, "Wo ist das Rathaus?"), entry(2, "Wo ist das Bad?")])
    assert phrasings.meant("wo ist das  RATHAUS", None)[0][0] == 1.0
    assert numbers(phrasings, "wo ist das RATHAUS!", None) == [1]
    assert numbers(phrasings, "Wo ist denn das Rathaus?", None) == []


def test_a_question_of_the_same_meaning_is_caught(space: QuestionSpace) -> None:
    phrasings = Phrasings([entry(1, "Rathaus im Ort bitte"), entry(2, "Bad im Ort bitte")])
    assert numbers(phrasings, "Rathaus in der Stadt", space) == [1]
    assert numbers(phrasings, "Kirche in der Stadt", space) == []


def test_the_nearest_entry_comes_first(space: QuestionSpace) -> None:
    phrasings = Phrasings([entry(1, "Rat der Stadt bitte"), entry(2, "Rathaus der Stadt bitte")])
    assert numbers(phrasings, "Rathaus im ganzen Ort", space) == [2, 1]


def test_a_short_question_is_caught_by_its_words_alone(space: QuestionSpace) -> None:
    phrasings = Phrasings([entry(1, "Rathaus", "Rathaus im Ort bitte")])
    assert numbers(phrasings, "Rathaus offen", space) == []
    assert numbers(phrasings, "rathaus?", space) == [1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wann hat das Amt offen?", "Wo ist das Amt?"),
        ("Wie bekomme ich einen Platz?", "Was kostet ein Platz?"),
        ("Wie melde ich meinen Hund an?", "Wie melde ich meinen Hund ab?"),
        ("Darf ich das?", "Darf ich das nicht?"),
        ("Who may vote?", "Where may I vote?"),
    ],
)
def test_questions_that_ask_for_different_things_are_told_apart(one: str, other: str) -> None:
    assert not wording(one).may_mean(wording(other))
    assert not wording(other).may_mean(wording(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wann hat das Amt geöffnet?", "Öffnungszeiten vom Amt?"),
        ("Was kostet ein Pass?", "Wie teuer ist ein Pass?"),
        ("Wie melde ich mich um?", "Ich bin umgezogen, was nun?"),
        ("When is the library open?", "What are the opening hours?"),
    ],
)
def test_questions_for_the_same_thing_may_mean_the_same(one: str, other: str) -> None:
    assert wording(one).may_mean(wording(other))


def test_vectors_are_embedded_once_and_kept(embedder: FirstWordEmbedder) -> None:
    cache, entries = MemoryVectorCache(), [entry(1, "Rathaus im Ort bitte")]
    numbers(Phrasings(entries), "Rathaus in der Stadt", space_of(embedder, cache))
    embedder.asked.clear()
    assert numbers(Phrasings(entries), "Rathaus in der Stadt", space_of(embedder, cache)) == [1]
    assert embedder.asked == ["Rathaus in der Stadt"]


def test_another_embedder_has_vectors_of_its_own(embedder: FirstWordEmbedder) -> None:
    cache, phrasings = MemoryVectorCache(), Phrasings([entry(1, "Rathaus im Ort bitte")])
    numbers(phrasings, "Rathaus in der Stadt", space_of(embedder, cache))
    other = FirstWordEmbedder("another")
    assert numbers(phrasings, "Rathaus in der Stadt", space_of(other, cache)) == [1]
    assert "Rathaus im Ort bitte" in other.asked


def test_after_a_change_of_embedders_questions_embed_some_phrasings_each(
    embedder: FirstWordEmbedder, space: QuestionSpace
) -> None:
    entries = [entry(n, f"Wort{n} im Ort bitte") for n in range(EMBEDDED_AT_ONCE + 3)]
    phrasings = Phrasings(entries)
    phrasings.meant("Zoo in der Stadt", space)
    assert len(embedder.asked) == EMBEDDED_AT_ONCE + 1
    assert numbers(phrasings, f"Wort{EMBEDDED_AT_ONCE + 2} in der Stadt", space)[0] == EMBEDDED_AT_ONCE + 2


def test_without_an_embedder_the_same_words_still_count(
    embedder: FirstWordEmbedder, space: QuestionSpace
) -> None:
    embedder.off = True
    phrasings = Phrasings([entry(1, "Rathaus im Ort bitte")])
    assert numbers(phrasings, "Rathaus im Ort, bitte!", space) == [1]
    assert numbers(phrasings, "Rathaus in der Stadt", space) == []


def test_a_reply_comes_before_pins_and_is_in_the_question_s_language() -> None:
    page = PinnedPage(source="town", id="hall", language="de")
    content = read_content({"phrasings": ["Wo ist es?"], "page": page})
    pin = replace(entry(2, "Wo ist es?", kind="pin"), content=content)
    meant = [(1.0, entry(1, "Wo ist es?", language="de")), (1.0, pin)]
    both = [*meant, (0.9, entry(3, "Wo ist es?", kind="blocked", language="en"))]
    german = FixedReply(number=1, kind="answer", text="x")
    assert decision(both, "de") == decision(both, None) == Decision(reply=german)
    assert decision(both, "en") == Decision(reply=FixedReply(number=3, kind="blocked", text="x"))
    assert decision(meant, "en") == Decision(pins=(Pin(number=2, source="town", id="hall", language="de"),))
